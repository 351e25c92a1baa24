// `npm test`: every check of the project, one after the other, whatever the earlier ones said. It ends with one line that
// counts them: each step counts one, and the suite as many as it has tests.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'lazybreaker-test-'))
const report = join(scratch, 'vitest.json')

const bin = (name) => join(root, 'node_modules', '.bin', name)

/** Runs a command; its output is shown as it comes, or, when `quiet`, only if it fails. */
function run(command, args, quiet) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'] })
    const heard = []
    child.stdout?.on('data', (chunk) => heard.push(chunk))
    child.stderr?.on('data', (chunk) => heard.push(chunk))
    child.on('error', (error) => {
      resolve({ code: 1, output: String(error) })
    })
    child.on('close', (code) => {
      resolve({ code: code ?? 1, output: Buffer.concat(heard).toString() })
    })
  })
}

let passed = 0
let failed = 0

/** One step that is right or wrong as a whole. `mend` says what to do about it. */
async function step(name, command, args, mend) {
  const began = performance.now()
  const { code, output } = await run(command, args, true)
  const took = ((performance.now() - began) / 1000).toFixed(1)
  if (code === 0) {
    passed += 1
    console.log(`ok    ${name} (${took} s)`)
  } else {
    failed += 1
    console.log(`${output}\nFAIL  ${name} (${took} s): ${mend}`)
  }
}

async function suite() {
  const { code } = await run(bin('vitest'), ['run', '--typecheck', '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`], false)
  let counts = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 }
  try {
    counts = JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    // It never came so far as to write a report: the exit code below counts.
  }
  passed += counts.numPassedTests
  // A file that cannot be loaded, or an unhandled rejection, fails the run without failing a test.
  failed += code === 0 ? counts.numFailedTests : Math.max(1, counts.numFailedTests)
  return counts.numPendingTests + (counts.numTodoTests ?? 0)
}

// Compilers and clients that need another Node than ours, or another version, are a project of their own.
if (!existsSync(join(root, 'test', 'consumers', 'node_modules'))) {
  await step('consumers', 'npm', ['run', '--silent', 'consumers'], 'the compilers of test/consumers cannot be installed: npm run consumers')
}
// What is built is what is tested: the suite reads dist.
await Promise.all([
  step('build', bin('tsup'), ['--silent'], 'the library does not build: npm run build'),
  step('types', 'npm', ['run', '--silent', 'typecheck'], 'types do not hold: npm run typecheck'),
])
await step('lint', bin('eslint'), ['.', '--max-warnings=0'], 'npm run lint; each rule of this project says why it is there')
const skipped = await suite()
rmSync(scratch, { recursive: true, force: true })

console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed === 0 ? 0 : 1
