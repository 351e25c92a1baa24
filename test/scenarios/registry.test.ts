import { describe, expect, it } from 'vitest'
import { BreakerRegistry, ManualClock, type BreakerRegistryOptions } from '../../src/index.js'
import { fail, succeed } from '../support/calls.js'

function manualRegistry<Key = string>(options: BreakerRegistryOptions<Key> = {}) {
  const clock = new ManualClock()
  return { clock, registry: new BreakerRegistry<Key>({ failureThreshold: 2, recoveryTimeout: 1_000, ...options, clock }) }
}

describe('a registry does not grow with its keys (B56, law 20)', () => {
  it('keeps at most maxSize of a hundred thousand hosts that are well', () => {
    const { registry } = manualRegistry({ maxSize: 1_000 })
    for (let n = 0; n < 100_000; n++) succeed(registry.for(`host-${n}`))
    expect(registry.size).toBeLessThanOrEqual(1_000)
    expect(registry.overflows).toBe(0)
  })

  it('lets go of hosts that failed below the threshold, when there is no other way', () => {
    const { registry } = manualRegistry({ maxSize: 10 })
    for (let n = 0; n < 1_000; n++) fail(registry.for(`host-${n}`))
    expect(registry.size).toBeLessThanOrEqual(10)
    expect(registry.overflows).toBe(0)
  })

  it('lets go of the healthy before those with evidence', () => {
    const { registry } = manualRegistry({ maxSize: 10 })
    fail(registry.for('suspect'))
    for (let n = 0; n < 100; n++) succeed(registry.for(`host-${n}`))
    expect(registry.get('suspect')?.snapshot().failures).toBe(1)
  })

  it('never lets go of an outage that waits: a flood of keys does not erase it', () => {
    const { registry } = manualRegistry({ maxSize: 10 })
    fail(registry.for('down'), 2)
    registry.for('kept out').forceOpen()
    registry.for('let through').disable()
    for (let n = 0; n < 1_000; n++) fail(registry.for(`host-${n}`))
    expect(registry.get('down')?.state).toBe('open')
    expect(registry.get('kept out')?.state).toBe('forced-open')
    expect(registry.get('let through')?.state).toBe('disabled')
    expect(registry.size).toBeLessThanOrEqual(10)
  })

  it('serves a new key without keeping it when nothing can go, and counts that', async () => {
    const { registry } = manualRegistry({ maxSize: 2 })
    fail(registry.for('a'), 2)
    fail(registry.for('b'), 2)
    expect(await registry.execute('c', () => 'served')).toBe('served')
    expect(registry.size).toBe(2)
    expect(registry.get('c')).toBeUndefined()
    expect(registry.overflows).toBe(1)
  })

  it('does not lose the evidence of a call in flight', () => {
    const { registry } = manualRegistry({ maxSize: 3 })
    const permit = registry.for('busy').acquire()
    for (let n = 0; n < 50; n++) succeed(registry.for(`host-${n}`))
    expect(permit.failure()).toBe(true)
    expect(registry.get('busy')?.snapshot().failures).toBe(1)
  })

  it('leaves a breaker that somebody holds at work after it was forgotten (law 21)', () => {
    const { registry } = manualRegistry({ maxSize: 2 })
    const held = registry.for('a')
    for (let n = 0; n < 10; n++) succeed(registry.for(`host-${n}`))
    expect(registry.get('a')).toBeUndefined()
    fail(held, 2)
    expect(registry.for('a').state).toBe('open')
    expect(held.state).toBe('open')
    held.reset()
    expect(registry.for('a').state).toBe('closed')
  })

  it('finds reports of permits of before it was forgotten late (law 21)', () => {
    const { registry } = manualRegistry()
    const held = registry.for('a')
    const permit = held.acquire()
    registry.delete('a')
    expect(permit.failure()).toBe(false)
    expect(registry.for('a').snapshot().failures).toBe(0)
  })
})

