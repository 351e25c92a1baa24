import { describe, expect, it, vi } from 'vitest'
import { exponentialBackoff, type BackoffOptions } from '../../src/index.js'
import { manual, fail } from '../support/calls.js'
import { catchWarnings } from './warnings.js'

const warnings = catchWarnings()
const waitAfter = (relapses: number, options: BackoffOptions) => exponentialBackoff(options)({ relapses, error: undefined })

describe('exponentialBackoff', () => {
  it('doubles the wait with each relapse, and stops at ten minutes if nothing else is said', () => {
    expect([0, 1, 2].map((relapses) => waitAfter(relapses, { initial: 1_000 }))).toEqual([1_000, 2_000, 4_000])
    expect(waitAfter(60, { initial: 1_000 })).toBe(600_000)
    expect(waitAfter(10_000, { initial: 1_000 })).toBe(600_000)
  })

  it('never waits less than the first time, however long that was', () => {
    expect(waitAfter(0, { initial: 900_000 })).toBe(900_000)
    expect(waitAfter(5, { initial: 900_000 })).toBe(900_000)
  })

  it('asks no chance without jitter', () => {
    const random = vi.fn(() => 0.5)
    expect(waitAfter(0, { initial: 1_000, random })).toBe(1_000)
    expect(random).not.toHaveBeenCalled()
  })

  it.each([
    [0, 1_000],
    [0.5, 750],
    [1, 500],
  ])('lets chance that gives %s leave %s of a wait', (drawn, wait) => {
    expect(waitAfter(0, { initial: 1_000, jitter: 0.5, random: () => drawn })).toBe(wait)
    expect(warnings()).toEqual([])
  })

  it.each([
    ['below 0', -0.5, '-0.5'],
    ['above 1', 1.5, '1.5'],
    ['no number', NaN, 'NaN'],
    ['text', '0.5', '"0.5"'],
    ['nothing', undefined, 'undefined'],
  ])('waits the whole time if chance gives what is %s, and says so (law 17)', (_, drawn, shown) => {
    expect(waitAfter(0, { initial: 1_000, jitter: 0.5, random: () => drawn as number })).toBe(1_000)
    expect(warnings()).toEqual([`random returned ${shown}, which is not a valid answer; its default is used`])
  })

  it('waits the whole time if chance throws, and says so (law 17)', () => {
    const random = () => {
      throw new Error('no chance')
    }
    expect(waitAfter(0, { initial: 1_000, jitter: 0.5, random })).toBe(1_000)
    expect(warnings()).toEqual(['random threw: Error: no chance'])
  })

  it('names what is wrong with an option (law 18)', () => {
    expect(() => exponentialBackoff({ initial: 1_000, max: 500 })).toThrow('max: expected at least initial (1000), got 500')
    expect(() => exponentialBackoff({ initial: 1_000, attempts: 3 } as BackoffOptions)).toThrow(/^exponentialBackoff: unknown option "attempts"/)
    expect(waitAfter(3, { initial: 1_000, max: 1_000 })).toBe(1_000)
  })
})

describe('a recovery timeout that is a function', () => {
  it('is told how often recovery was lost, and the error that tripped', () => {
    const asked = vi.fn(() => 700)
    const { breaker, clock } = manual({ recoveryTimeout: asked })
    const error = new Error('it failed')
    fail(breaker, 1, error)
    expect(breaker.snapshot().retryAfterMs).toBe(700)
    clock.advance(700)
    fail(breaker, 1, error)
    expect(asked.mock.calls).toEqual([[{ relapses: 0, error }], [{ relapses: 1, error }]])
  })

  it('gives half a minute if it throws or gives no time, and a warning (law 17)', () => {
    const faulty = manual({
      recoveryTimeout: () => {
        throw new Error('cannot say')
      },
    }).breaker
    fail(faulty)
    expect(faulty.snapshot().retryAfterMs).toBe(30_000)
    const vague = manual({ recoveryTimeout: () => -5 }).breaker
    fail(vague)
    expect(vague.snapshot().retryAfterMs).toBe(30_000)
    expect(warnings()).toEqual(['recoveryTimeout threw: Error: cannot say', 'recoveryTimeout returned -5, which is not a valid answer; its default is used'])
  })
})
