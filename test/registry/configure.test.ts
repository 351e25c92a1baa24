import { describe, expect, it } from 'vitest'
import { BreakerRegistry, ManualClock, consecutiveFailures, failureRate, gradual, type BreakerRegistryOptions, type KeyOptions } from '../../src/index.js'
import { fail, rejectionOf, succeed, unhandledDuring } from '../support/calls.js'

function configured(configure: (key: string) => unknown, options: BreakerRegistryOptions = {}) {
  const clock = new ManualClock()
  const registry = new BreakerRegistry({ failureThreshold: 2, recoveryTimeout: 1_000, ...options, configure: configure as (key: string) => KeyOptions, clock })
  return { clock, registry }
}

describe('configure', () => {
  it('is asked once for each breaker that is made, and again for one made anew', () => {
    const asked: string[] = []
    const { registry } = configured((key) => void asked.push(key))
    for (const key of ['a', 'b', 'a', 'a']) registry.for(key)
    registry.get('c')
    registry.delete('a')
    registry.for('a')
    expect(asked).toEqual(['a', 'b', 'a'])
  })

  it('lays its options over the registry’s, and leaves what it does not name', () => {
    const { registry, clock } = configured((key) => (key === 'patient' ? { recoveryTimeout: 5_000 } : key === 'gentle' ? { recovery: gradual() } : undefined))
    for (const key of ['patient', 'gentle', 'plain']) fail(registry.for(key), 2)
    expect(['patient', 'gentle', 'plain'].map((key) => registry.for(key).retryAfterMs)).toEqual([5_000, 1_000, 1_000])
    clock.advance(1_000)
    succeed(registry.for('gentle'))
    succeed(registry.for('plain'))
    expect(['patient', 'gentle', 'plain'].map((key) => registry.for(key).state)).toEqual(['open', 'half-open', 'closed'])
  })

  it('that says undefined of an option means the registry’s, not the default', () => {
    const { registry } = configured(() => ({ recoveryTimeout: undefined, failureThreshold: undefined, trip: undefined, classifyError: undefined }), {
      classifyError: () => 'ignored',
    })
    registry.for('a').acquire().failure()
    registry.for('a').acquire().failure()
    expect(registry.for('a').retryAfterMs).toBe(1_000)
  })

  it.each<[string, BreakerRegistryOptions, KeyOptions, number]>([
    ['a threshold over a threshold', { failureThreshold: 2 }, { failureThreshold: 4 }, 4],
    ['a trip over a threshold', { failureThreshold: 2 }, { trip: consecutiveFailures(3) }, 3],
    ['a threshold over a trip', { failureThreshold: undefined, trip: consecutiveFailures(2) }, { failureThreshold: 4 }, 4],
    ['a trip over a trip', { failureThreshold: undefined, trip: consecutiveFailures(2) }, { trip: failureRate({ rate: 1, window: { calls: 5 } }) }, 5],
    ['neither', { failureThreshold: undefined, trip: consecutiveFailures(3) }, { recoveryTimeout: 1 }, 3],
  ])('takes trip and failureThreshold for one: %s', (_, options, over, opensAt) => {
    const { registry } = configured(() => over, options)
    fail(registry.for('a'), opensAt - 1)
    expect(registry.for('a').state).toBe('closed')
    fail(registry.for('a'))
    expect(registry.for('a').state).toBe('open')
  })

  it('that gives both at once contradicts itself, as any options would (law 18)', () => {
    const { registry } = configured(() => ({ failureThreshold: 1, trip: consecutiveFailures(1) }))
    expect(() => registry.for('a')).toThrow(/configure\("a"\).*failureThreshold.*not both/)
  })

  it('gives one plan for one object: it is read once, and later changes to it change nothing', () => {
    let reads = 0
    const shared = {
      get recoveryTimeout() {
        return reads++ < 10 ? 7_000 : 1
      },
    }
    const { registry } = configured(() => shared)
    fail(registry.for('first'), 2)
    const readsOfOne = reads
    for (let n = 0; n < 1_000; n++) registry.for(`host-${n}`)
    expect(reads).toBe(readsOfOne)
    fail(registry.for('host-999'), 2)
    expect(['first', 'host-999'].map((key) => registry.for(key).retryAfterMs)).toEqual([7_000, 7_000])
  })

  it('shares the clock: a step back is taken the same way for every key (law 2)', () => {
    const { registry, clock } = configured((key) => (key === 'own' ? { recoveryTimeout: 500 } : undefined))
    for (const key of ['own', 'plain']) fail(registry.for(key), 2)
    clock.advance(200)
    expect(registry.for('plain').retryAfterMs).toBe(800)
    clock.advance(-5_000)
    expect(['own', 'plain'].map((key) => registry.for(key).retryAfterMs)).toEqual([300, 800])
  })

  describe.each<[string, () => unknown, RegExp]>([
    ['throws', () => fault(new Error('no such host')), /no such host/],
    ['throws nothing', () => fault(undefined), /undefined/],
    ['throws what cannot be shown', () => fault({ [Symbol.toPrimitive]: () => fault(new Error('never shown')) }), /configure/],
    ['gives null', () => null, /expected an object, got null/],
    ['gives a number', () => 5_000, /expected an object, got 5000/],
    ['gives a string', () => 'strict', /expected an object, got "strict"/],
    ['gives a list', () => [], /expected an object, got an array/],
    ['gives a function', () => () => ({}), /expected an object, got a function/],
    ['gives an unknown option', () => ({ recoverTimeout: 1 }), /unknown option "recoverTimeout"; did you mean recoveryTimeout\?/],
    ['gives a name, which is the key', () => ({ name: 'a' }), /unknown option "name"/],
    ['gives a clock, which is the registry’s', () => ({ clock: new ManualClock() }), /unknown option "clock"/],
    ['gives a wrong value', () => ({ recoveryTimeout: -1 }), /recoveryTimeout: expected a finite number of at least 0, got -1/],
    ['gives null for an option', () => ({ probeTimeout: null }), /probeTimeout: expected a finite number above 0, got null/],
    [
      'gives an option that throws when read',
      () => Object.defineProperty({}, 'recovery', { enumerable: true, get: () => fault(new Error('do not read')) }),
      /do not read/,
    ],
    ['gives a promise', () => Promise.resolve({ recoveryTimeout: 1 }), /promise/],
    ['rejects', () => Promise.reject(new Error('no settings')), /promise/],
  ])('that %s', (_, deed, message) => {
    it('is an error that names the key, for each way to ask, and nothing half-made is left', async () => {
      let isBroken = true
      const { registry } = configured(() => (isBroken ? deed() : undefined))
      const unhandled = await unhandledDuring(async () => {
        for (let n = 0; n < 2; n++) {
          expect(() => registry.for('host')).toThrow(message)
          expect(() => registry.for('host')).toThrow(/configure\("host"\)/)
          expect(() => registry.for('host')).toThrow(TypeError)
        }
        const rejected = await rejectionOf(registry.execute('host', () => 'never called'))
        expect((rejected as Error).message).toMatch(message)
        const guarded = registry.wrap(
          () => 'host',
          () => 'never called',
        )
        expect((await rejectionOf(guarded())) as Error).toBeInstanceOf(TypeError)
      })
      expect(unhandled).toEqual([])
      expect([registry.size, registry.get('host'), [...registry.outages()], registry.snapshot()]).toEqual([0, undefined, [], []])
      isBroken = false
      expect(await registry.execute('host', () => 'served')).toBe('served')
      expect(registry.size).toBe(1)
    })
  })

  it('names a key that is a symbol, an object, or cannot be printed', () => {
    const registry = new BreakerRegistry<unknown>({ configure: () => fault(new Error('no')) })
    const unprintable = { [Symbol.toPrimitive]: () => fault(new Error('never shown')) }
    expect(() => registry.for(Symbol('host'))).toThrow(/configure\(Symbol\(host\)\)/)
    expect(() => registry.for(7n)).toThrow(/configure\(7n\)/)
    expect(() => registry.for(unprintable)).toThrow(/configure\(an object\) threw: Error: no/)
  })

  it.each(['get', 'for', 'execute'] as const)('that calls back into %s for the same key gets a clear error, which it may catch', async (method) => {
    const errors: unknown[] = []
    const { registry } = configured((key) => {
      try {
        if (method === 'execute') void registry.execute(key, () => 1).catch((error: unknown) => errors.push(error))
        else registry[method](key)
      } catch (error) {
        errors.push(error)
      }
    })
    expect(await registry.execute('host', () => 'served')).toBe('served')
    expect(errors.map(String)).toEqual([expect.stringMatching(/configure\("host"\): asked for the breaker of the key it is configuring/)])
    expect([registry.size, registry.for('host')]).toEqual([1, registry.get('host')])
  })

  it('that does not catch it fails with it, and the registry is none the worse', () => {
    let isFirst = true
    const { registry } = configured((key) => {
      if (isFirst) registry.for(key)
    })
    expect(() => registry.for('host')).toThrow(/configure\("host"\) threw: .*asked for the breaker of the key it is configuring/)
    isFirst = false
    expect(registry.for('host')).toBe(registry.get('host'))
  })

  it('may make, use and delete breakers of other keys, in a registry that is full too', () => {
    const { registry } = configured(
      (key) => {
        if (key === 'a') {
          fail(registry.for('b'), 2)
          registry.for('c')
          registry.delete('c')
        }
      },
      { maxSize: 2 },
    )
    const a = registry.for('a')
    expect([registry.get('a'), registry.get('b')?.state, registry.size]).toEqual([a, 'open', 2])
  })
})

function fault(error: unknown): never {
  throw error
}
