// Rules that keep the library what it is. Each says how to mend what it finds, and each is shown to bite: it is given a
// copy of the sources that was broken on purpose.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keepsPrivateFields, noTimers, oneErrorClass, oneWay, oneWriter } from './architecture/rules.js'
import { read, root, type Source, withFile } from './architecture/sources.js'

const sources = read('src', /\.ts$/)
const formats = [
  { format: 'ES modules', built: read('dist', /\.js$/), extension: 'js' },
  { format: 'CommonJS', built: read('dist', /\.cjs$/), extension: 'cjs' },
]

it('there is something to look at: if not, npm run build', () => {
  expect(sources.length).toBeGreaterThan(20)
  for (const { built } of formats) expect(built.map(({ path }) => path)).toContain(`index.${built === formats[0]?.built ? 'js' : 'cjs'}`)
})

describe('timers and clocks are named in no file but the one that reads the clock', () => {
  // A server says in the wall clock's words how long to stay away; nothing else does.
  const allowed = { 'clock.ts': ['performance'], 'adapters/retry-after.ts': ['Date'] }

  it('holds', () => {
    expect(noTimers(sources, allowed)).toEqual([])
  })

  it.each([
    ['outage.ts', '\nsetTimeout(() => {}, 1);', 'setTimeout'],
    ['registry.ts', '\nconst sweep = globalThis["setInterval"];', 'setInterval'],
    ['trip/time-window.ts', '\nconst now = () => Date.now();', 'Date'],
    ['breaker.ts', '\nconst now = globalThis.performance.now();', 'performance'],
    ['clock.ts', '\nconst now = Date.now;', 'Date'],
  ])('bites when %s ends in %j', (path, line, word) => {
    expect(
      noTimers(
        withFile(sources, path, (text) => text + line),
        allowed,
      ),
    ).toContainEqual(expect.stringMatching(new RegExp(`^${path}:\\d+ names ${word}\\. `)))
  })

  it('lets comments say what the code may not', () => {
    const commented = withFile(sources, 'outage.ts', (text) => `${text}\n/** No setTimeout(). */ // no Date.now()\n`)
    expect(noTimers(commented, allowed)).toEqual(noTimers(sources, allowed))
  })
})

