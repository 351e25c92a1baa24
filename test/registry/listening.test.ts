import { afterEach, describe, expect, it } from 'vitest'
import { BreakerRegistry, ManualClock, type BreakerRegistryOptions } from '../../src/index.js'
import { fail, succeed } from '../support/calls.js'

function manualRegistry(options: BreakerRegistryOptions = {}) {
  const clock = new ManualClock()
  return { clock, registry: new BreakerRegistry({ failureThreshold: 2, recoveryTimeout: 1_000, ...options, clock }) }
}

describe('one who listens to a registry', () => {
  it('hears all its breakers, those made later and those configured differently too', () => {
    const { registry, clock } = manualRegistry({ configure: (key) => (key === 'strict' ? { failureThreshold: 1 } : undefined) })
    fail(registry.for('early'))
    const heard: unknown[] = []
    registry.observe({
      transition: ({ name, from, to }) => void heard.push([name, from, to]),
      settled: ({ name, outcome }) => void heard.push([name, outcome]),
      rejected: ({ name, reason }) => void heard.push([name, reason]),
    })
    fail(registry.for('early'))
    fail(registry.for('strict'))
    registry.for('strict').tryAcquire()
    clock.advance(1_000)
    succeed(registry.for('later'))
    expect(heard).toEqual([
      ['early', 'failure'],
      ['early', 'closed', 'open'],
      ['strict', 'failure'],
      ['strict', 'closed', 'open'],
      ['strict', 'open'],
      ['later', 'success'],
    ])
  })

  it('hears them until it leaves', () => {
    const { registry } = manualRegistry()
    const heard: unknown[] = []
    const leave = registry.observe({ settled: ({ name }) => void heard.push(name) })
    succeed(registry.for('a'))
    leave()
    leave()
    succeed(registry.for('a'))
    expect(heard).toEqual(['a'])
  })

  it('hears what one breaker’s own listener hears, and nothing twice', () => {
    const { registry } = manualRegistry()
    const heard: string[] = []
    registry.observe({ transition: ({ name, to }) => void heard.push(`registry: ${name} ${to}`) })
    registry.for('a').observe({ transition: ({ to }) => void heard.push(`own: ${to}`) })
    fail(registry.for('a'), 2)
    fail(registry.for('b'), 2)
    expect(heard.sort()).toEqual(['own: open', 'registry: a open', 'registry: b open'])
  })

  it('is told when breakers are reset, and nothing when they are forgotten', () => {
    const { registry } = manualRegistry()
    for (const key of ['a', 'b']) fail(registry.for(key), 2)
    succeed(registry.for('c'))
    const heard: unknown[] = []
    registry.observe({ transition: ({ name, from, to, reason }) => void heard.push([name, from, to, reason]) })
    registry.delete('b')
    expect(heard).toEqual([])
    registry.resetAll()
    expect(heard).toEqual([['a', 'open', 'closed', 'reset']])
    expect([...registry.outages()]).toEqual([])
  })

  it('must be a listener (law 18)', () => {
    const { registry } = manualRegistry()
    expect(() => registry.observe({ transitions: () => {} } as object)).toThrow(/unknown listener "transitions"; did you mean transition\?/)
    expect(() => registry.observe(null as unknown as object)).toThrow(/observe: expected an object, got null/)
  })
})

describe('outages()', () => {
  /** Counts the steps that anything takes through a map or a set. */
  let restore: () => void = () => {}
  afterEach(() => restore())
  function countingSteps(): () => number {
    let steps = 0
    const undo = [new Map<never, never>().entries(), new Set<never>().values()].map((iterator) => {
      const prototype = Object.getPrototypeOf(iterator) as { next(): unknown }
      const next = prototype.next
      prototype.next = function (this: unknown) {
        steps++
        return Reflect.apply(next, this, [])
      }
      return () => void (prototype.next = next)
    })
    restore = () => undo.forEach((each) => each())
    return () => steps
  }

  it('costs what is broken, not what exists', () => {
    const { registry, clock } = manualRegistry({ maxSize: 100_000 })
    for (let n = 0; n < 100_000; n++) registry.for(`host-${n}`)
    for (let n = 0; n < 10; n++) fail(registry.for(`host-${n * 9_999}`), 2)
    registry.for('host-5').disable()
    registry.for('host-6').forceOpen()
    for (let n = 0; n < 3; n++) registry.for(`host-${n * 9_999}`).reset()
    clock.advance(1_000)
    succeed(registry.for('host-99990'))
    const steps = countingSteps()
    const down = [...registry.outages()].map(([key]) => key)
    expect(steps()).toBeLessThanOrEqual(2 * (down.length + 1))
    // So the counting counts: all of them are gone through here.
    expect([...registry].length).toBeLessThan(steps())
    restore()
    expect(down.sort()).toEqual(['host-29997', 'host-39996', 'host-49995', 'host-5', 'host-59994', 'host-6', 'host-69993', 'host-79992', 'host-89991'].sort())
  })

  it('are those not closed: waiting, half-open, forced open and disabled, with the breakers themselves', () => {
    const { registry, clock } = manualRegistry()
    succeed(registry.for('well'))
    fail(registry.for('half-open'), 2)
    clock.advance(1_000)
    registry.for('half-open').acquire()
    fail(registry.for('open'), 2)
    registry.for('forced-open').forceOpen()
    registry.for('disabled').disable()
    for (const [key, breaker] of registry.outages()) {
      expect(breaker).toBe(registry.get(key))
      expect(breaker.state).toBe(key)
    }
    expect([...registry.outages()]).toHaveLength(4)
  })

  it('may be gone through while they end and begin', () => {
    const { registry } = manualRegistry({ failureThreshold: 1 })
    for (const key of ['a', 'b', 'c']) fail(registry.for(key))
    const seen: string[] = []
    for (const [key, breaker] of registry.outages()) {
      seen.push(key)
      breaker.reset()
      fail(registry.for(`${key}'`))
    }
    expect(seen).toEqual(['a', 'b', 'c'])
    expect([...registry.outages()].map(([key]) => key)).toEqual(["a'", "b'", "c'"])
  })
})

describe('what is read of a registry', () => {
  it('changes nothing and makes nothing (law 15)', () => {
    const { registry, clock } = manualRegistry()
    fail(registry.for('a'), 2)
    clock.advance(1_000)
    const read = () => [registry.size, registry.overflows, [...registry].length, [...registry.outages()].length, registry.snapshot(), registry.get('b')]
    expect(read()).toEqual(read())
    expect(registry.snapshot()).toMatchObject([{ name: 'a', state: 'half-open' }])
    expect(registry.for('a').tryAcquire()).toBeDefined()
  })

  it('gives breakers in the order in which they were made', () => {
    const { registry } = manualRegistry()
    for (const key of ['c', 'a', 'b']) registry.for(key)
    registry.delete('a')
    registry.for('a')
    expect([...registry].map(([key]) => key)).toEqual(['c', 'b', 'a'])
    expect(registry.snapshot().map(({ name }) => name)).toEqual(['c', 'b', 'a'])
  })
})
