import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CircuitBreaker, ManualClock, failureRate, type FailureRateOptions } from '../../src/index.js'
import { fail, manual, succeed } from '../support/calls.js'
import { tripLaws } from './laws.js'

tripLaws('failureRate by calls', () => failureRate({ rate: 0.5, window: { calls: 10 } }), { failures: 10 })
tripLaws('failureRate by one call', () => failureRate({ rate: 1, window: { calls: 1 } }), { failures: 1 })
tripLaws('failureRate by many calls', () => failureRate({ rate: 0.3, window: { calls: 1_000 }, minimumCalls: 7 }), { failures: 7 })
tripLaws('failureRate by time', () => failureRate({ rate: 0.5, window: { ms: 1_000 }, minimumCalls: 4 }), { failures: 4 })
tripLaws('failureRate by time in one bucket', () => failureRate({ rate: 0.5, window: { ms: 1_000, buckets: 1 }, minimumCalls: 4 }), { failures: 4 })
tripLaws('failureRate by calls, slow ones weighed', () => failureRate({ rate: 0.5, slowCallRate: 0.7, window: { calls: 10 }, minimumCalls: 4 }), {
  failures: 4,
  slowCallDuration: 100,
})
tripLaws('failureRate by time, slow ones weighed', () => failureRate({ rate: 0.5, slowCallRate: 0.7, window: { ms: 1_000 }, minimumCalls: 4 }), {
  failures: 4,
  slowCallDuration: 100,
})

interface Report {
  readonly at: number
  readonly failed: boolean
}

/** A step of the clock, back as well as forth, and how the call ends that is made then. */
const step = fc.record({
  by: fc.oneof({ arbitrary: fc.integer({ min: -300, max: 300 }), weight: 12 }, { arbitrary: fc.constantFrom(0.5, 999, 1_000, 1_001, -1e6, 2 ** 31, 1e15), weight: 1 }),
  failed: fc.boolean(),
})

/** Moves a clock by the steps, and keeps beside it the time that a breaker goes by: that never runs backwards (law 2). */
function walker(clock: ManualClock) {
  let steady = 0
  return (by: number): number => {
    // Numbers of more than 2^53 would not tell one bucket from the next.
    const ms = steady > 2e15 && by > 1e6 ? 2_000 : by
    clock.advance(ms)
    return (steady += Math.max(0, ms))
  }
}

describe('failureRate by time', () => {
  // Divisors of the window, so that a bucket is a round number of milliseconds.
  it.each([1, 2, 4, 8, 10, 20])('agrees with a plain list of reports to within one bucket of %d, whatever the clock does', (buckets) => {
    const ms = 1_000
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = new ManualClock()
        const walk = walker(clock)
        // More calls than will come, since only the counts are wanted.
        const breaker = new CircuitBreaker({ trip: failureRate({ rate: 1, window: { ms, buckets }, minimumCalls: 1e6 }), clock })
        const list: Report[] = []
        for (const { by, failed } of steps) {
          const at = walk(by)
          if (failed) fail(breaker)
          else succeed(breaker)
          list.push({ at, failed })
          const { failures, calls } = breaker.snapshot()
          const younger = (age: number) => list.filter((report) => at - report.at < age)
          const [certain, possible] = [younger(ms - ms / buckets), younger(ms)]
          expectWithin(calls!, certain.length, possible.length)
          expectWithin(failures, failuresOf(certain), failuresOf(possible))
          expect(failures).toBeLessThanOrEqual(calls!)
        }
      }),
    )
  })

  it('opens on what the plain list says at that moment, one bucket more or less', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = new ManualClock()
        const walk = walker(clock)
        const breaker = new CircuitBreaker({ trip: failureRate({ rate: 0.6, window: { ms: 1_000, buckets: 10 }, minimumCalls: 5 }), clock })
        const list: Report[] = []
        for (const { by, failed } of steps) {
          const at = walk(by)
          if (failed) fail(breaker)
          else succeed(breaker)
          list.push({ at, failed })
          // The window began somewhere in the oldest bucket, so what it holds is the end of the list: one of these.
          const [certain, possible] = [900, 1_000].map((age) => list.filter((report) => at - report.at < age).length) as [number, number]
          const opens: boolean[] = []
          for (let size = certain; size <= possible; size++) {
            opens.push(size >= 5 && failuresOf(list.slice(list.length - size)) / size >= 0.6)
          }
          expect(opens).toContain(breaker.state === 'open')
          if (breaker.state === 'open') return
        }
      }),
    )
  })

  it('works out any gap in one step over its ring', () => {
    for (const gap of [999, 1e5, 2 ** 31, 1e12, 1e15, 1e17, 1e300, Number.MAX_VALUE]) {
      const { trip, memory, accesses } = watched({ rate: 1, window: { ms: 1_000, buckets: 10 } })
      trip.failure(memory, false, 0)
      const before = accesses()
      trip.failure(memory, false, gap)
      expect(accesses() - before).toBeLessThanOrEqual(60)
      expect(trip.counts(memory, gap).calls).toBe(gap === 999 ? 2 : 1)
    }
  })

  it.each([-1e15, -1e9, -0.5, 0])('forgets as well by a clock that starts at %d', (start) => {
    const { trip, memory } = watched({ rate: 1, window: { ms: 1_000, buckets: 10 } })
    trip.failure(memory, false, start)
    expect(trip.counts(memory, start + 800).calls).toBe(1)
    trip.failure(memory, false, start + 2_000)
    expect(trip.counts(memory, start + 2_000)).toEqual({ failures: 1, calls: 1 })
  })

  it('counts in the running bucket what comes with an earlier time, so that nothing is lost or negative', () => {
    const trip = failureRate({ rate: 1, window: { ms: 100, buckets: 10 }, minimumCalls: 1e6 })
    const memory = trip.fresh()
    for (const now of [1_000, 400, -5_000, 999, 1_000]) trip.failure(memory, false, now)
    expect(trip.counts(memory, 1_000)).toEqual({ failures: 5, calls: 5 })
    expect(trip.counts(memory, 0)).toEqual({ failures: 5, calls: 5 })
    expect(trip.counts(memory, 1_100)).toEqual({ failures: 0, calls: 0 })
  })
})

