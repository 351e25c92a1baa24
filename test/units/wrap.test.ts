import { describe, expect, it } from 'vitest'
import { BreakerRegistry, ManualClock } from '../../src/index.js'
import type { WrapOptions } from '../../src/wrap.js'
import { manual } from '../support/calls.js'

type Options = WrapOptions<() => number>

describe('a guarded function', () => {
  it('shows the name and the number of parameters of the one it guards, and both can be changed, as of any function', () => {
    const guarded = manual().breaker.wrap(function fetchUser(id: string, deep: boolean) {
      return [id, deep]
    })
    expect([guarded.name, guarded.length]).toEqual(['fetchUser', 2])
    for (const property of ['name', 'length']) {
      expect(Object.getOwnPropertyDescriptor(guarded, property)).toMatchObject({ configurable: true, writable: false, enumerable: false })
    }
  })

  it('is called, as its fallback is, and not what it has by the name of `apply` or `call`', async () => {
    const { breaker } = manual()
    const other = () => expect.unreachable()
    const named = <F extends () => string>(fn: F) => Object.assign(fn, { apply: other, call: other })
    const guarded = breaker.wrap(named(() => 'itself'), { fallback: named(() => 'instead') })
    expect(await guarded()).toBe('itself')
    breaker.forceOpen()
    expect(await guarded()).toBe('instead')
  })

  it('hands its `this` to all that is asked about a call: where its key is, whose signal it has, and the fallback', async () => {
    const registry = new BreakerRegistry({ clock: new ManualClock(), failureThreshold: 1 })
    interface Shard {
      readonly host: string
      readonly controller: AbortController
    }
    const query = registry.wrap(
      function (this: Shard) {
        return this.host
      },
      function (this: Shard, sql: string): string {
        if (sql === 'abort') this.controller.abort()
        if (sql !== 'select') throw new Error(sql)
        return `${sql} of ${this.host}`
      },
      {
        signal(this: Shard) {
          return this.controller.signal
        },
        fallback(this: Shard) {
          return `${this.host} is down`
        },
      },
    )
    const shard = (host: string) => ({ host, controller: new AbortController(), query })
    expect(await shard('a').query('select')).toBe('select of a')
    await expect(shard('a').query('abort')).rejects.toThrow('abort')
    expect(registry.get('a')?.state).toBe('closed')
    await expect(shard('a').query('fail')).rejects.toThrow('fail')
    expect(await shard('a').query('select')).toBe('a is down')
    expect(await shard('b').query('select')).toBe('select of b')
  })

  it('cannot be made of what is not a function, nor with options that are wrong: the error says where (law 18)', () => {
    const { breaker } = manual()
    expect(() => breaker.wrap(5 as never)).toThrow('wrap: expected a function, got 5')
    expect(() => breaker.wrap(() => 1, { retries: 2 } as Options)).toThrow(/^wrap: unknown option "retries"/)
    expect(() => breaker.wrap(() => 1, new AbortController().signal as Options)).toThrow('wrap: got an AbortSignal; pass { signal }')
    expect(() => breaker.wrap(() => 1, { signal: new AbortController().signal } as unknown as Options)).toThrow('wrap: signal: expected a function, got an object')
    expect(() => breaker.wrap(() => 1, { fallback: 'cached' } as unknown as Options)).toThrow('wrap: fallback: expected a function, got "cached"')
    expect(() => breaker.wrap(() => 1, { signal: undefined, fallback: undefined })).not.toThrow()
  })

  it('of a registry is guarded by the breaker of the key found in its arguments', async () => {
    const registry = new BreakerRegistry({ clock: new ManualClock(), failureThreshold: 1 })
    const guarded = registry.wrap(
      (host: string) => host,
      (host: string, fine: boolean) => {
        if (!fine) throw new Error('it failed')
        return host
      },
    )
    await expect(guarded('a', false)).rejects.toThrow('it failed')
    await expect(guarded('a', true)).rejects.toThrow('The circuit "a" refused the call (open)')
    await expect(guarded('b', true)).resolves.toBe('b')
    expect(() => registry.wrap('host' as never, () => 1)).toThrow('wrap: keyOf: expected a function, got "host"')
    expect(() => registry.wrap((() => 1) as never, undefined as never)).toThrow('wrap(keyOf, fn): fn: expected a function, got undefined')
  })
})
