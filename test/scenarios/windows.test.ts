import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CircuitBreaker, CircuitOpenError, ManualClock, failureRate, probes, type CircuitBreakerOptions, type Transition } from '../../src/index.js'
import { fail, manual, succeed, tripped } from '../support/calls.js'

const windowed = (parameters: Parameters<typeof failureRate>[0], options: CircuitBreakerOptions = {}) => manual({ trip: failureRate(parameters), ...options })

describe('an idle gap (B10)', () => {
  it.each([10_000, 10_001, 20_000, 3_600_000, 2 ** 31, 2 ** 31 * 10_000, 1e15])('of %d ms leaves nothing in a window of ten seconds', (gap) => {
    const { breaker, clock } = windowed({ rate: 0.5, window: { ms: 10_000 }, minimumCalls: 5 })
    fail(breaker, 4)
    clock.advance(gap)
    expect(breaker.snapshot()).toMatchObject({ failures: 0, calls: 0 })
    fail(breaker)
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 1, calls: 1 })
  })

  it('one bucket short of the window leaves everything', () => {
    const { breaker, clock } = windowed({ rate: 0.5, window: { ms: 10_000, buckets: 10 }, minimumCalls: 5 })
    fail(breaker, 4)
    clock.advance(9_000)
    fail(breaker)
    expect(breaker.state).toBe('open')
  })

  it.each([1e9, 2 ** 31 + 0.5, 1e12 + 0.25])('makes no difference to a clock that starts at %d', (start) => {
    const clock = new ManualClock(start)
    const breaker = new CircuitBreaker({ trip: failureRate({ rate: 0.5, window: { ms: 1_000 }, minimumCalls: 3 }), clock })
    fail(breaker, 2)
    clock.advance(5_000)
    fail(breaker, 2)
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', calls: 2 })
    fail(breaker)
    expect(breaker.state).toBe('open')
  })
})

describe('a window of time', () => {
  it('never forgets what is younger than the window less one bucket, nor remembers what is older than the window', () => {
    const event = fc.record({ gap: fc.integer({ min: 0, max: 400 }), failed: fc.boolean() })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.array(event, { maxLength: 80 }), (buckets, events) => {
        const ms = 1_000
        // A rate that is never reached, since only the counts are wanted.
        const { breaker, clock } = windowed({ rate: 1, window: { ms, buckets }, minimumCalls: 1_000 })
        const log: { at: number; failed: boolean }[] = []
        for (const { gap, failed } of events) {
          clock.advance(gap)
          if (failed) fail(breaker)
          else succeed(breaker)
          log.push({ at: clock.now(), failed })
          const { failures, calls } = breaker.snapshot()
          const since = (age: number) => log.filter(({ at }) => clock.now() - at < age)
          const must = since(ms - ms / buckets)
          const may = since(ms)
          expect(calls).toBeGreaterThanOrEqual(must.length)
          expect(calls).toBeLessThanOrEqual(may.length)
          expect(failures).toBeGreaterThanOrEqual(must.filter((entry) => entry.failed).length)
          expect(failures).toBeLessThanOrEqual(may.filter((entry) => entry.failed).length)
          expect(failures).toBeLessThanOrEqual(calls!)
        }
      }),
    )
  })

  it('clears every counter of a bucket that comes round again (B52)', () => {
    const { breaker, clock } = windowed({ rate: 1, slowCallRate: 1, window: { ms: 10_000 }, minimumCalls: 1_000 }, { slowCallDuration: 100 })
    for (let second = 0; second < 60; second++) {
      const permit = breaker.acquire()
      clock.advance(100)
      permit.failure()
      clock.advance(900)
      const { failures, calls, slowCalls } = breaker.snapshot()
      expect(failures).toBe(calls)
      expect(slowCalls).toBe(calls)
      expect(calls).toBeLessThanOrEqual(10)
    }
    for (let second = 0; second < 60; second++) {
      clock.advance(1_000)
      succeed(breaker)
      const { failures, calls, slowCalls } = breaker.snapshot()
      if (second >= 10) expect([failures, slowCalls].every((count) => Object.is(count, 0))).toBe(true)
      expect(failures).toBeLessThanOrEqual(calls!)
      expect(calls).toBeLessThanOrEqual(11)
    }
  })

  it('takes a forward jump of the clock for time gone by, and no longer to work out', () => {
    const { breaker, clock } = windowed({ rate: 0.5, window: { ms: 10 }, minimumCalls: 5 })
    for (let n = 0; n < 1_000; n++) {
      clock.advance(1e12)
      fail(breaker)
      expect(breaker.snapshot()).toMatchObject({ state: 'closed', calls: 1, failures: 1 })
    }
  })

  it('keeps on counting while the clock stands behind (law 2)', () => {
    const { breaker, clock } = windowed({ rate: 0.5, window: { ms: 1_000 }, minimumCalls: 3 })
    clock.advance(1e6)
    fail(breaker)
    clock.advance(-1e6)
    fail(breaker)
    expect(breaker.snapshot()).toMatchObject({ calls: 2 })
    clock.advance(500)
    fail(breaker)
    expect(breaker.state).toBe('open')
  })
})