describe('failureRate by calls', () => {
  it('is exactly the plain list of its last calls, failures and reason alike', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.double({ min: 0.01, max: 1, noNaN: true }), fc.array(fc.boolean(), { maxLength: 200 }), (size, rate, outcomes) => {
        const trip = failureRate({ rate, window: { calls: size } })
        const memory = trip.fresh()
        outcomes.forEach((failed, n) => {
          if (failed) trip.failure(memory, false, NaN)
          else trip.success(memory, false, NaN)
          const last = outcomes.slice(Math.max(0, n + 1 - size), n + 1)
          const failures = last.filter(Boolean).length
          expect(trip.counts(memory, NaN)).toEqual({ failures, calls: last.length })
          expect(trip.trips(memory, NaN)).toBe(last.length === size && failures / size >= rate ? 'failure-rate' : undefined)
        })
      }),
    )
  })

  it('touches as little for a window of 100,000 as for one of 10', () => {
    const touched = [10, 100_000].map((calls) => {
      const { trip, memory, accesses } = watched({ rate: 1, window: { calls }, minimumCalls: 1 })
      const most = { push: 0, ask: 0 }
      // Twice round, so that the ring is full and every place is used again.
      for (let n = 0; n < 2 * calls; n++) {
        const before = accesses()
        if (n % 3 === 0) trip.failure(memory, false, NaN)
        else trip.success(memory, false, NaN)
        const pushed = accesses()
        trip.trips(memory, NaN)
        most.push = Math.max(most.push, pushed - before)
        most.ask = Math.max(most.ask, accesses() - pushed)
      }
      return most
    })
    expect(touched[1]).toEqual(touched[0])
    expect(touched[0]!.push).toBeGreaterThan(0)
  })
})

describe('failureRate with slow calls', () => {
  const weighing = { slowCallDuration: 100, trip: failureRate({ rate: 0.5, slowCallRate: 0.5, window: { calls: 4 } }) }

  it('gives two reasons that one call reaches in one event (law 16)', () => {
    const { breaker, clock } = manual(weighing)
    const reasons: string[] = []
    breaker.observe({ transition: ({ reason }) => void reasons.push(reason) })
    succeed(breaker, 2)
    const hanging = [breaker.acquire(), breaker.acquire()]
    hanging[0]!.failure()
    clock.advance(99)
    expect(breaker.state).toBe('closed')
    hanging[1]!.failure()
    expect(reasons).toEqual(['failure-rate'])

    const both = manual({ ...weighing, trip: failureRate({ rate: 0.25, slowCallRate: 0.25, window: { calls: 4 }, minimumCalls: 4 }) })
    both.breaker.observe({ transition: ({ reason }) => void reasons.push(reason) })
    const slow = both.breaker.acquire()
    both.clock.advance(100)
    succeed(both.breaker, 2)
    // Known to be slow: three paced calls, two settled ones. Its failure, and one more success, fill both windows at once.
    slow.failure()
    expect(both.breaker.state).toBe('closed')
    succeed(both.breaker)
    expect(reasons.slice(1)).toEqual(['failure-rate+slow-call-rate'])
  })

  it('weighs slow calls against slow and settled fast ones, failures against settled ones', () => {
    const { breaker, clock } = manual({ slowCallDuration: 100, trip: failureRate({ rate: 1, slowCallRate: 1, window: { calls: 100 } }) })
    const hanging = Array.from({ length: 5 }, () => breaker.acquire())
    clock.advance(100)
    succeed(breaker, 3)
    expect(breaker.snapshot()).toMatchObject({ failures: 0, calls: 3, slowCalls: 5 })
    hanging[0]!.failure()
    hanging[1]!.success()
    expect(breaker.snapshot()).toMatchObject({ failures: 1, calls: 5, slowCalls: 5 })
  })
})

