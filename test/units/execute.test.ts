import { describe, expect, it, vi } from 'vitest'
import type { ExecuteOptions } from '../../src/execute.js'
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

  it.each([
    [{ signal: {} }, 'execute: signal: expected an AbortSignal, got an object'],
    [{ signal: null }, 'execute: signal: expected an AbortSignal, got null'],
    [{ fallback: 'cached' }, 'execute: fallback: expected a function, got "cached"'],
    ['fast', 'execute: expected { signal, fallback }, got "fast"'],
    [new AbortController().signal, 'execute: expected { signal, fallback }, got an object'],
  ])('rejects without a call if its options are wrong: %o (laws 18 and 19)', async (options, message) => {
    const fn = vi.fn()
    const { breaker } = manual()
    expect(await messageOf(breaker.execute(fn, options as unknown as ExecuteOptions))).toBe(message)
    expect(fn).not.toHaveBeenCalled()
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 0 })
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
