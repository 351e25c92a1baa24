import { describe, expect, it } from 'vitest'
import { BreakerRegistry, failureRate, ManualClock } from '../../src/index.js'
import { fail } from '../support/calls.js'

const keys = (registry: BreakerRegistry) => Array.from(registry, ([key]) => key)

describe('a full registry', () => {
  it('finds the one that knows nothing behind many that do (law 20)', () => {
    const registry = new BreakerRegistry({ maxSize: 40 })
    for (let n = 0; n < 39; n++) fail(registry.for(`busy ${String(n)}`))
    registry.for('idle')
    registry.for('new')
    expect(registry.size).toBe(40)
    expect(registry.get('idle')).toBeUndefined()
    expect(registry.get('busy 0')).toBeDefined()
  })

  it('finds one that knows nothing though it was made after all others had been passed over (law 20)', () => {
    const registry = new BreakerRegistry({ maxSize: 2 })
    for (const key of ['a', 'b']) fail(registry.for(key))
    registry.for('c')
    expect(keys(registry)).toEqual(['b', 'c'])
    registry.for('d')
    expect(keys(registry)).toEqual(['b', 'd'])
  })

  it('prefers one whose evidence a window of time has outlived to one whose evidence counts (law 20)', () => {
    const clock = new ManualClock()
    const registry = new BreakerRegistry({ maxSize: 3, clock, trip: failureRate({ rate: 1, window: { ms: 1_000 } }) })
    const [a, b, c] = ['a', 'b', 'c'].map((key) => registry.for(key))
    fail(c!)
    clock.advance(900)
    fail(a!)
    fail(b!)
    fail(registry.for('d'))
    expect(keys(registry)).toEqual(['b', 'c', 'd'])
    clock.advance(600)
    registry.for('e')
    expect(keys(registry)).toEqual(['b', 'd', 'e'])
  })

  it('passes over one that has been used since it was looked at last (law 20)', () => {
    const registry = new BreakerRegistry({ maxSize: 3, slowCallDuration: 1e6 })
    const [, b] = ['a', 'b', 'c'].map((key) => {
      const breaker = registry.for(key)
      fail(breaker)
      return breaker
    })
    fail(registry.for('d'))
    expect(keys(registry)).toEqual(['b', 'c', 'd'])
    fail(b!)
    fail(registry.for('e'))
    expect(keys(registry)).toEqual(['b', 'd', 'e'])
  })
})
