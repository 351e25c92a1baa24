import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CircuitBreaker, ManualClock, consecutiveFailures, failureRate, gradual } from '../../src/index.js'
import { fail, manual, succeed, tripped } from '../support/calls.js'

describe('waiting exactly as long as one is told (law 1)', () => {
  const positive = fc.double({ min: 0.001, max: 1e7, noNaN: true })

  it('admits a probe after an outage, whatever the floating point', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), positive, fc.array(positive, { maxLength: 4 }), (start, wait, parts) => {
        const clock = new ManualClock(start)
        const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: wait, clock })
        fail(breaker)
        for (const part of parts) clock.advance((wait * part) / 1e8)
        clock.advance(breaker.retryAfterMs)
        expect(breaker.retryAfterMs).toBe(0)
        expect(breaker.tryAcquire()).toBeDefined()
      }),
    )
  })

  it('takes over the place of a probe that hangs', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), positive, positive, (start, probeTimeout, part) => {
        const clock = new ManualClock(start)
        const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 0, probeTimeout, clock })
        fail(breaker)
        breaker.acquire()
        clock.advance((probeTimeout * part) / 1e8)
        clock.advance(breaker.retryAfterMs)
        expect(breaker.tryAcquire()).toBeDefined()
      }),
    )
  })

  it('is admitted by the gap of a ramp', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), positive, positive, (start, maxGap, part) => {
        const clock = new ManualClock(start)
        const recovery = gradual([{ ratio: 0.001, successThreshold: 5, maxGap }])
        const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 0, recovery, clock })
        fail(breaker)
        succeed(breaker)
        clock.advance((maxGap * part) / 1e8)
        clock.advance(breaker.retryAfterMs)
        expect(breaker.tryAcquire()).toBeDefined()
      }),
    )
  })

  it('is admitted after a clock stepped back by any amount', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), positive, fc.double({ min: 0, max: 1e10, noNaN: true }), (start, wait, back) => {
        const clock = new ManualClock(start)
        const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: wait, clock })
        fail(breaker)
        clock.advance(-back)
        const told = breaker.retryAfterMs
        // Where doubles are coarse, as much longer as the next of them.
        expect(told).toBeLessThanOrEqual(wait + 1e-4)
        clock.advance(told)
        expect(breaker.tryAcquire()).toBeDefined()
      }),
    )
  })
})

describe('a clock that steps back (B09, law 2)', () => {
  it('never makes an outage longer, step upon step', () => {
    const { breaker, clock } = tripped()
    for (let n = 0; n < 9; n++) {
      clock.advance(100)
      expect(breaker.canExecute).toBe(false)
      clock.advance(-1e6)
      expect(breaker.canExecute).toBe(false)
    }
    clock.advance(100)
    expect(breaker.canExecute).toBe(true)
  })

  it('counts on from the last reading: what nobody read has not passed, and what passes after the step has', () => {
    const { breaker, clock } = tripped()
    clock.advance(100)
    expect(breaker.snapshot().at).toBe(100)
    clock.advance(500)
    clock.advance(-10_000)
    expect(breaker.snapshot().at).toBe(100)
    clock.advance(250)
    expect(breaker.snapshot().at).toBe(350)
    clock.advance(20_000)
    expect(breaker.snapshot().at).toBe(20_350)
  })

  it('gives a window no negative age', () => {
    const { breaker, clock } = manual({ trip: failureRate({ rate: 0.5, window: { ms: 1_000 }, minimumCalls: 3 }) })
    for (let n = 0; n < 2; n++) {
      fail(breaker)
      clock.advance(-5_000)
    }
    expect(breaker.snapshot()).toMatchObject({ calls: 2, failures: 2 })
  })

  it('makes no call in flight younger: one that hangs is still seen', () => {
    const { breaker, clock } = manual({ slowCallDuration: 100 })
    breaker.acquire()
    clock.advance(-1e6)
    breaker.snapshot()
    clock.advance(100)
    expect(breaker.tryAcquire()).toBeUndefined()
    expect(breaker.state).toBe('open')
  })

  it('and forward costs one early probe at most', () => {
    const { breaker, clock } = tripped({ recoveryTimeout: 60_000 })
    clock.advance(1e9)
    const probe = breaker.tryAcquire()
    expect(probe).toBeDefined()
    expect(breaker.tryAcquire()).toBeUndefined()
    probe!.failure()
    expect(breaker.retryAfterMs).toBe(60_000)
    clock.advance(-1e9)
    expect(breaker.retryAfterMs).toBe(60_000)
    clock.advance(60_000)
    expect(breaker.canExecute).toBe(true)
  })
})

