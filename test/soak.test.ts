import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { soak } from '../bench/soak/run.mjs'
import * as library from '../src/index.js'

// A short soak: real servers in real processes that crash, hang, cut bodies, answer 500 and slow down. Its clock counts
// ticks, so nothing here depends on how fast the machine is. `npm run soak` is the long one.
const short = { seed: 5, hosts: 50, ticks: 160, processes: 2 }

describe('a soak on real sockets', { timeout: 120_000 }, () => {
  it('finds nothing wrong, by the logs of the servers, and is the same story each time it is played', async () => {
    const first = await soak({ library, ...short })
    expect(first.complaints).toEqual([])
    // It is worth something only if much went wrong for the hosts.
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
      import { soak } from './bench/soak/run.mjs';
      const { complaints } = await soak({ library, ...${JSON.stringify(short)} });
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
  const { BreakerRegistry, consecutiveFailures, gradual, probes } = library

  it.each<[wrong: string, broken: object, complaint: RegExp]>([
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
    ['that does not trip', { consecutiveFailures: (n: number) => consecutiveFailures(n * 100) }, /calls failed in a row, .* did not open/],
    [
      'whose ramp is no ramp',
      { gradual: (phases: library.Phase[]) => gradual(phases.map((phase) => ({ ...phase, ratio: 1, successThreshold: 2 }))) },
      /calls were let through .* in a phase of one in four/,
    ],
  ])('notices one %s', async (_, broken, complaint) => {
    const { complaints } = await soak({ library: { ...library, ...broken }, ...short })
    expect(complaints).toContainEqual(expect.stringMatching(complaint))
  })
})
