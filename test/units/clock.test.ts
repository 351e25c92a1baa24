import { describe, expect, it } from 'vitest'
import { CircuitBreaker, ManualClock } from '../../src/index.js'
import { fail } from '../support/calls.js'
import { catchWarnings } from './warnings.js'

const warnings = catchWarnings()

describe('a clock that reads -0', () => {
  it.each([
    ['a manual one', new ManualClock(-0)],
    ["somebody's own", { now: (): number => -0 }],
  ])('reads 0: %s', (_whose, clock) => {
    expect(new CircuitBreaker({ clock }).snapshot().at).toBe(0)
  })
})

describe('a manual clock', () => {
  it.each([NaN, Infinity, '5' as unknown as number])('neither starts at %o nor advances by it: the error says which (law 18)', (nonsense) => {
    const shown = typeof nonsense === 'string' ? '"5"' : String(nonsense)
    expect(() => new ManualClock(nonsense)).toThrow(`start: expected a finite number, got ${shown}`)
    const clock = new ManualClock(3)
    expect(() => {
      clock.advance(nonsense)
    }).toThrow(`advance: expected a finite number, got ${shown}`)
    expect(clock.now()).toBe(3)
  })

  it('does not advance beyond what a number can hold', () => {
    const clock = new ManualClock(Number.MAX_VALUE)
    expect(() => {
      clock.advance(Number.MAX_VALUE)
    }).toThrow('advance: expected a finite number, got Infinity')
  })
})

describe('a broken clock', () => {
  it('is said to be broken, if it throws and if it gives no time (laws 2 and 17)', () => {
    let read = (): number => 5
    const breaker = new CircuitBreaker({ clock: { now: () => read() } })
    read = () => {
      throw new Error('no time')
    }
    expect(breaker.snapshot().at).toBe(5)
    read = () => NaN
    expect(breaker.snapshot().at).toBe(5)
    expect(warnings()).toEqual(['clock threw: Error: no time', 'clock returned NaN, which is not a valid answer; its default is used'])
  })

  it('that falls back so far that rounding would lose what was read does not take it back (law 2)', () => {
    const clock = new ManualClock(0.3)
    const breaker = new CircuitBreaker({ clock })
    clock.advance(-1e15)
    expect(breaker.snapshot().at).toBeGreaterThanOrEqual(0.3)
    expect(breaker.snapshot().at).toBeLessThan(1)
  })

  it('that falls back from so late that rounding would lose what was read does not take it back either (law 2)', () => {
    const late = 2 ** 52 + 1
    let now = late
    const breaker = new CircuitBreaker({ clock: { now: () => now } })
    now = 0.5
    expect(breaker.snapshot().at).toBeGreaterThanOrEqual(late)
    expect(breaker.snapshot().at).toBeLessThan(late + 3)
  })

  it('that fell back and goes on in steps too small to be seen is not held up by those who look at every step (law 2)', () => {
    const start = 1.5 * 2 ** 40
    const clock = new ManualClock(start)
    const breaker = new CircuitBreaker({ clock })
    clock.advance(-0.625 * 2 ** 40)
    for (let step = 0; step < 2 ** 13; step++) {
      clock.advance(2 ** -13)
      breaker.snapshot()
    }
    expect(breaker.snapshot().at).toBe(start + 1)
  })
})

describe('the time that a refused call is told to wait', () => {
  it('is long enough where what is left of the recovery timeout is rounded down (law 1)', () => {
    const clock = new ManualClock(0.17)
    const breaker = new CircuitBreaker({ clock, failureThreshold: 1, recoveryTimeout: 1_000 })
    fail(breaker)
    clock.advance(32 / 7)
    expect(clock.now() + (1_000.17 - clock.now())).toBeLessThan(1_000.17)
    clock.advance(breaker.retryAfterMs)
    expect(breaker.tryAcquire()).toBeDefined()
  })
})
