import { describe, expect, it } from 'vitest'
import { CircuitBreaker, ManualClock, anyOf, consecutiveFailures, failureRate, type Trip } from '../../src/index.js'
import { fail, manual, succeed } from '../support/calls.js'
import { tripLaws } from './laws.js'

const rateOfCalls = () => failureRate({ rate: 0.5, window: { calls: 10 }, minimumCalls: 4 })
const weighing = () => failureRate({ rate: 1, slowCallRate: 0.5, window: { calls: 10 }, minimumCalls: 4 })

tripLaws('anyOf one', () => anyOf(consecutiveFailures(3)), { failures: 3 })
tripLaws('anyOf a run and a rate', () => anyOf(consecutiveFailures(8), rateOfCalls()), { failures: 4 })
tripLaws('anyOf a run and a rate over time', () => anyOf(consecutiveFailures(3), failureRate({ rate: 0.5, window: { ms: 1_000 } })), { failures: 3 })
tripLaws('anyOf with one that weighs slow calls', () => anyOf(consecutiveFailures(3), weighing()), { failures: 3, slowCallDuration: 100 })
tripLaws('anyOf within anyOf', () => anyOf(anyOf(consecutiveFailures(9), rateOfCalls()), anyOf(consecutiveFailures(5))), { failures: 4 })

/** Each reason that a breaker opens for. */
function reasonsOf(breaker: CircuitBreaker): string[] {
  const reasons: string[] = []
  breaker.observe({ transition: ({ reason }) => void reasons.push(reason) })
  return reasons
}

describe('anyOf', () => {
  it('opens when the first of its trips would', () => {
    const trip = () => anyOf(consecutiveFailures(3), failureRate({ rate: 0.5, window: { calls: 10 } }))
    const run = manual({ trip: trip() }).breaker
    fail(run, 3)
    expect(run.snapshot()).toMatchObject({ state: 'open', reason: 'consecutive-failures' })
    const share = manual({ trip: trip() }).breaker
    for (let n = 0; n < 5; n++) {
      expect(share.state).toBe('closed')
      fail(share)
      succeed(share)
    }
    expect(share.snapshot()).toMatchObject({ state: 'open', reason: 'failure-rate' })
  })

  it('names both of two reasons that one call gives, in one event (law 16)', () => {
    const { breaker } = manual({ trip: anyOf(consecutiveFailures(4), rateOfCalls()) })
    const reasons = reasonsOf(breaker)
    fail(breaker, 4)
    expect(reasons).toEqual(['consecutive-failures+failure-rate'])
  })

  it('names a reason once that several give', () => {
    const { breaker } = manual({ trip: anyOf(consecutiveFailures(2), consecutiveFailures(1), anyOf(consecutiveFailures(1), rateOfCalls())) })
    const reasons = reasonsOf(breaker)
    fail(breaker)
    expect(reasons).toEqual(['consecutive-failures'])
  })

  it('leaves slowness to the member that weighs it: the others see how calls settle', () => {
    const { breaker, clock } = manual({ trip: anyOf(consecutiveFailures(2), weighing()), slowCallDuration: 100 })
    for (let n = 0; n < 3; n++) {
      const permit = breaker.acquire()
      clock.advance(100)
      permit.success()
    }
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 0, calls: 3, slowCalls: 3 })
    breaker.acquire()
    clock.advance(100)
    breaker.tryAcquire()
    expect(breaker.snapshot()).toMatchObject({ state: 'open', reason: 'slow-call-rate' })
  })

  it('takes a slow call for a failure if no member weighs it', () => {
    const { breaker, clock } = manual({ trip: anyOf(consecutiveFailures(2), rateOfCalls()), slowCallDuration: 100 })
    for (let n = 0; n < 2; n++) breaker.acquire()
    clock.advance(100)
    breaker.tryAcquire()
    expect(breaker.snapshot()).toMatchObject({ state: 'open', reason: 'consecutive-failures' })
  })

  it('needs the time if one of its members does, and only then', () => {
    expect(anyOf(consecutiveFailures(1), rateOfCalls()).needsTime).toBe(false)
    expect(anyOf(consecutiveFailures(1), failureRate({ rate: 1, window: { ms: 10 } })).needsTime).toBe(true)
  })

  it('shows the counts of the member that has seen most', () => {
    const { breaker } = manual({ trip: anyOf(consecutiveFailures(100), failureRate({ rate: 1, window: { calls: 50 } })) })
    fail(breaker, 3)
    succeed(breaker)
    fail(breaker)
    expect(breaker.snapshot()).toMatchObject({ failures: 4, calls: 5 })
  })

  it('without trips, or with something else among them, is an error that says which (law 18)', () => {
    expect(() => anyOf()).toThrow(/anyOf: expected at least one trip, got none/)
    expect(() => anyOf(consecutiveFailures(1), {} as Trip<unknown>)).toThrow(/anyOf\[1\]\.needsTime: expected true or false, got undefined/)
    expect(() => anyOf(null as unknown as Trip<unknown>)).toThrow(/anyOf\[0\]/)
    expect(() => anyOf({ ...consecutiveFailures(1), trips: 5 } as unknown as Trip<number>)).toThrow(/anyOf\[0\]\.trips: expected a function, got 5/)
  })

  it('with a member that weighs slow calls wants to be told what slow is (law 18)', () => {
    expect(() => new CircuitBreaker({ trip: anyOf(consecutiveFailures(1), weighing()), clock: new ManualClock() })).toThrow(/slowCallDuration/)
  })
})
