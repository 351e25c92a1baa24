import { describe, expect, it } from 'vitest'
import { BreakerRegistry, CircuitBreaker } from '../../src/index.js'

describe('wrong options', () => {
  it('are said to be the options, be they of a breaker, of a registry or of one key (law 18)', () => {
    expect(() => new CircuitBreaker(null as never)).toThrow(/^options: expected an object, got null$/)
    expect(() => new CircuitBreaker({ probeTimeot: 5 } as object)).toThrow(/^options: unknown option "probeTimeot"; did you mean probeTimeout\?$/)
    expect(() => new BreakerRegistry({ maxSise: 5 } as object)).toThrow(/^options: unknown option "maxSise"; did you mean maxSize\?$/)
    const registry = new BreakerRegistry({ configure: () => ({ probeTimeot: 5 }) as object })
    expect(() => registry.for('a')).toThrow(/^configure\("a"\): options: unknown option "probeTimeot"; did you mean probeTimeout\?$/)
  })
})
