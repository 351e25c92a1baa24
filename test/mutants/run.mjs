// Breaks the source on purpose, once for each mutant, and shows that the tests notice and which of them: the explorer, the model, the
// timelines or the steps, in this order. Exits with 1 if a mutant lives, and with an error if one no longer applies to the source.
//
//   node test/mutants/run.mjs            all of them
//   node test/mutants/run.mjs lease ramp those whose names contain one of the words
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { build } from 'esbuild'
import { mutants } from './mutants.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The judges, the most thorough first. Each resolves with its first complaint, or with undefined if it is content. */
const judges = [
  ['explorer', complaintOfExplorer],
  ['model', () => complaintOfTests('test/model.test.ts')],
  ['timelines', () => complaintOfTests('test/scenarios.test.ts')],
  ['steps', () => complaintOfTests('test/scenarios/')],
]

const copy = mkdtempSync(join(tmpdir(), 'mutants-'))
for (const part of ['src', 'test/adapters', 'test/explore', 'test/model', 'test/support', 'test/scenarios'])
  cpSync(join(root, part), join(copy, part), { recursive: true })
for (const file of ['package.json', 'tsconfig.json', 'vitest.config.ts', 'test/tsconfig.json', 'test/scenarios.md']) cpSync(join(root, file), join(copy, file))
for (const file of ['explore', 'model', 'scenarios']) cpSync(join(root, `test/${file}.test.ts`), join(copy, `test/${file}.test.ts`))
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))

/** A mutant may run for ever: that is a complaint, too. */
const patience = { timeout: 300_000, killSignal: 'SIGKILL' }

/** The explorer is a plain program, which starts ten times as fast as a test. */
async function complaintOfExplorer() {
  const contents = `
    import { configurations } from './explore/configurations.js';
    import { explore } from './explore/explorer.js';
    for (const configuration of configurations) {
      try {
        explore(configuration, { depth: configuration.depth, ms: Infinity });
      } catch (error) {
        process.stdout.write(configuration.name + ': ' + error.message);
        process.exit(1);
      }
    }`
  const outfile = join(copy, 'explorer.mjs')
  await build({
    stdin: { contents, resolveDir: join(copy, 'test'), loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    outfile,
    logLevel: 'error',
  })
  const { code, signal, printed, cried } = await run([outfile])
  if (code === 0) return undefined
  // A program that cannot even start has noticed nothing.
  if (signal === null && printed === '') throw new Error(`the explorer ended with code ${code}, and had nothing to say: ${shortened(cried)}`)
  return signal === null ? shortened(printed) : 'it never ends'
}

async function complaintOfTests(path) {
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  const { code, signal } = await run([join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--bail', '1', '--reporter', 'json', '--outputFile', report, path])
  if (code === 0) return undefined
  return signal === null ? firstFailureIn(report) : 'it never ends'
}

function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'], ...patience })
    let printed = ''
    let cried = ''
    child.stdout.on('data', (chunk) => (printed += chunk))
    child.stderr.on('data', (chunk) => (cried += chunk))
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, printed, cried }))
  })
}

function firstFailureIn(report) {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  for (const file of testResults) {
    const failed = file.assertionResults.find(({ status }) => status === 'failed')
    if (failed !== undefined) return `${failed.title}: ${shortened(failed.failureMessages[0] ?? '')}`
    if (file.status === 'failed' && file.assertionResults.length === 0) return shortened(file.message)
  }
  return 'failed without a failed test'
}

function shortened(message) {
  const text = stripVTControlCharacters(message)
    .replaceAll(/\s+/g, ' ')
    .replace(/^(Assertion)?Error: /, '')
    .replace(/ at \S+ \(.*/, '')
    .replace(/ \{ seed:.*?Counterexample: /, ': ')
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** The broken files of a mutant, by their names. */
function broken({ file, from, to, also }) {
  const files = new Map()
  for (const change of [{ file, from, to }, ...(also === undefined ? [] : [also])]) {
    const source = files.get(change.file) ?? readFileSync(join(root, change.file), 'utf8')
    const times = source.split(change.from).length - 1
    if (times !== 1) throw new Error(`${change.file}: expected to find this once, found it ${times} times: ${change.from}`)
    files.set(
      change.file,
      source.replace(change.from, () => change.to),
    )
  }
  return files
}

async function main() {
  const words = process.argv.slice(2)
  const chosen = mutants.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
  // Before anything runs, so that a list that has aged is seen at once.
  const sources = chosen.map(broken)

  for (const [judge, ask] of judges) {
    const complaint = await ask()
    if (complaint !== undefined) throw new Error(`${judge}: not content with the source as it is: ${complaint}`)
  }

  const kills = new Map(judges.map(([judge]) => [judge, 0]))
  const alive = []
  for (const [index, mutant] of chosen.entries()) {
    for (const [file, source] of sources[index]) writeFileSync(join(copy, file), source)
    let death
    for (const [judge, ask] of judges) {
      const complaint = await ask()
      if (complaint === undefined) continue
      death = `${judge}: ${complaint}`
      kills.set(judge, kills.get(judge) + 1)
      break
    }
    for (const file of sources[index].keys()) cpSync(join(root, file), join(copy, file))
    if (death === undefined) alive.push(mutant.name)
    console.log(`${death === undefined ? 'ALIVE' : 'dead '}  ${mutant.name}\n         ${death ?? `${mutant.file}: ${mutant.to}`}`)
  }
  console.log(`\n${chosen.length - alive.length} of ${chosen.length} dead: ${[...kills].map(([judge, number]) => `${number} by the ${judge}`).join(', ')}`)
  if (alive.length > 0) {
    console.log(`alive: ${alive.join('; ')}`)
    process.exitCode = 1
  }
}

try {
  await main()
} finally {
  rmSync(copy, { recursive: true, force: true })
}