describe('failureRate refuses what has no right meaning (law 18):', () => {
  const calls = { calls: 10 }
  it.each<[string, unknown, RegExp]>([
    ['a rate of 0', { rate: 0, window: calls }, /rate: expected a number above 0 and at most 1, got 0/],
    ['a rate of 1.01', { rate: 1.01, window: calls }, /rate: .*got 1\.01/],
    ['a rate in per cent', { rate: 50, window: calls }, /rate: .*got 50.*0\.5/],
    ['a rate of NaN', { rate: NaN, window: calls }, /rate: .*got NaN/],
    ['no rate', { window: calls }, /rate: .*got undefined/],
    ['a slow rate in per cent', { rate: 1, slowCallRate: 80, window: calls }, /slowCallRate: .*got 80.*0\.8/],
    ['a slow rate of 0', { rate: 1, slowCallRate: 0, window: calls }, /slowCallRate: .*got 0/],
    ['no window', { rate: 1 }, /window: expected an object, got undefined/],
    ['an empty window', { rate: 1, window: {} }, /window/],
    ['a window of both', { rate: 1, window: { calls: 5, ms: 5 } }, /window: expected either calls or ms, got both/],
    ['a window that is a number', { rate: 1, window: 10 }, /window: expected an object, got 10/],
    ['a window of no calls', { rate: 1, window: { calls: 0 } }, /window\.calls: .*at least 1, got 0/],
    ['a window of 2^32 calls', { rate: 1, window: { calls: 2 ** 32 } }, /window\.calls: .*got 4294967296/],
    ['a window of half a call', { rate: 1, window: { calls: 1.5 } }, /window\.calls: .*got 1\.5/],
    ['a window of no time', { rate: 1, window: { ms: 0 } }, /window\.ms: .*above 0, got 0/],
    ['a window of all time', { rate: 1, window: { ms: Infinity } }, /window\.ms: .*got Infinity/],
    ['buckets that no memory holds', { rate: 1, window: { ms: 2 ** 33, buckets: 2 ** 32 } }, /window\.buckets: .*got 4294967296/],
    ['no buckets', { rate: 1, window: { ms: 10, buckets: 0 } }, /window\.buckets: .*at least 1, got 0/],
    ['half a bucket', { rate: 1, window: { ms: 10, buckets: 0.5 } }, /window\.buckets: .*got 0\.5/],
    ['more buckets than milliseconds', { rate: 1, window: { ms: 10, buckets: 11 } }, /window\.buckets: expected at most window\.ms \(10\), got 11/],
    ['more minimum calls than the window holds', { rate: 1, window: calls, minimumCalls: 11 }, /minimumCalls: expected at most window\.calls \(10\), got 11/],
    ['minimum calls of 0', { rate: 1, window: calls, minimumCalls: 0 }, /minimumCalls: .*got 0/],
    ['minimum calls of null', { rate: 1, window: calls, minimumCalls: null }, /minimumCalls: .*got null/],
    ['an unknown option', { rate: 1, window: calls, minimumCall: 5 }, /unknown option "minimumCall"; did you mean minimumCalls\?/],
    ['the option of another library', { threshold: 0.5, window: calls }, /unknown option "threshold"; did you mean rate\?/],
    ['nothing', undefined, /failureRate: expected an object, got undefined/],
  ])('%s', (_, options, message) => {
    expect(() => failureRate(options as FailureRateOptions)).toThrow(message)
  })

  it.each([
    { rate: 1, window: { calls: 1 } },
    { rate: Number.MIN_VALUE, window: { calls: 2 ** 24 } },
    { rate: 1, window: { ms: 0.5, buckets: undefined }, minimumCalls: undefined, slowCallRate: undefined },
    { rate: 0.5, window: { ms: 1, buckets: 1 } },
  ])('but not %o', (options) => {
    expect(failureRate(options as FailureRateOptions).trips).toBeTypeOf('function')
  })
})

function failuresOf(reports: readonly Report[]): number {
  return reports.filter(({ failed }) => failed).length
}

function expectWithin(value: number, least: number, most: number): void {
  expect(value).toBeGreaterThanOrEqual(least)
  expect(value).toBeLessThanOrEqual(most)
}

/** A trip whose memory is made with an `Array` that counts how often its elements are read or written. */
function watched(options: FailureRateOptions) {
  const trip = failureRate(options)
  let count = 0
  const seen = (key: string | symbol) => {
    if (typeof key !== 'string' || !/^\d+$/.test(key)) return
    // Sooner than a test that never ends.
    if (++count > 3_000_000) throw new Error('the memory is gone over again and again')
  }
  const counting = <T extends object>(array: T): T =>
    new Proxy(array, {
      get: (target, key, receiver) => (seen(key), Reflect.get(target, key, receiver) as unknown),
      set: (target, key, value, receiver) => (seen(key), Reflect.set(target, key, value, receiver)),
    })
  const Plain = Array
  let memory: unknown
  try {
    globalThis.Array = new Proxy(Plain, { construct: (target, args, self) => counting(Reflect.construct(target, args, self) as object) })
    memory = trip.fresh()
  } finally {
    globalThis.Array = Plain
  }
  if (count === 0) throw new Error('the memory was not made with an Array, so nothing would be counted')
  return { trip, memory, accesses: () => count }
}
