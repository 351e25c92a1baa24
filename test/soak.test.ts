import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Heap } from '../bench/soak/heap.mjs'
import { soak } from '../bench/soak/run.mjs'
import { breakerFetch } from '../src/adapters/fetch.js'
import * as core from '../src/index.js'

// A short soak: real servers in real processes that crash, hang, cut bodies, answer 500 and slow down. Its clock counts
// ticks, so nothing here depends on how fast the machine is. `npm run soak` is the long one.
const library = { ...core, breakerFetch }
const short = { seed: 37, hosts: 50, ticks: 160, processes: 2 }

describe('a soak on real sockets', { timeout: 120_000 }, () => {
  it('finds nothing wrong, by the logs of the servers, and is the same story each time it is played', async () => {
    const first = await soak({ library, ...short })
    expect(first.complaints).toEqual([])
    // It is worth something only if much went wrong for the hosts.
    expect(first.counts.crashes).toBeGreaterThan(0)
    expect(first.counts.opened).toBeGreaterThan(30)
    expect(first.counts.closed).toBeGreaterThan(15)
    expect(first.counts.refused).toBeGreaterThan(100)
    expect(first.counts.ignored).toBeGreaterThan(0)
    expect(first.counts.forgotten).toBeGreaterThan(10)
    const { calls, ok, failed, refused, ignored, forgotten, arrived } = first.counts
    expect(ok + failed + refused + ignored + forgotten).toBe(calls)
    expect(arrived).toBeGreaterThan(ok)
    expect(arrived).toBeLessThanOrEqual(calls - refused)

    const second = await soak({ library, ...short })
    expect([second.complaints, second.story, second.outcome]).toEqual([[], first.story, first.outcome])
    // All but one figure: a call that is given up may or may not have arrived before.
    expect({ ...second.counts, arrived }).toEqual(first.counts)
  })

  it('leaves a process that ends by itself', async () => {
    const program = `
      import * as library from 'lazybreaker';
      import { breakerFetch } from 'lazybreaker/fetch';
      import { soak } from './bench/soak/run.mjs';
      const { complaints } = await soak({ library: { ...library, breakerFetch }, ...${JSON.stringify(short)} });
      console.log(JSON.stringify(complaints));`
    const root = fileURLToPath(new URL('..', import.meta.url))
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number]
    expect(said.trim()).toBe('[]')
    expect(code).toBe(0)
  })
})

