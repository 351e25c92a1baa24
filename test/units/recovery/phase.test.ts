import { describe, expect, it } from 'vitest'
import { CircuitBreaker, gradual, probes, type Recovery } from '../../../src/index.js'

describe('a recovery that is wrong', () => {
  it('says which phase of what is wrong, and how (law 18)', () => {
    const wrong = { ratio: 2, successThreshold: 1 }
    expect(() => gradual([{ ratio: 1, successThreshold: 1 }, wrong])).toThrow('gradual[1].ratio: expected a number above 0 and at most 1, got 2')
    expect(() => new CircuitBreaker({ recovery: [wrong] })).toThrow('recovery[0].ratio: expected a number above 0 and at most 1, got 2')
    expect(() => gradual([5] as unknown as Recovery)).toThrow('gradual[0]: expected an object, got 5')
    expect(() => gradual([])).toThrow('gradual: expected at least one phase, got none')
    expect(() => probes({ places: 2 } as never)).toThrow(/^probes: unknown option "places"/)
  })
})
