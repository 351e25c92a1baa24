// Breaks the source on purpose, once for each mutant, and shows that the tests notice and which of them: the explorer, the model, the
// timelines or the steps, in this order. Exits with 1 if a mutant lives, and with an error if one no longer applies to the source.
//
//   node test/mutants/run.mjs            all of them
//   node test/mutants/run.mjs lease ramp those whose names contain one of the words
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { mutants } from './mutants.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The judges, the most thorough first. */
const judges = [
  ['explorer', ['test/explore.test.ts']],
  ['model', ['test/model.test.ts']],
  ['timelines', ['test/scenarios.test.ts']],
  ['steps', ['test/scenarios/']],
];

const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
for (const part of ['src', 'test/adapters', 'test/explore', 'test/model', 'test/support', 'test/scenarios']) cpSync(join(root, part), join(copy, part), { recursive: true });
for (const file of ['package.json', 'tsconfig.json', 'vitest.config.ts', 'test/tsconfig.json', 'test/scenarios.md']) cpSync(join(root, file), join(copy, file));
for (const file of ['explore', 'model', 'scenarios']) cpSync(join(root, `test/${file}.test.ts`), join(copy, `test/${file}.test.ts`));
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

/** Runs one judge; resolves with the first complaint, or with undefined if it is content. */
function complaintOf(paths) {
  return new Promise((resolve, reject) => {
    const report = join(copy, 'report.json');
    rmSync(report, { force: true });
    const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--bail', '1', '--reporter', 'json', '--outputFile', report, ...paths];
    // A mutant may run for ever: that is a complaint, too.
    const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore', timeout: 240_000, killSignal: 'SIGKILL', env: { ...process.env, EXPLORE_SECONDS: '' } });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(undefined);
      else if (signal !== null) resolve('it never ends');
      else resolve(firstFailureIn(report));
    });
  });
}

function firstFailureIn(report) {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  for (const file of testResults) {
    const failed = file.assertionResults.find(({ status }) => status === 'failed');
    if (failed !== undefined) return `${failed.title}: ${shortened(failed.failureMessages[0] ?? '')}`;
    if (file.status === 'failed' && file.assertionResults.length === 0) return shortened(file.message);
  }
  return 'failed without a failed test';
}

function shortened(message) {
  const text = stripVTControlCharacters(message)
    .replaceAll(/\s+/g, ' ')
    .replace(/^(Assertion)?Error: /, '')
    .replace(/ at \S+ \(.*/, '')
    .replace(/ \{ seed:.*?Counterexample: /, ': ');
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** The broken files of a mutant, by their names. */
function broken({ file, from, to, also }) {
  const files = new Map();
  for (const change of [{ file, from, to }, ...(also === undefined ? [] : [also])]) {
    const source = files.get(change.file) ?? readFileSync(join(root, change.file), 'utf8');
    const times = source.split(change.from).length - 1;
    if (times !== 1) throw new Error(`${change.file}: expected to find this once, found it ${times} times: ${change.from}`);
    files.set(change.file, source.replace(change.from, () => change.to));
  }
  return files;
}

async function main() {
  const words = process.argv.slice(2);
  const chosen = mutants.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  // Before anything runs, so that a list that has aged is seen at once.
  const sources = chosen.map(broken);

  for (const [judge, paths] of judges) {
    const complaint = await complaintOf(paths);
    if (complaint !== undefined) throw new Error(`${judge}: not content with the source as it is: ${complaint}`);
  }

  const kills = new Map(judges.map(([judge]) => [judge, 0]));
  const alive = [];
  for (const [index, mutant] of chosen.entries()) {
    for (const [file, source] of sources[index]) writeFileSync(join(copy, file), source);
    let death;
    for (const [judge, paths] of judges) {
      const complaint = await complaintOf(paths);
      if (complaint === undefined) continue;
      death = `${judge}: ${complaint}`;
      kills.set(judge, kills.get(judge) + 1);
      break;
    }
    for (const file of sources[index].keys()) cpSync(join(root, file), join(copy, file));
    if (death === undefined) alive.push(mutant.name);
    console.log(`${death === undefined ? 'ALIVE' : 'dead '}  ${mutant.name}\n         ${death ?? `${mutant.file}: ${mutant.to}`}`);
  }
  console.log(`\n${chosen.length - alive.length} of ${chosen.length} dead: ${[...kills].map(([judge, number]) => `${number} by the ${judge}`).join(', ')}`);
  if (alive.length > 0) {
    console.log(`alive: ${alive.join('; ')}`);
    process.exitCode = 1;
  }
}

try {
  await main();
} finally {
  rmSync(copy, { recursive: true, force: true });
}
