// What does not jitter, counted on dist, so that it can fail a build: bytes, readings of the clock, timers. Times are
// measured in bench/, where they can be compared in one run.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { buildSync } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
if (!existsSync(join(root, 'dist', 'index.js'))) throw new Error('there is no dist to count: npm run build')

/** Runs a counting program and gives the numbers it printed. */
function count(program: string, flags: string[] = []): unknown {
  const file = join(root, 'test', 'guard', program)
  return JSON.parse(execFileSync(process.execPath, [...flags, file], { encoding: 'utf8' }))
}

describe('the clock is read no more than needed, and nothing else of the platform is asked', () => {
  type Life = Record<
    'construct' | 'execute' | 'acquire' | 'settle' | 'readClosed' | 'refused' | 'refusedError' | 'readState' | 'snapshot' | 'probeAcquire' | 'probeSettle',
    number
  >
  type Name = 'consecutive' | 'countWindow' | 'timeWindow' | 'slowCalls' | 'probes' | 'gradual'
  let counted: { lives: Record<Name, Life>; registry: { execute: number; made: number }; timers: number }
  beforeAll(() => {
    counted = count('reads.mjs') as typeof counted
  })

  it.each(['consecutive', 'countWindow', 'probes', 'gradual'] as const)('%s: not once while closed (law 1)', (name) => {
    const { execute, acquire, settle, readClosed } = counted.lives[name]
    expect({ execute, acquire, settle, readClosed }).toEqual({ execute: 0, acquire: 0, settle: 0, readClosed: 0 })
  })

  it.each(['timeWindow', 'slowCalls'] as const)('%s: at most once to begin a call and once to end it (law 1)', (name) => {
    const { execute, acquire, settle } = counted.lives[name]
    expect(execute).toBeLessThanOrEqual(2)
    expect(acquire).toBeLessThanOrEqual(1)
    expect(settle).toBeLessThanOrEqual(1)
  })

  it('a time window needs no reading to begin a call', () => {
    expect(counted.lives.timeWindow).toMatchObject({ execute: 1, acquire: 0, settle: 1 })
  })

  it.each(['consecutive', 'countWindow', 'timeWindow', 'slowCalls', 'probes', 'gradual'] as const)(
    '%s: once for each thing asked of it while not closed (law 1)',
    (name) => {
      const { refused, refusedError, readState, snapshot, probeAcquire, probeSettle } = counted.lives[name]
      expect({ refused, refusedError, readState, snapshot, probeAcquire }).toEqual({
        refused: 1,
        refusedError: 1,
        readState: 1,
        snapshot: 1,
        probeAcquire: 1,
      })
      expect(probeSettle).toBeLessThanOrEqual(1)
    },
  )

  it('a new breaker tries its clock once (law 18), a registry at most as often', () => {
    expect(Object.values(counted.lives).map(({ construct }) => construct)).toEqual([1, 1, 1, 1, 1, 1])
    expect(counted.registry.execute).toBe(0)
    expect(counted.registry.made).toBe(0)
  })

  it('no timer is ever set', () => {
    expect(counted.timers).toBe(0)
  })
})

describe('memory', () => {
  let counted: {
    perCall: Record<'thinnest' | 'consecutive' | 'countWindow' | 'timeWindow' | 'permit' | 'refused', number>
    perBreaker: Record<'healthy' | 'buckets' | 'calls', number>
  }
  beforeAll(() => {
    const nothingIsCollected = ['--min-semi-space-size=64', '--max-semi-space-size=64']
    counted = count('memory.mjs', ['--expose-gc', ...nothingIsCollected]) as typeof counted
  }, 60_000)

  it.each([
    ['healthy', 130],
    ['buckets', 450],
    ['calls', 300],
  ] as const)('a breaker of a registry (%s) takes at most %d bytes, key excluded, map included', (name, budget) => {
    expect(counted.perBreaker[name]).toBeGreaterThan(50)
    expect(counted.perBreaker[name]).toBeLessThanOrEqual(budget)
  })

  it.each([
    ['consecutive', 200],
    ['countWindow', 200],
    ['timeWindow', 235],
  ] as const)('a closed call (%s) allocates at most %d bytes more than the thinnest wrapper', (name, budget) => {
    expect(counted.perCall.thinnest).toBeGreaterThan(50)
    expect(counted.perCall[name] - counted.perCall.thinnest).toBeLessThanOrEqual(budget)
  })

  it('a call by permit allocates its permit, a refused one nothing but the numbers it is compared by', () => {
    expect(counted.perCall.permit).toBeLessThanOrEqual(90)
    expect(counted.perCall.refused).toBeLessThanOrEqual(40)
  })
})

describe('what a page or a bundle has to load', () => {
  /** Bytes of what these names need of dist, minified and gzipped. */
  function bytes(names: string, ofFetch = '{}'): number {
    const contents = `export ${names} from './dist/index.js'; export ${ofFetch} from './dist/fetch.js';`
    const { outputFiles } = buildSync({
      stdin: { contents, resolveDir: root },
      bundle: true,
      format: 'esm',
      minify: true,
      target: 'es2022',
      write: false,
    })
    return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
  }

  // The aim is 4.5 kB and 7.5 kB, which checked options, explained errors and every law together do not fit; these keep it from growing.
  it('a breaker with consecutive failures and single probe is at most 8.95 kB', () => {
    expect(bytes('{ CircuitBreaker, consecutiveFailures, singleProbe }')).toBeLessThanOrEqual(8_950)
  })

  it('the whole main entry is at most 11.85 kB', () => {
    expect(bytes('*')).toBeLessThanOrEqual(11_850)
  })

  it('breakerFetch adds at most 3.5 kB to a breaker: it brings no second copy of the core', () => {
    expect(bytes('{ CircuitBreaker }', '{ breakerFetch }')).toBeLessThanOrEqual(bytes('{ CircuitBreaker }') + 3_500)
  })
})
