// A retry around a breaker: the attempts stop while the circuit is open, and go on when one may be admitted.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CircuitBreaker } from '../../src/index.js'
import { rejectionOf } from '../support/calls.js'
import { retries } from './cockatiel.js'
import { retried } from './p-retry.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const recipes = {
  'p-retry': (attempt: () => Promise<string>) => retried(attempt),
  cockatiel: (attempt: () => Promise<string>) => retries.execute(attempt),
}

describe.each(Object.entries(recipes))('the recipe for %s', (_name, retry) => {
  /** A host that is down for a time, and when it was asked. */
  function host(downForMs: number) {
    const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 20_000 })
    const asked: number[] = []
    const began = performance.now()
    const ask = async () => {
      asked.push(performance.now() - began)
      if (performance.now() - began < downForMs) throw new Error('down')
      return 'up'
    }
    return { breaker, asked, attempt: () => breaker.execute(ask) }
  }

  it('does not try a refused call again before the circuit would admit it', async () => {
    const { asked, attempt } = host(10_000)
    const got = retry(attempt)
    await vi.advanceTimersByTimeAsync(19_000)
    expect(asked).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await got).toBe('up')
    expect(asked).toHaveLength(2)
    expect(asked[1]).toBeGreaterThanOrEqual(20_000)
  })

  it('gives what the last attempt gave, if none works', async () => {
    const { breaker, attempt } = host(Infinity)
    breaker.forceOpen()
    const error = rejectionOf(retry(attempt))
    await vi.advanceTimersByTimeAsync(600_000)
    expect(await error).toMatchObject({ code: 'ERR_CIRCUIT_OPEN', reason: 'forced-open' })
  })
})