describe('a clock that is broken (law 2)', () => {
  it.each([NaN, Infinity, -Infinity, undefined, null, '5', {}, 5n])('gives the last good reading when it says %o', (nonsense) => {
    let reading: unknown = 100
    const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 1_000, clock: { now: () => reading as number } })
    fail(breaker)
    reading = nonsense
    expect(breaker.snapshot()).toMatchObject({ state: 'open', at: 100, retryAfterMs: 1_000 })
    expect(breaker.tryAcquire()).toBeUndefined()
    reading = 1_100
    expect(breaker.tryAcquire()).toBeDefined()
  })

  it('gives the last good reading when it throws', () => {
    let isBroken = false
    const clock = {
      now: () => {
        if (isBroken) throw new Error('no time')
        return 100
      },
    }
    const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 1_000, clock })
    isBroken = true
    fail(breaker)
    expect(breaker.snapshot()).toMatchObject({ state: 'open', at: 100, trippedAt: 100, retryAfterMs: 1_000 })
  })

  it('is refused when made, where it can be known (law 18)', () => {
    expect(() => new CircuitBreaker({ clock: { now: () => NaN } })).toThrow(/clock/)
    expect(() => new CircuitBreaker({ clock: { now: () => 'soon' as unknown as number } })).toThrow(/clock/)
  })
})

describe('the clock is read as seldom as can be (law 1)', () => {
  function counting() {
    let reads = 0
    const clock = { now: () => (reads++, 5) }
    return { clock, readsOf: (act: () => unknown) => ((reads = 0), act(), reads) }
  }

  it('once when made, and never on the closed path of a trip that needs no time', () => {
    const { clock, readsOf } = counting()
    let breaker!: CircuitBreaker
    expect(readsOf(() => (breaker = new CircuitBreaker({ failureThreshold: 5, clock })))).toBe(1)
    expect(readsOf(() => succeed(breaker, 10))).toBe(0)
    expect(readsOf(() => fail(breaker, 4))).toBe(0)
    expect(readsOf(() => void breaker.execute(() => 1))).toBe(0)
    expect(readsOf(() => breaker.state)).toBe(0)
    expect(readsOf(() => breaker.canExecute)).toBe(0)
  })

  it('at most once for each operation, in every other state', () => {
    const { clock, readsOf } = counting()
    const breaker = new CircuitBreaker({ trip: consecutiveFailures(1), recoveryTimeout: 0, clock })
    expect(readsOf(() => fail(breaker))).toBeLessThanOrEqual(1)
    expect(readsOf(() => breaker.snapshot())).toBe(1)
    let permit = breaker.tryAcquire()
    expect(readsOf(() => permit!.ignore())).toBeLessThanOrEqual(1)
    expect(readsOf(() => (permit = breaker.tryAcquire()))).toBe(1)
    expect(readsOf(() => breaker.tryAcquire())).toBe(1)
    expect(readsOf(() => permit!.failure())).toBe(1)
  })

  it('at most twice for a call of a window of time or with slow calls', () => {
    for (const options of [{ trip: failureRate({ rate: 0.5, window: { ms: 1_000 } }) }, { slowCallDuration: 100 }]) {
      const { clock, readsOf } = counting()
      const breaker = new CircuitBreaker({ ...options, clock })
      expect(readsOf(() => succeed(breaker))).toBeLessThanOrEqual(2)
      expect(readsOf(() => fail(breaker))).toBeLessThanOrEqual(2)
    }
  })
})

describe('the default clock (law 3)', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('follows the fake timers of a test that were set after the breaker was made', () => {
    const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 1_000 })
    vi.useFakeTimers({ toFake: ['performance'], now: 1e9 })
    fail(breaker)
    expect(breaker.canExecute).toBe(false)
    vi.advanceTimersByTime(1_000)
    expect(breaker.canExecute).toBe(true)
  })
})
