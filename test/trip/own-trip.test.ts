import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CircuitBreaker, ManualClock, anyOf, consecutiveFailures, type Trip } from '../../src/index.js'
import { unhandledDuring } from '../support/calls.js'
import { decayingRate } from './decaying-rate.snippet.js'
import { tripLaws, type AnyTrip } from './laws.js'

tripLaws('a trip of one’s own, the decaying rate', () => decayingRate(0.5), { failures: 7 })
tripLaws('a trip of one’s own beside one of ours', () => anyOf(decayingRate(0.5), consecutiveFailures(5)), { failures: 5 })

describe('the decaying rate', () => {
  it('opens when recent calls fail, though most of the older ones went well', () => {
    const breaker = new CircuitBreaker({ trip: decayingRate(0.5), clock: new ManualClock() })
    for (let n = 0; n < 1_000; n++) breaker.acquire().success()
    for (let n = 0; n < 6; n++) breaker.acquire().failure()
    expect(breaker.state).toBe('closed')
    breaker.acquire().failure()
    expect(breaker.snapshot()).toMatchObject({ state: 'open', reason: 'decaying-rate' })
  })
})

const good = consecutiveFailures(3)
const methods = ['fresh', 'success', 'failure', 'trips', 'counts', 'slow'] as const

const misdeeds: Record<string, () => unknown> = {
  throws: () => {
    throw new Error('a broken trip')
  },
  'throws undefined': () => {
    throw undefined
  },
  'returns undefined': () => undefined,
  'returns null': () => null,
  'returns NaN': () => NaN,
  'returns a BigInt': () => 5n,
  'returns a symbol': () => Symbol('nonsense'),
  'returns an object': () => ({ failures: -1, calls: NaN, slowCalls: '5' }),
  'returns a promise': () => Promise.resolve(1),
  'returns what throws when looked at': () =>
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('do not look')
        },
      },
    ),
}

describe.each(Object.entries(misdeeds))('a trip that %s (law 17)', (_, misdeed) => {
  beforeEach(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => {}))
  afterEach(() => void vi.restoreAllMocks())

  it.each(methods)('in %s() takes no caller’s result away, and leaves the breaker usable', async (method) => {
    for (const since of [0, 3]) {
      let asked = 0
      const bad = (...args: unknown[]): unknown => (++asked > since ? misdeed() : Reflect.apply((good as AnyTrip)[method] ?? ((memory: unknown) => memory), good, args))
      const trip: AnyTrip = { ...good, ...(method === 'slow' && { slow: bad }), ...(method !== 'slow' && { [method]: bad }) }
      const clock = new ManualClock()
      const breaker = new CircuitBreaker({ trip, slowCallDuration: 1_000, recoveryTimeout: 100, clock })
      const heard: string[] = []
      breaker.observe({ transition: ({ from, to }) => void heard.push(`${from}>${to}`), settled: () => {}, rejected: () => {} })
      const unhandled = await unhandledDuring(async () => {
        for (let call = 0; call < 12; call++) {
          const own = new Error('its own')
          const permit = breaker.tryAcquire()
          const answer: unknown = await breaker
            .execute(() => {
              if (call % 2 === 1) throw own
              return call
            })
            .catch((error: unknown) => error)
          if (breaker.state === 'closed') expect(answer).toBe(call % 2 === 1 ? own : call)
          clock.advance(call % 4 === 0 ? 1_000 : 10)
          permit?.failure(own)
          expectSound(breaker)
        }
      })
      expect(unhandled).toEqual([])
      const broken = heard.slice(1).filter((step, index) => step.split('>')[0] !== heard[index]!.split('>')[1])
      expect(broken).toEqual([])
      // By hand it opens and closes as ever, and a failure may say for how long.
      breaker.reset()
      breaker.acquire().failure(undefined, { openFor: 500 })
      expect(breaker.snapshot()).toMatchObject({ state: 'open', reason: 'open-for' })
      clock.advance(500)
      breaker.acquire().success()
      expect(breaker.state).toBe('closed')
      expect(await breaker.execute(() => 'served')).toBe('served')
    }
  })
})

describe('a trip of one’s own', () => {
  it('whose reports reject is no unhandled rejection (law 17)', async () => {
    const unhandled = await unhandledDuring(async () => {
      for (const method of ['fresh', 'success', 'failure', 'trips', 'counts'] as const) {
        const trip: AnyTrip = { ...good, [method]: async () => Promise.reject(new Error(`${method} rejects`)) }
        const breaker = new CircuitBreaker({ trip, clock: new ManualClock() })
        expect(await breaker.execute(() => 'served')).toBe('served')
        breaker.acquire().failure()
        expectSound(breaker)
      }
    })
    expect(unhandled).toEqual([])
  })

  it('gets the memory back that it gave, be it a number, an object or nothing', () => {
    for (const memory of [1, 'text', { any: 'thing' }, Symbol('memory')]) {
      const seen: unknown[] = []
      const trip: Trip<unknown> = {
        needsTime: false,
        fresh: () => 'fresh',
        success: (before) => (seen.push(before), memory),
        failure: (before) => before,
        trips: () => undefined,
        counts: () => ({ failures: 0 }),
      }
      const breaker = new CircuitBreaker({ trip, clock: new ManualClock() })
      breaker.acquire().success()
      breaker.acquire().success()
      expect(seen).toEqual(['fresh', memory])
    }
  })

  it('that needs no time is told none, and one that does is told the breaker’s (law 1)', () => {
    const times: number[] = []
    const noting = (needsTime: boolean): Trip<number> => ({
      needsTime,
      fresh: () => 0,
      success: (memory, _slow, now) => (times.push(now), memory),
      failure: (memory, _slow, now) => (times.push(now), memory),
      trips: () => undefined,
      counts: () => ({ failures: 0 }),
    })
    const clock = new ManualClock(50)
    new CircuitBreaker({ trip: noting(false), clock }).acquire().success()
    const timed = new CircuitBreaker({ trip: noting(true), clock })
    clock.advance(25)
    timed.acquire().failure()
    expect(times).toEqual([NaN, 75])
  })

  it.each(['needsTime', 'fresh', 'success', 'failure', 'trips', 'counts'] as const)('without %s is refused by name when the breaker is made (law 18)', (member) => {
    const trip = { ...good, [member]: undefined } as unknown as AnyTrip
    expect(() => new CircuitBreaker({ trip })).toThrow(new RegExp(`trip\\.${member}: expected`))
  })

  it.each([null, 5, 'count', () => 1, consecutiveFailures])('%s is none (law 18)', (trip) => {
    expect(() => new CircuitBreaker({ trip: trip as unknown as AnyTrip })).toThrow(/trip/)
  })
})

/** All readers agree, and what they say is numbers. */
function expectSound(breaker: CircuitBreaker): void {
  const snapshot = breaker.snapshot()
  expect(breaker.state).toBe(snapshot.state)
  expect(breaker.retryAfterMs).toBe(snapshot.retryAfterMs)
  expect(breaker.canExecute).toBe(snapshot.retryAfterMs === 0)
  const { failures, calls = 0, slowCalls = 0, trips } = snapshot
  for (const count of [failures, calls, slowCalls, trips]) expect(Number.isFinite(count) && count >= 0).toBe(true)
  expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
}
