import { describe, expect, it } from 'vitest'
import { CircuitBreaker, ManualClock, consecutiveFailures, probes, type Trip } from '../../src/index.js'
import { chainOf } from '../support/calls.js'

const plain = consecutiveFailures(1)

/** What a callback may do to the breaker that calls it. */
const deeds: Record<string, (breaker: CircuitBreaker) => unknown> = {
  reset: (breaker) => breaker.reset(),
  forceOpen: (breaker) => breaker.forceOpen(),
  disable: (breaker) => breaker.disable(),
  acquire: (breaker) => breaker.acquire(),
  'tryAcquire and failure': (breaker) => breaker.tryAcquire()?.failure(),
  'tryAcquire and success': (breaker) => breaker.tryAcquire()?.success(),
  snapshot: (breaker) => breaker.snapshot(),
  observe: (breaker) => breaker.observe({})(),
  execute: (breaker) => breaker.execute(() => 1).catch(() => {}),
}

const callbacks = ['clock', 'trip', 'classifyError', 'classifyResult', 'recoveryTimeout', 'transition', 'settled', 'rejected', 'fn'] as const

/** A breaker all of whose callbacks do `deed`, once, the `nth` time that `callback` is called. */
function entangled(callback: string, nth: number, deed: (breaker: CircuitBreaker) => unknown) {
  const clock = new ManualClock()
  let called = 0
  let isArmed = false
  const poke = (which: string): void => {
    if (!isArmed || which !== callback || ++called !== nth) return
    try {
      deed(breaker)
    } catch {
      // A refusal is an answer, too.
    }
  }
  const trip: Trip<number> = {
    needsTime: true,
    fresh: () => (poke('trip'), plain.fresh()),
    success: (memory, slow, now) => (poke('trip'), plain.success(memory, slow, now)),
    failure: (memory, slow, now) => (poke('trip'), plain.failure(memory, slow, now)),
    trips: (memory, now) => (poke('trip'), plain.trips(memory, now)),
    counts: (memory, now) => (poke('trip'), plain.counts(memory, now)),
  }
  const breaker: CircuitBreaker = new CircuitBreaker({
    clock: { now: () => (poke('clock'), clock.now()) },
    trip,
    classifyError: () => (poke('classifyError'), 'failure'),
    classifyResult: () => (poke('classifyResult'), 'success'),
    recoveryTimeout: () => (poke('recoveryTimeout'), 100),
    recovery: probes({ maxConcurrent: 2, successThreshold: 2 }),
    probeTimeout: 50,
    slowCallDuration: 10,
  })
  breaker.observe({ transition: () => poke('transition'), settled: () => poke('settled'), rejected: () => poke('rejected') })
  return { breaker, clock, poke, arm: (armed: boolean) => void (isArmed = armed) }
}

describe.each(Object.entries(deeds))('%s, called from within a callback of the breaker (law 17)', (_, deed) => {
  it.each(callbacks)('%s, changes no caller’s answer, breaks no chain of events, and wedges nothing', async (callback) => {
    for (let nth = 1; nth <= 5; nth++) {
      const { breaker, clock, poke, arm } = entangled(callback, nth, deed)
      const chain = chainOf(breaker)
      arm(true)
      for (let call = 0; call < 12; call++) {
        const own = new Error('its own')
        const answer: unknown = await breaker
          .execute(() => {
            poke('fn')
            if (call % 3 === 0) throw own
            return call
          })
          .catch((error: unknown) => error)
        expect(answer === call || answer === own || (answer as { code?: unknown }).code === 'ERR_CIRCUIT_OPEN').toBe(true)
        clock.advance(call % 2 === 0 ? 5 : 101)
        breaker.tryAcquire()
      }
      arm(false)
      const broken = chain.slice(1).filter((step, index) => step.split('>')[0] !== chain[index]!.split('>')[1])
      expect(broken, `broken links of ${chain.join(', ')}`).toEqual([])
      if (breaker.state === 'forced-open' || breaker.state === 'disabled') breaker.reset()
      clock.advance(1_000)
      for (let call = 0; call < 4 && breaker.state !== 'closed'; call++) {
        if (!breaker.canExecute) clock.advance(breaker.retryAfterMs)
        breaker.acquire().success()
      }
      expect(breaker.snapshot()).toMatchObject({ state: 'closed' })
    }
  })
})