describe('a window of calls', () => {
  it('is exactly the last calls, for every order of outcomes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(fc.boolean(), { maxLength: 150 }), (size, outcomes) => {
        const { breaker } = windowed({ rate: 1, window: { calls: size }, minimumCalls: size })
        const log: boolean[] = []
        for (const failed of outcomes) {
          if (breaker.state !== 'closed') return
          if (failed) fail(breaker)
          else succeed(breaker)
          log.push(failed)
          const last = log.slice(-size)
          const failures = last.filter(Boolean).length
          if (last.length === size && failures === size) expect(breaker.state).toBe('open')
          else expect(breaker.snapshot()).toMatchObject({ state: 'closed', calls: last.length, failures })
        }
      }),
    )
  })

  it.each([
    [7, 100, 0.07],
    [55, 100, 0.55],
    [7, 25, 0.28],
    [14, 50, 0.28],
    [29, 100, 0.29],
    [57, 100, 0.57],
    [58, 100, 0.58],
    [1, 3, 1 / 3],
    [1, 1, 1],
  ])('trips at %d of %d calls when the rate is %d (B34, law 6)', (failures, calls, rate) => {
    const { breaker } = windowed({ rate, window: { calls } })
    succeed(breaker, calls - failures)
    fail(breaker, failures - 1)
    expect(breaker.state).toBe('closed')
    fail(breaker)
    expect(breaker.state).toBe('open')
  })

  it('trips on the success that completes it, if it is the one that makes it enough (B11, law 6)', () => {
    for (const window of [{ calls: 10 }, { ms: 1_000 }]) {
      const { breaker } = windowed({ rate: 0.5, window, minimumCalls: 5 })
      fail(breaker, 4)
      expect(breaker.state).toBe('closed')
      succeed(breaker)
      expect(breaker.snapshot()).toMatchObject({ state: 'open', reason: 'failure-rate' })
    }
  })

  it('is full before it judges, unless told otherwise (B54)', () => {
    const { breaker } = windowed({ rate: 0.1, window: { calls: 6 } })
    fail(breaker, 5)
    expect(breaker.state).toBe('closed')
    fail(breaker)
    expect(breaker.state).toBe('open')
  })

  it('over time wants ten calls before it judges, unless told otherwise', () => {
    const { breaker } = windowed({ rate: 0.1, window: { ms: 60_000 } })
    fail(breaker, 9)
    expect(breaker.state).toBe('closed')
    fail(breaker)
    expect(breaker.state).toBe('open')
  })
})

describe('calls in flight', () => {
  it('do not dilute a rate: only what settled counts', () => {
    const { breaker } = windowed({ rate: 0.5, window: { ms: 10_000 }, minimumCalls: 4 })
    for (let n = 0; n < 50; n++) breaker.acquire()
    fail(breaker, 3)
    expect(breaker.snapshot()).toMatchObject({ calls: 3, failures: 3 })
    fail(breaker)
    expect(breaker.state).toBe('open')
  })
})

describe('a fresh window (B74)', () => {
  it('has counts that are plain zeros, and JSON without a hole', () => {
    for (const window of [{ calls: 5 }, { ms: 1_000 }]) {
      const { breaker } = windowed({ rate: 0.5, window })
      expect(breaker.snapshot()).toMatchObject({ failures: 0, calls: 0 })
      expect(JSON.stringify(breaker.snapshot())).not.toContain('null')
    }
  })
})

describe('the size of a window (B71)', () => {
  it('is not the size of its traffic: many calls in a window of time are a few numbers', () => {
    const { breaker, clock } = windowed({ rate: 1, window: { ms: 60_000 }, minimumCalls: 1_000_000 })
    succeed(breaker)
    for (let second = 0; second < 60; second++) {
      for (let n = 0; n < 2_000; n++) breaker.acquire().success()
      clock.advance(1_000)
    }
    const { calls } = breaker.snapshot()
    expect(calls).toBeGreaterThanOrEqual(100_000)
    expect(calls).toBeLessThanOrEqual(120_001)
  })

  it('of calls may be large: a million of them are counted exactly', () => {
    const { breaker } = windowed({ rate: 1, window: { calls: 1_000_000 } })
    fail(breaker, 3)
    for (let n = 0; n < 999_999; n++) breaker.acquire().success()
    expect(breaker.snapshot()).toMatchObject({ calls: 1_000_000, failures: 1 })
  })

  it('of calls has an end: what cannot be allocated is refused when made, not at the first call', () => {
    expect(() => new CircuitBreaker({ trip: failureRate({ rate: 1, window: { calls: 2 ** 32 } }), clock: new ManualClock() })).toThrow(RangeError)
  })
})

describe('a call that is refused is no outcome (law 7)', () => {
  const refuse = async (breaker: CircuitBreaker, times: number) => {
    for (let n = 0; n < times; n++) {
      expect(breaker.tryAcquire()).toBeUndefined()
      expect(() => breaker.acquire()).toThrow(CircuitOpenError)
      await expect(breaker.execute(() => 'never called')).rejects.toThrow(CircuitOpenError)
    }
  }

  it('and is in no window: neither while it is refused, nor when the breaker has closed', async () => {
    const { breaker, clock } = windowed({ rate: 0.5, window: { calls: 4 } })
    fail(breaker, 4)
    await refuse(breaker, 20)
    expect(breaker.snapshot()).toMatchObject({ state: 'open', failures: 0, calls: 0, trips: 1 })
    clock.advance(1_000)
    succeed(breaker)
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 0, calls: 0 })
    fail(breaker, 3)
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 3, calls: 3 })
  })

  it('and is in no denominator of a phase: neither its successes nor its failures are shares of what was refused', async () => {
    const { breaker, clock } = tripped({ recovery: probes({ maxConcurrent: 1, successThreshold: 2 }) })
    const events: Transition[] = []
    breaker.observe({ transition: (event) => void events.push(event) })
    clock.advance(1_000)
    for (let n = 0; n < 2; n++) {
      const probe = breaker.acquire()
      await refuse(breaker, 10)
      expect(breaker.snapshot()).toMatchObject({ state: 'half-open', phase: { inFlight: 1, successes: n } })
      probe.success()
    }
    expect(events.at(-1)).toMatchObject({ reason: 'recovered', failures: 0, calls: 2 })
  })
})
