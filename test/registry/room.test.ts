import { describe, expect, it } from 'vitest'
import { BreakerRegistry, ManualClock, failureRate, type BreakerRegistryOptions, type Trip } from '../../src/index.js'
import { fail, ignore, succeed } from '../support/calls.js'

function full(keys: readonly string[], options: BreakerRegistryOptions = {}) {
  const clock = new ManualClock()
  const trip = options.trip === undefined ? { failureThreshold: 5 } : {}
  const registry = new BreakerRegistry({ ...trip, recoveryTimeout: 1_000, maxSize: keys.length, ...options, clock })
  for (const key of keys) registry.for(key)
  return { clock, registry, kept: () => [...registry].map(([key]) => key) }
}

describe('a full registry makes room for a new key (law 20):', () => {
  it('below maxSize nothing is forgotten', () => {
    const { registry, kept } = full(['a', 'b', 'c'], { maxSize: 4 })
    registry.for('d')
    expect(kept()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('first goes the oldest without evidence, whatever was used last', () => {
    const { registry, kept } = full(['a', 'b', 'c'])
    fail(registry.for('a'))
    succeed(registry.for('b'), 10)
    registry.for('d')
    expect(kept()).toEqual(['a', 'c', 'd'])
    registry.for('e')
    expect(kept()).toEqual(['a', 'd', 'e'])
  })

  it('evidence that a success ended is none', () => {
    const { registry, kept } = full(['a', 'b'])
    fail(registry.for('a'))
    fail(registry.for('b'))
    registry.for('c')
    expect(kept()).toEqual(['b', 'c'])
    fail(registry.for('c'))
    succeed(registry.for('b'))
    registry.for('d')
    expect(kept()).toEqual(['c', 'd'])
  })

  it('evidence that the window of time has outlived is none', () => {
    const { registry, clock, kept } = full(['a', 'b', 'c'], { trip: failureRate({ rate: 0.5, window: { ms: 1_000 } }) })
    for (const key of ['a', 'b', 'c']) fail(registry.for(key))
    registry.for('d')
    fail(registry.for('d'))
    expect(kept()).toEqual(['b', 'c', 'd'])
    clock.advance(1_000)
    fail(registry.for('b'))
    for (const key of ['e', 'f', 'g']) registry.for(key)
    expect(registry.get('b')?.snapshot().failures).toBe(1)
    expect(kept()).toHaveLength(3)
  })

  it('evidence that the window of time has outlived goes first, though many hosts are busy with theirs', () => {
    const keys = Array.from({ length: 300 }, (_, n) => `host-${n}`)
    const { registry, clock } = full(keys, { trip: failureRate({ rate: 0.5, window: { ms: 1_000 } }) })
    for (const key of keys) fail(registry.for(key))
    fail(registry.for('one too many'))
    clock.advance(2_000)
    const busy = [...registry].slice(0, 200).map(([key]) => key)
    for (const key of busy) fail(registry.for(key))
    for (let n = 0; n < 90; n++) fail(registry.for(`new-${n}`))
    expect(busy.filter((key) => registry.get(key) === undefined)).toEqual([])
  })

  it('a call in flight is evidence until it ends', () => {
    const { registry, kept } = full(['a', 'b'])
    const permit = registry.for('a').acquire()
    registry.for('c')
    registry.for('d')
    expect(kept()).toEqual(['a', 'd'])
    permit.ignore()
    registry.for('e')
    // It has nothing to remember any more, but the other one is older in having nothing.
    expect(kept()).toEqual(['a', 'e'])
    registry.for('f')
    expect(kept()).toEqual(['e', 'f'])
  })

  it('an observer of its own keeps a breaker, until it leaves', () => {
    const { registry, kept } = full(['a', 'b'])
    const leave = registry.for('a').observe({ transition: () => {} })
    for (const key of ['c', 'd']) registry.for(key)
    expect(kept()).toEqual(['a', 'd'])
    leave()
    fail(registry.for('d'))
    registry.for('e')
    expect(kept()).toEqual(['d', 'e'])
  })

  it('an observer of its own keeps a breaker whatever it has counted, and a new key is not kept rather than its listener lost', () => {
    const { registry, kept, clock } = full(['a', 'b'])
    const heard: string[] = []
    const leave = registry.for('a').observe({ transition: ({ to }) => void heard.push(to) })
    const held = registry.for('a')
    fail(held)
    fail(registry.for('b'))
    for (const key of ['c', 'd', 'e', 'f']) registry.for(key).acquire()
    expect(kept()).toContain('a')
    fail(held, 4)
    clock.advance(1_000)
    for (const key of ['g', 'h', 'i', 'j']) registry.for(key).acquire()
    expect(kept()).toContain('a')
    succeed(held)
    expect(heard).toEqual(['open', 'half-open', 'closed'])
    leave()
    registry.for('k')
    expect(kept()).not.toContain('a')
  })

  it('where each has an observer of its own, the new key is served but not kept', () => {
    const { registry, kept } = full(['a', 'b'])
    for (const key of ['a', 'b']) {
      registry.for(key).observe({ settled: () => undefined })
      fail(registry.for(key))
    }
    registry.for('c')
    expect(kept()).toEqual(['a', 'b'])
    expect(registry.overflows).toBe(1)
  })

  it('a clock that makes the very breaker for which room is made has made it: nothing is made twice, and what it did stands', () => {
    const clock = new ManualClock()
    let armed = false
    const registry: BreakerRegistry = new BreakerRegistry({
      maxSize: 3,
      clock: {
        now: () => {
          if (armed) {
            armed = false
            registry.for('x').forceOpen()
          }
          return clock.now()
        },
      },
    })
    for (const key of ['a', 'b', 'c']) registry.for(key)
    armed = true
    expect(registry.for('x').state).toBe('forced-open')
    expect(registry.size).toBeLessThanOrEqual(3)
    expect(Array.from(registry.outages(), ([key]) => key)).toEqual(['x'])
    registry.resetAll()
    expect([...registry.outages()]).toEqual([])
  })

  describe.each(['quiet', 'marked', 'settling'] as const)('a trip that, asked what %s breakers remember,', (when) => {
    const acts: Record<string, (registry: BreakerRegistry, key: string) => void> = {
      'forces one open': (registry, key) => {
        registry.for(key).forceOpen()
      },
      'has one forgotten and made again': (registry, key) => {
        registry.delete(key)
        registry.for(key).forceOpen()
      },
    }

    it.each(Object.keys(acts))('%s has done so: it stays, and whoever is forgotten is another (law 17)', (act) => {
      let armed = false
      const trip: Trip<{ failures: number }> = {
        needsTime: false,
        fresh: () => ({ failures: 0 }),
        success: () => ({ failures: 0 }),
        failure: ({ failures }) => ({ failures: failures + 1 }),
        trips: () => undefined,
        counts: (memory) => {
          if (!armed) return memory
          armed = false
          acts[act]!(registry, 'a')
          // Of what it was asked about nothing is left.
          return { failures: 0 }
        },
      }
      const registry: BreakerRegistry = new BreakerRegistry({ maxSize: 3, configure: (key) => (key === 'a' ? { trip } : undefined) })
      for (const key of ['b', 'a', 'c']) fail(registry.for(key))
      const late = registry.for('a').acquire()
      if (when !== 'settling') late.ignore()
      if (when !== 'quiet') fail(registry.for('d'))
      armed = true
      if (when === 'settling') late.failure()
      for (const key of ['e', 'f', 'g', 'h']) fail(registry.for(key))
      expect(armed).toBe(false)
      expect(registry.get('a')?.state).toBe('forced-open')
      expect(registry.size).toBe(3)
      expect(Array.from(registry.outages(), ([key]) => key)).toEqual(['a'])
    })
  })

  it('next goes a closed one with evidence, but not one that was used since it was looked at last', () => {
    const { registry, kept } = full(['a', 'b', 'c'])
    for (const key of ['a', 'b', 'c']) fail(registry.for(key))
    fail(registry.for('d'))
    expect(kept()).toEqual(['b', 'c', 'd'])
    fail(registry.for('b'))
    fail(registry.for('e'))
    expect(kept()).toEqual(['b', 'd', 'e'])
    expect(registry.get('b')?.snapshot().failures).toBe(2)
  })

  it('then an outage whose wait is over, half-open ones too', () => {
    const { registry, clock, kept } = full(['a', 'b'], { failureThreshold: 1 })
    fail(registry.for('a'))
    clock.advance(500)
    fail(registry.for('b'))
    clock.advance(500)
    registry.for('c')
    expect(kept()).toEqual(['b', 'c'])
    fail(registry.for('c'))
    clock.advance(500)
    const probe = registry.for('b').acquire()
    registry.for('d')
    expect(kept()).toEqual(['c', 'd'])
    expect(probe.success()).toBe(false)
    expect([...registry.outages()].map(([key]) => key)).toEqual(['c'])
  })

  it('never one that waits, is forced open or disabled: the new key is served, but not kept', async () => {
    const { registry, clock, kept } = full(['waits', 'forced', 'off'], { failureThreshold: 1 })
    fail(registry.for('waits'))
    registry.for('forced').forceOpen()
    registry.for('off').disable()
    clock.advance(999)
    expect(await registry.execute('new', () => 'served')).toBe('served')
    await expect(registry.execute('new', () => Promise.reject(new Error('its own')))).rejects.toThrow('its own')
    expect(kept()).toEqual(['waits', 'forced', 'off'])
    expect([registry.overflows, registry.get('new'), registry.size]).toEqual([2, undefined, 3])
    clock.advance(1)
    registry.for('new')
    expect(kept()).toEqual(['forced', 'off', 'new'])
    expect(registry.overflows).toBe(2)
  })

  it('one that is found among many outages still waiting is found in the end, though each look is bounded', () => {
    const keys = Array.from({ length: 200 }, (_, n) => `host-${n}`)
    const { registry, clock } = full(keys, { failureThreshold: 1, configure: (key) => (key === 'host-199' ? { recoveryTimeout: 10 } : undefined) })
    for (const key of keys) fail(registry.for(key))
    clock.advance(10)
    for (let n = 0; n < 200 && registry.get('new') === undefined; n++) ignore(registry.for('new'))
    expect(registry.get('new')?.state).toBe('closed')
    expect(registry.get('host-199')).toBeUndefined()
  })

  it('a breaker that was never kept serves itself, and is heard by those who listen to the registry (law 21)', () => {
    const { registry } = full(['waits'], { failureThreshold: 1 })
    fail(registry.for('waits'))
    const heard: unknown[] = []
    registry.observe({ transition: ({ name, to }) => void heard.push([name, to]) })
    const unkept = registry.for('new')
    fail(unkept)
    expect([unkept.state, registry.get('new'), registry.size]).toEqual(['open', undefined, 1])
    expect([...registry.outages()].map(([key]) => key)).toEqual(['waits'])
    registry.delete('waits')
    const kept = registry.for('new')
    expect([kept.state, unkept.state]).toEqual(['closed', 'open'])
    unkept.reset()
    expect(heard).toEqual([
      ['new', 'open'],
      ['new', 'closed'],
    ])
  })

  it('of one keeps working at the smallest size', () => {
    const { registry, kept } = full(['a'])
    for (const key of ['b', 'c', 'd']) fail(registry.for(key))
    expect([kept(), registry.overflows]).toEqual([['d'], 0])
  })

  it.each([0, -1, 1.5, NaN, Infinity, '10', null])('has no size of %s (law 18)', (maxSize) => {
    expect(() => new BreakerRegistry({ maxSize: maxSize as number })).toThrow(/maxSize: expected a whole number of at least 1, got/)
  })
})
