import { describe, expect, it } from 'vitest'
import { CircuitBreaker, consecutiveFailures } from '../../../src/index.js'

describe('what is no trip', () => {
  it.each<[unknown, string]>([
    [consecutiveFailures, 'the function consecutiveFailures'],
    ['consecutive-failures', '"consecutive-failures"'],
    [5, '5'],
    [null, 'null'],
    [[consecutiveFailures(5)], 'an array'],
  ])('is refused, and shown one (law 18): %o', (trip, shown) => {
    expect(() => new CircuitBreaker({ trip: trip as never })).toThrow(`trip: expected a trip, as consecutiveFailures(5) gives, got ${shown}`)
  })
})
