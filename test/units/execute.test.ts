import { describe, expect, it, vi } from 'vitest'
import type { ExecuteOptions } from '../../src/execute.js'
import { BreakerRegistry } from '../../src/index.js'
import { manual, rejectionOf, tripped } from '../support/calls.js'

const messageOf = async (promise: Promise<unknown>) => ((await rejectionOf(promise)) as Error).message

describe('execute', () => {
  it.each([
    [5, 'execute: expected a function, got 5'],
    [null, 'execute: expected a function, got null'],
    [undefined, 'execute: expected a function, got undefined'],
    [Promise.resolve(1), 'execute: expected a function, got a promise (the call has already been made: hand over a function that makes it, () => …)'],
  ])('rejects without a call if it is given %s (laws 18 and 19)', async (fn, message) => {
    expect(await messageOf(manual().breaker.execute(fn as never))).toBe(message)
  })

  it('of a registry says that the key comes first, and makes no breaker (laws 18 and 19)', async () => {
    const registry = new BreakerRegistry<unknown>()
    expect(await messageOf(registry.execute(() => 1, undefined as never))).toBe('execute(key, fn): fn: expected a function, got undefined')
    expect(await messageOf(registry.execute('host', Promise.resolve(1) as never))).toMatch(/^execute\(key, fn\): fn: expected a function, got a promise \(the call/)
    expect(registry.size).toBe(0)
  })

  it.each([
    [{ signal: {} }, 'execute: signal: expected an AbortSignal, got an object'],
    [{ signal: null }, 'execute: signal: expected an AbortSignal, got null'],
    [{ fallback: 'cached' }, 'execute: fallback: expected a function, got "cached"'],
    ['fast', 'execute: expected { signal, fallback }, got "fast"'],
    [null, 'execute: expected { signal, fallback }, got null'],
    [new AbortController().signal, 'execute: got an AbortSignal; pass { signal }'],
    [{ fallBack: () => 'cached' }, 'execute: unknown option "fallBack"; did you mean fallback?'],
    [{ signal: undefined, retries: 2 }, 'execute: unknown option "retries"; known are signal, fallback'],
    [
      { timeout: 500 },
      'execute: unknown option "timeout"; this library ends no call: pass AbortSignal.timeout(ms) to yours, or see slowCallDuration',
    ],
  ])('rejects without a call if its options are wrong: %o (laws 18 and 19)', async (options, message) => {
    const fn = vi.fn()
    const { breaker } = manual()
    expect(await messageOf(breaker.execute(fn, options as unknown as ExecuteOptions))).toBe(message)
    expect(fn).not.toHaveBeenCalled()
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 0 })
  })

  it('takes options that inherit from something: only their own names are checked', async () => {
    const options = Object.create({ retries: 2 }, { fallback: { value: undefined, enumerable: true } }) as ExecuteOptions
    await expect(manual().breaker.execute(() => 'value', options)).resolves.toBe('value')
  })

  it('makes no call whose caller gives up while being told of the transition, and frees its place (laws 8 and 11)', async () => {
    const { breaker, clock } = tripped()
    const controller = new AbortController()
    const reason = new Error('no longer wanted')
    breaker.observe({
      transition: () => {
        controller.abort(reason)
      },
    })
    clock.advance(1_000)
    const fn = vi.fn()
    expect(await rejectionOf(breaker.execute(fn, { signal: controller.signal }))).toBe(reason)
    expect(fn).not.toHaveBeenCalled()
    expect(breaker.snapshot()).toMatchObject({ state: 'half-open', retryAfterMs: 0, phase: { inFlight: 0 } })
    await expect(breaker.execute(() => 'next')).resolves.toBe('next')
    expect(breaker.state).toBe('closed')
  })

  it('does not run the `then` that somebody has put on a promise of the platform: like `await` it goes past it (law 19)', async () => {
    const then = vi.fn()
    const { breaker } = manual()
    await expect(breaker.execute(() => Object.assign(Promise.resolve('value'), { then }))).resolves.toBe('value')
    expect(then).not.toHaveBeenCalled()
  })
})

describe.each(['acquire', 'tryAcquire'] as const)('%s', (name) => {
  it.each([
    [5, 'expected { signal }, got 5'],
    [null, 'expected { signal }, got null'],
    [new AbortController().signal, 'got an AbortSignal; pass { signal }'],
    [{ signal: {} }, 'signal: expected an AbortSignal, got an object'],
    [{ Signal: undefined }, 'unknown option "Signal"; did you mean signal?'],
    [{ fallback: () => 1 }, 'unknown option "fallback"; did you mean execute(fn, { fallback })?'],
  ])('throws if its options are wrong, and says that it was %o (law 18)', (options, message) => {
    const { breaker } = manual({ recoveryTimeout: 0 })
    expect(() => breaker[name](options as never)).toThrow(new TypeError(`${name}: ${message}`))
  })

  it('takes a signal that is left out', () => {
    expect(manual().breaker[name]({ signal: undefined })?.success()).toBe(true)
    expect(manual().breaker[name]({})?.success()).toBe(true)
  })
})
