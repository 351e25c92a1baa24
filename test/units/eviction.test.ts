import { describe, expect, it } from 'vitest'
import { BreakerRegistry, failureRate, ManualClock } from '../../src/index.js'
import { fail, succeed } from '../support/calls.js'

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

  it('forgets first, of those that know nothing, the one that has known nothing for longest (law 20)', () => {
    const registry = new BreakerRegistry({ maxSize: 3 })
    for (const key of ['a', 'b', 'c']) fail(registry.for(key))
    registry.for('d')
    expect(keys(registry)).toEqual(['b', 'c', 'd'])
    fail(registry.for('b'))
    succeed(registry.for('c'))
    succeed(registry.for('b'))
    registry.for('e')
    registry.for('f')
    expect(keys(registry)).toEqual(['b', 'e', 'f'])
  })

  it('keeps one to which somebody listens, though another who did has left (law 20)', () => {
    const registry = new BreakerRegistry({ maxSize: 2 })
    const [a] = ['a', 'b'].map((key) => registry.for(key))
    a!.observe({ transition: () => {} })
    const leave = a!.observe({ settled: () => {} })
    leave()
    registry.for('c')
    expect(keys(registry)).toEqual(['a', 'c'])
  })

  it('prefers one to which nobody listens any more to one with evidence, though it was used last (law 20)', () => {
    const registry = new BreakerRegistry({ maxSize: 2 })
    const [a] = ['a', 'b'].map((key) => registry.for(key))
    const leave = a!.observe({ transition: () => {} })
    fail(registry.for('c'))
    succeed(a!)
    leave()
    registry.for('d')
    expect(keys(registry)).toEqual(['c', 'd'])
  })

  it('looks at sixteen outages for a new key that finds no room, and at those behind them for the next one (law 20)', () => {
    const full = (size: number) => {
      const clock = new ManualClock()
      const last = `host ${String(size - 1)}`
      const registry = new BreakerRegistry({ maxSize: size, clock, failureThreshold: 1, configure: (key) => (key === last ? { recoveryTimeout: 10 } : undefined) })
      for (let n = 0; n < size; n++) fail(registry.for(`host ${String(n)}`))
      clock.advance(10)
      return registry
    }
    const [found, missed] = [full(16), full(17)]
    found.for('new')
    expect([found.overflows, found.get('new') === undefined]).toEqual([0, false])
    missed.for('new')
    expect([missed.overflows, missed.get('new') === undefined]).toEqual([1, true])
    missed.for('new')
    expect([missed.overflows, missed.get('new') === undefined]).toEqual([1, false])
  })
})
