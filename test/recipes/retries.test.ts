// A retry around a breaker: the attempts stop while the circuit is open, and go on when one may be admitted.
import { syncBuiltinESMExports } from 'node:module'
import FakeTimers, { type Clock } from '@sinonjs/fake-timers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CircuitBreaker, type CircuitBreakerOptions } from '../../src/index.js'
import { rejectionOf } from '../support/calls.js'
import { retries } from './cockatiel.js'
import { retried } from './p-retry.js'

// Unlike those of Vitest, these are also the timers of node:timers/promises, of whose exports a module has copies.
let time: Clock
beforeEach(() => {
  time = FakeTimers.install({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  syncBuiltinESMExports()
})
afterEach(() => {
  time.uninstall()
  syncBuiltinESMExports()
})

const recipes = {
  'p-retry': (attempt: () => Promise<string>) => retried(attempt),
  cockatiel: (attempt: () => Promise<string>) => retries.execute(attempt),
}

/** A host that is down for a time, and when it was asked; and how often somebody tried to ask it. */
function host(downForMs: number, options: CircuitBreakerOptions = {}) {
  const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 4_000, ...options })
  const asked: number[] = []
  const began = performance.now()
  const ask = async () => {
    asked.push(performance.now() - began)
    if (performance.now() - began < downForMs) throw new Error('down')
    return 'up'
  }
  const attempt = vi.fn(() => breaker.execute(ask))
  return { breaker, asked, attempt }
}

describe.each(Object.entries(recipes))('the recipe for %s', (_name, retry) => {
  it('does not try a refused call again before the circuit would admit it', async () => {
    const { asked, attempt } = host(2_000)
    const got = retry(attempt)
    await time.tickAsync(3_900)
    expect(asked).toHaveLength(1)
    await time.tickAsync(60_000)
    expect(await got).toBe('up')
    expect(asked).toHaveLength(2)
    expect(asked[1]).toBeGreaterThanOrEqual(4_000)
    // One that failed, one that was refused, and the one that was let in.
    expect(attempt).toHaveBeenCalledTimes(3)
  })

  it('loses no attempt to a timer that drops the fraction of a wait', async () => {
    // By this clock each timer is also early, by up to half a millisecond, as Node's may be.
    const clock = { now: () => performance.now() * 0.9999 }
    const { asked, attempt } = host(2_000, { recoveryTimeout: 4_000.7, clock })
    const got = retry(attempt)
    await time.tickAsync(60_000)
    expect(await got).toBe('up')
    expect(asked).toHaveLength(2)
    expect(attempt).toHaveBeenCalledTimes(3)
  })

  it('gives up at once what nobody can wait for: a long outage, and one that only reset() ends', async () => {
    const { asked, attempt } = host(Infinity, { recoveryTimeout: 60_000 })
    const long = rejectionOf(retry(attempt))
    await time.tickAsync(2_000)
    expect(await long).toMatchObject({ code: 'ERR_CIRCUIT_OPEN', reason: 'open' })
    expect(asked).toHaveLength(1)
    expect(attempt).toHaveBeenCalledTimes(2)

    const { breaker, attempt: another } = host(Infinity)
    breaker.forceOpen()
    expect(await rejectionOf(retry(another))).toMatchObject({ code: 'ERR_CIRCUIT_OPEN', reason: 'forced-open' })
    expect(another).toHaveBeenCalledTimes(1)
  })

  it('gives what the last attempt gave, if none works', async () => {
    const { attempt } = host(Infinity, { recoveryTimeout: 10 })
    const error = rejectionOf(retry(attempt))
    await time.tickAsync(600_000)
    expect(await error).toMatchObject({ message: 'down' })
    expect(attempt).toHaveBeenCalledTimes(5)
  })

  it('waits no longer than usual for a recovery that is under way', async () => {
    const { breaker, attempt } = host(0)
    breaker.acquire().failure()
    await time.tickAsync(4_000)
    const probe = breaker.acquire()
    const got = retry(attempt)
    await time.tickAsync(100)
    probe.success()
    await time.tickAsync(1_000)
    expect(await got).toBe('up')
    expect(attempt).toHaveBeenCalledTimes(2)
  })
})

describe('the recipe for p-retry', () => {
  it('stops waiting when its caller aborts, with the caller’s reason', async () => {
    const { attempt } = host(Infinity)
    const controller = new AbortController()
    const reason = new Error('no longer wanted')
    const error = rejectionOf(retried(attempt, controller.signal))
    await time.tickAsync(2_000)
    expect(attempt).toHaveBeenCalledTimes(2)
    controller.abort(reason)
    expect(await error).toBe(reason)
    await time.tickAsync(60_000)
    expect(attempt).toHaveBeenCalledTimes(2)
  })
})
