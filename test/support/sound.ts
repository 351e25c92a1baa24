import { expect } from 'vitest'
import type { CircuitBreaker } from '../../src/index.js'

/** What becomes of a call, to be compared; in a box, since some of it lets nobody ask for its `then`. */
export async function settled(call: () => unknown): Promise<{ ok: boolean; value: unknown }> {
  try {
    return { ok: true, value: await call() }
  } catch (error) {
    return { ok: false, value: error }
  }
}

/** Everything that can be read, agrees, and is plain. */
export function expectSound(breaker: CircuitBreaker): void {
  const snapshot = breaker.snapshot()
  expect(breaker.state).toBe(snapshot.state)
  expect(breaker.canExecute).toBe(snapshot.retryAfterMs === 0)
  expect(Object.is(breaker.retryAfterMs, snapshot.retryAfterMs)).toBe(true)
  expect(Number.isFinite(snapshot.retryAfterMs) && snapshot.retryAfterMs >= 0).toBe(true)
  expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
}

/** It rejected, with this very thing. */
export function expectSame({ ok, value }: { ok: boolean; value: unknown }, error: unknown): void {
  expect(ok).toBe(false)
  expect(Object.is(value, error)).toBe(true)
}