describe('keys are opaque (B56, law 22)', () => {
  it.each([['__proto__'], ['constructor'], ['toString'], [''], [' '], ['x'.repeat(100_000)], ['\u0000'], ['ключ']])(
    '%#: an odd string is a key like any other',
    (key) => {
      const { registry } = manualRegistry()
      fail(registry.for(key), 2)
      expect(registry.for(key).state).toBe('open')
      expect(registry.for('other').state).toBe('closed')
      expect(registry.size).toBe(2)
    },
  )

  it('may be symbols, objects, numbers and nothing', () => {
    const { registry } = manualRegistry<unknown>()
    const keys = [Symbol('a'), Symbol('a'), {}, {}, NaN, 0, null, undefined, () => {}]
    for (const key of keys) registry.for(key)
    expect(registry.size).toBe(keys.length)
    for (const key of keys) expect(registry.for(key)).toBe(registry.get(key))
    fail(registry.for(undefined), 2)
    expect([...registry.outages()].map(([key]) => key)).toEqual([undefined])
  })

  it('are handed on as they are in events', () => {
    const key = { host: 'a' }
    const { registry } = manualRegistry<object>()
    const names: unknown[] = []
    registry.observe({ transition: ({ name }) => void names.push(name) })
    fail(registry.for(key), 2)
    expect(names).toEqual([key])
    expect(names[0]).toBe(key)
  })
})

describe('one key, one policy (B58)', () => {
  it('is one breaker, made once, by the options of its key', () => {
    const asked: string[] = []
    const { registry } = manualRegistry({
      configure: (key) => {
        asked.push(key)
        return key === 'strict' ? { failureThreshold: 1 } : undefined
      },
    })
    expect(registry.for('strict')).toBe(registry.for('strict'))
    registry.for('plain')
    expect(asked).toEqual(['strict', 'plain'])
    fail(registry.for('strict'))
    fail(registry.for('plain'))
    expect([registry.for('strict').state, registry.for('plain').state]).toEqual(['open', 'closed'])
  })

  it('may be made while another is configured', () => {
    const { registry } = manualRegistry({
      configure: (key): undefined => {
        if (key === 'b') registry.for('c')
      },
    })
    const b = registry.for('b')
    expect(registry.for('b')).toBe(b)
    expect(registry.size).toBe(2)
  })

  it.each(['get', 'for'] as const)('is one breaker, or a clear error, though the function that configures it asks for it by %s', (method) => {
    let isFirst = true
    const made: unknown[] = []
    const { registry } = manualRegistry({
      configure: (): undefined => {
        if (!isFirst) return
        isFirst = false
        made.push(registry[method]('a'))
      },
    })
    try {
      made.push(registry.for('a'))
    } catch (error) {
      expect((error as Error).message).toMatch(/configure.*"a"/)
    }
    const breaker = registry.for('a')
    expect(made.filter((each) => each !== undefined && each !== breaker)).toEqual([])
    expect(registry.size).toBe(1)
  })

  it('checks what configure gives like any options, and takes trip and failureThreshold for one', () => {
    const { registry } = manualRegistry({ configure: () => ({ failureThreshold: NaN }) })
    expect(() => registry.for('a')).toThrow(/"a".*failureThreshold: expected .*got NaN/)
    expect(registry.size).toBe(0)
    expect(() => manualRegistry({ configure: () => ({ name: 'x' }) as object }).registry.for('a')).toThrow(TypeError)
  })
})

describe('a registry reads like a Map', () => {
  it('makes nothing when asked whether it has a key', () => {
    const { registry } = manualRegistry()
    expect(registry.get('a')).toBeUndefined()
    expect(registry.size).toBe(0)
    expect(registry.delete('a')).toBe(false)
    registry.for('a')
    expect(registry.delete('a')).toBe(true)
    expect(registry.size).toBe(0)
  })

  it('gives its pairs, its outages, and snapshots that survive JSON', () => {
    const { registry, clock } = manualRegistry()
    succeed(registry.for('well'))
    fail(registry.for('ill'), 2)
    expect([...registry].map(([key]) => key)).toEqual(['well', 'ill'])
    expect([...registry.outages()].map(([key]) => key)).toEqual(['ill'])
    const snapshot = registry.snapshot()
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
    registry.resetAll()
    expect([...registry.outages()]).toEqual([])
    fail(registry.for('ill'), 2)
    clock.advance(1_000)
    succeed(registry.for('ill'))
    expect([...registry.outages()]).toEqual([])
  })
})