describe('state and epoch are assigned in one function', () => {
  const rule = (files: Source[]): string[] => oneWriter(files, 'breaker.ts', 'become', ['#outage', '#epoch'])

  it('holds', () => {
    expect(rule(sources)).toEqual([])
  })

  it('bites when another method moves the epoch', () => {
    const broken = withFile(sources, 'breaker.ts', (text) => text.replace(/class Circuit [^{]*\{/, (head) => `${head} sneak() { this.#epoch++ }`))
    expect(rule(broken)).toEqual([expect.stringMatching(/^breaker\.ts:\d+ writes #epoch in sneak\. /)])
  })

  it('bites when another file closes a breaker', () => {
    const broken = withFile(sources, 'registry.ts', (text) => `${text}\nexport function heal(circuit) {\n  circuit.#outage = null\n}\n`)
    expect(rule(broken)).toEqual([expect.stringMatching(/^registry\.ts:\d+ writes #outage in heal\. /)])
  })

  it('bites when a field is renamed under it', () => {
    const broken = withFile(sources, 'breaker.ts', (text) => text.replaceAll('#epoch', '#era'))
    expect(rule(broken)).toEqual([expect.stringContaining('tell this rule its new name')])
  })
})

describe('imports point one way, and adapters know the index and what they share', () => {
  const layers = [
    ['clock.ts', 'warn.ts', 'check.ts', 'errors.ts', 'verdict.ts', 'observer.ts', 'recovery-timeout.ts', 'summary.ts'],
    ['trip/', 'recovery/'],
    ['outage.ts', 'override.ts', 'plan.ts', 'in-flight.ts', 'permit.ts', 'snapshot.ts'],
    ['breaker.ts'],
    ['execute.ts', 'wrap.ts', 'eviction.ts'],
    ['circuit-breaker.ts'],
    ['registry.ts'],
    ['index.ts'],
    ['adapters/'],
  ]
  const { exports: exported } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: object }
  const subpaths = Object.keys(exported).map((subpath) => `adapters/${subpath.slice('./'.length)}.ts`)
  const rule = (files: Source[]): string[] => oneWay(files, layers, subpaths)

  it('holds', () => {
    expect(subpaths).toContain('adapters/fetch.ts')
    expect(rule(sources)).toEqual([])
  })

  it.each([
    ['clock.ts', `import type { Plan } from './plan.js';`, /^clock\.ts:1 imports \.\/plan\.js, against the arrow /],
    ['trip/any-of.ts', `export * from '../outage.js';`, /^trip\/any-of\.ts:1 imports \.\.\/outage\.js, against the arrow /],
    ['breaker.ts', `import './registry.js';`, /^breaker\.ts:1 imports \.\/registry\.js, against the arrow /],
    ['adapters/fetch.ts', `import { systemClock } from '../clock.js';`, /^adapters\/fetch\.ts:1 imports \.\.\/clock\.js\. An adapter hangs off the core/],
    ['adapters/fetch.ts', `import './undici.js';`, /^adapters\/fetch\.ts:1 imports \.\/undici\.js\. An adapter hangs off the core/],
    ['adapters/series.ts', `import type { Plan } from '../plan.js';`, /^adapters\/series\.ts:1 imports \.\.\/plan\.js\. An adapter hangs off the core/],
    ['adapters/series.ts', `import './prometheus.js';`, /^adapters\/series\.ts:1 imports \.\/prometheus\.js\. An adapter hangs off the core/],
    ['adapters/prometheus.ts', `import type { Registry } from 'prom-client';`, /^adapters\/prometheus\.ts:1 imports prom-client\. The library depends on nothing/],
    ['plan.ts', `const events = await import('node:events');`, /^plan\.ts:1 imports node:events\. The library depends on nothing/],
    ['helpers.ts', `export const noop = () => {};`, /^helpers\.ts stands in no layer\. /],
  ])('bites when %s begins with %s', (path, line, message) => {
    expect(rule(withFile(sources, path, (text) => `${line}\n${text}`))).toContainEqual(expect.stringMatching(message))
  })

  it('lets a subpath import what is shared, and what is shared its like', () => {
    let shared = withFile(sources, 'adapters/fetch.ts', (text) => `import './options.js';\n${text}`)
    shared = withFile(shared, 'adapters/measured.ts', (text) => `import './options.js';\n${text}`)
    expect(rule(shared)).toEqual([])
  })

  it('bites when two files of one layer import each other', () => {
    let broken = withFile(sources, 'trip/any-of.ts', (text) => `import './failure-rate.js';\n${text}`)
    broken = withFile(broken, 'trip/failure-rate.ts', (text) => `import './any-of.js';\n${text}`)
    expect(rule(broken)).toContainEqual(expect.stringMatching(/any-of\.ts → .* is a circle/))
  })
})

describe.each(formats)('what is built as $format', ({ built, extension }) => {
  it('keeps private fields private fields', () => {
    expect(keepsPrivateFields(sources, built)).toEqual([])
  })

  it('has each error class once', () => {
    expect(oneErrorClass(sources, built)).toEqual([])
  })

  it('would be found out without them', () => {
    const lowered = built.map(({ path }) => path).reduce((files, path) => withFile(files, path, (text) => `${text.replaceAll('#', '_')}\n__privateGet(1);`), built)
    expect(keepsPrivateFields(sources, lowered)).toContainEqual(expect.stringMatching(/^dist has no #\w+: /))
    expect(keepsPrivateFields(sources, lowered)).toContainEqual(expect.stringMatching(/uses __privateGet/))
  })

  it('would be found out with a second copy of an error', () => {
    const copied = withFile(built, `fetch.${extension}`, (text) => `${text}\nvar CircuitOpenError = class extends Error {};`)
    expect(oneErrorClass(sources, copied)).toEqual([expect.stringContaining('dist has 2 copies of CircuitOpenError in one format')])
  })
})

describe('nothing is left behind', () => {
  /** Runs a program on dist; one that does not end by itself is ended after ten seconds, and has failed. */
  function play(program: string): { status: number | null; output: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'test', 'architecture', program)], { encoding: 'utf8', timeout: 10_000 })
    return { status, output: stdout + stderr }
  }

  it('after an exercise of everything no timer was set and no handle is open', () => {
    expect(play('exercise.mjs')).toEqual({ status: 0, output: 'timers: none; handles: none\n' })
  })

  it('a process with a thousand open breakers exits by itself', () => {
    expect(play('thousand-open.mjs')).toEqual({ status: 0, output: '1000 open, and nothing to wait for\n' })
  })
})
