import { describe, expect, it } from 'vitest'
import { manual, tripped } from '../support/calls.js'
import { catchWarnings } from './warnings.js'

const warnings = catchWarnings()

describe('a failure with openFor', () => {
  it.each([
    ['no number', NaN, 'NaN'],
    ['a time that is past', -1, '-1'],
    ['for ever', Infinity, 'Infinity'],
    ['text', '5000', '"5000"'],
  ])('of %s is an ordinary failure, and a warning (law 17)', (_, openFor, shown) => {
    const { breaker } = manual({ failureThreshold: 2 })
    breaker.acquire().failure(new Error('it failed'), { openFor: openFor as number })
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 1 })
    expect(warnings()).toEqual([`permit.failure: openFor: expected a finite number of at least 0, got ${shown}; it counts as a plain failure`])
  })

  it('that cannot be read is an ordinary failure, and a warning (law 17)', () => {
    const { breaker } = manual({ failureThreshold: 2 })
    const options = {
      get openFor(): number {
        throw new Error('unreadable')
      },
    }
    expect(breaker.acquire().failure(new Error('it failed'), options)).toBe(true)
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 1 })
    expect(warnings()).toEqual(['permit.failure: openFor threw: Error: unreadable'])
  })

  it('that is nonsense still fails a probe (law 14)', () => {
    const { breaker, clock } = tripped()
    clock.advance(1_000)
    breaker.acquire().failure(new Error('it failed'), { openFor: -2 })
    expect(breaker.snapshot()).toMatchObject({ state: 'open', reason: 'probe-failed', relapses: 1, retryAfterMs: 1_000 })
  })

  it('that is left out is an ordinary failure without a warning', () => {
    const { breaker } = manual({ failureThreshold: 3 })
    breaker.acquire().failure()
    breaker.acquire().failure(new Error('it failed'), {})
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 2 })
    expect(warnings()).toEqual([])
  })

  it('of no time trips at once, and waits the ordinary time', () => {
    const { breaker } = manual({ failureThreshold: 3 })
    breaker.acquire().failure(new Error('it failed'), { openFor: 0 })
    expect(breaker.snapshot()).toMatchObject({ state: 'open', reason: 'open-for', retryAfterMs: 1_000 })
    expect(warnings()).toEqual([])
  })
})
