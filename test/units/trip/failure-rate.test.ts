import { describe, expect, it } from 'vitest'
import { failureRate } from '../../../src/index.js'
import { fail, manual } from '../../support/calls.js'

describe('the parts of a window of time', () => {
  it('are ten by default, so that what happened in the first of them is gone when the window is over', () => {
    const { breaker, clock } = manual({ trip: failureRate({ rate: 1, window: { ms: 1_000 } }) })
    clock.advance(50)
    fail(breaker)
    clock.advance(949)
    expect(breaker.snapshot().calls).toBe(1)
    clock.advance(1)
    expect(breaker.snapshot().calls).toBe(0)
  })

  it('are fewer in a window of a few milliseconds', () => {
    expect(() => failureRate({ rate: 1, window: { ms: 3 } })).not.toThrow()
    expect(() => failureRate({ rate: 1, window: { ms: 3, buckets: 4 } })).toThrow('window.buckets: expected at most window.ms (3), got 4')
  })

  it('are 65,536 at the most (law 18)', () => {
    expect(() => failureRate({ rate: 1, window: { ms: 1e6, buckets: 65_536 } })).not.toThrow()
    expect(() => failureRate({ rate: 1, window: { ms: 1e6, buckets: 65_537 } })).toThrow('window.buckets: expected at most 65536, got 65537')
  })
})

describe('the least number of calls', () => {
  it('is named if it is none, of calls and of time (law 18)', () => {
    for (const window of [{ calls: 10 }, { ms: 1_000 }]) {
      expect(() => failureRate({ rate: 1, window, minimumCalls: 0 })).toThrow('minimumCalls: expected a whole number of at least 1, got 0')
    }
  })
})