// A check that cannot fail proves nothing: each of these libraries is broken in one way, and the soak has to say so.
describe('a soak of a broken library', { timeout: 120_000 }, () => {
  const { BreakerRegistry, consecutiveFailures, failureRate, gradual, probes } = core
  const begun: NodeJS.Timeout[] = []
  const others = process.rawListeners('unhandledRejection') as NodeJS.UnhandledRejectionListener[]
  // One of them leaves a rejection on purpose, which Vitest must not take for its own.
  beforeEach(() => void process.removeAllListeners('unhandledRejection'))
  afterEach(() => {
    for (const timer of begun.splice(0)) clearInterval(timer)
    for (const listener of others) process.on('unhandledRejection', listener)
  })

  it.each<[wrong: string, broken: object, complaint: RegExp, ticks?: number]>([
    [
      'that makes a refused call all the same',
      {
        BreakerRegistry: class extends BreakerRegistry<string> {
          override async execute<T>(key: string, fn: () => T): Promise<Awaited<T>> {
            const breaker = this.for(key)
            return breaker.canExecute ? super.execute(key, fn) : await fn()
          }
        },
      },
      /call \d+ reached the server at \d+ ms, while its breaker was open/,
    ],
    ['that lets too many probes through', { singleProbe: () => probes({ maxConcurrent: 9, successThreshold: 2 }) }, /had [2-9] probes at once .* its limit is 1/],
    ['that never closes', { singleProbe: () => probes({ maxConcurrent: 1, successThreshold: 1_000_000 }) }, /recovered, and its breaker is half-open/],
    ['that comes back at once', { exponentialBackoff: () => () => 0 }, /opened at \d+ ms for 0 ms, and should have for \d+/],
    ['that does not trip', { consecutiveFailures: (n: number) => consecutiveFailures(n * 100) }, /it knew at \d+ ms of .*a failure at \d+ ms, and did not open/],
    ['that trips too soon', { consecutiveFailures: () => consecutiveFailures(1) }, /it opened at \d+ ms \(told at \d+ ms\), after a failure at \d+ ms$/],
    [
      'in which no rate of failures trips',
      { failureRate: () => failureRate({ rate: 1, window: { calls: 10_000 } }) },
      /it knew at \d+ ms of .*a failure at \d+ ms, and did not open/,
    ],
    [
      'in which a lower rate of failures trips',
      { failureRate: (options: core.FailureRateOptions) => failureRate({ ...options, rate: 0.1 }) },
      /it opened at \d+ ms .*, after .*a success at \d+ ms, a failure at \d+ ms$/,
    ],
    [
      'whose window of time forgets too soon',
      { failureRate: (options: core.FailureRateOptions) => failureRate({ ...options, ...('ms' in options.window && { window: { ms: 200 } }) }) },
      /it knew at \d+ ms of .*, and did not open/,
    ],
    [
      'whose window of calls forgets nothing',
      { failureRate: (options: core.FailureRateOptions) => failureRate({ ...options, ...('calls' in options.window && { window: { calls: 1_000 } }) }) },
      /it knew at \d+ ms of .*, and did not open/,
    ],
    [
      'that does not see what hangs',
      {
        BreakerRegistry: class extends BreakerRegistry<string> {
          constructor({ configure, ...options }: core.BreakerRegistryOptions) {
            super({ ...options, configure: (key) => ({ ...configure?.(key), slowCallDuration: undefined }) })
          }
        },
      },
      /it knew at \d+ ms of .*a failure at \d+ ms, and did not open/,
    ],
    [
      'whose ramp is no ramp',
      { gradual: (phases: core.Phase[]) => gradual(phases.map((phase) => ({ ...phase, ratio: 1, successThreshold: 2 }))) },
      /calls were let through .* in a phase of one in four/,
    ],
    ['whose fetch is deaf to Retry-After', { breakerFetch: fetchWithout('retryAfter') }, /asked with call \d+ to be left alone, and the breaker did not open/],
    ['whose fetch takes half a body for an answer', { breakerFetch: fetchWithout('body') }, /did not open|without a probe that failed|probes that succeeded/],
    [
      'that keeps timers',
      {
        // More than one, because Vitest may end one of its own meanwhile.
        BreakerRegistry: class extends BreakerRegistry<string> {
          timers = void begun.push(setInterval(() => {}, 60_000), setInterval(() => {}, 60_000), setInterval(() => {}, 60_000))
        },
      },
      /left behind: Timeout/,
      20,
    ],
    [
      'that rejects where nobody listens',
      {
        BreakerRegistry: class extends BreakerRegistry<string> {
          stray = void Promise.reject(new Error('stray'))
        },
      },
      /unhandled rejection: Error: stray/,
      20,
    ],
  ])('notices one %s', async (_, broken, complaint, ticks = short.ticks) => {
    const { complaints, logs } = await soak({ library: { ...library, ...broken }, ...short, ticks })
    rmSync(logs, { recursive: true, force: true })
    expect(complaints).toContainEqual(expect.stringMatching(complaint))
  })

  /** A fetch that is not told one of its options. */
  function fetchWithout(name: string) {
    return (guards: core.RegistryLike, options: object) => breakerFetch(guards, { ...options, [name]: undefined })
  }
})

describe('the heap of a soak', () => {
  /** What is said of a heap of so many bytes, at each of so many moments. */
  function saidOf(bytesAt: (at: number) => number, moments = 60) {
    let at = 0
    const heap = new Heap(() => bytesAt(at))
    for (let moment = 0; moment < moments; moment++) heap.sample((at = moment / moments))
    return { complaints: heap.complaints(), summary: heap.toString() }
  }

  it('may swing, and may grow while it warms up', () => {
    const swinging = (at: number) => (at < 1 / 3 ? 5e6 + 15e6 * at : 10e6) * (1 + Math.sin(at * 100) / 10)
    expect(saidOf(swinging).complaints).toEqual([])
  })

  it('must not grow on and on', () => {
    const { complaints, summary } = saidOf((at) => 10e6 * (1 + at / 5))
    expect(complaints).toEqual(['the heap grew by 6.1 % after the warm-up'])
    expect(summary).toMatch(/^1\d\.\d\d MB in the second third, 1\d\.\d\d MB in the last$/)
  })

  it('that was not measured, or not for long, is said to be so', () => {
    expect(saidOf((at) => 10e6 * (1 + at), 20)).toMatchObject({ complaints: [], summary: expect.stringContaining('not measured') })
    const blind = new Heap(() => undefined)
    for (let moment = 0; moment < 60; moment++) blind.sample(moment / 60)
    expect([blind.complaints(), blind.toString()]).toEqual([[], expect.stringContaining('not measured')])
  })
})
