import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BreakerRegistry, ManualClock, consecutiveFailures, failureRate, type Permit } from '../../src/index.js'

/** Keys that the programs call by; far more than a bounded registry keeps. */
const KEYS = 30

const key = fc.nat({ max: KEYS - 1 })
const deed = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('call' as const), key, ending: fc.constantFrom('success', 'failure', 'failure', 'ignore') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('start' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('settle' as const), nth: fc.nat({ max: 3 }), ending: fc.constantFrom('success', 'failure', 'ignore') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 99, 100, 500, 1_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reset' as const), key }) },
)

const trips = {
  'three failures in a row': () => consecutiveFailures(3),
  'a rate by calls': () => failureRate({ rate: 0.5, window: { calls: 6 }, minimumCalls: 3 }),
  'a rate by time': () => failureRate({ rate: 0.5, window: { ms: 1_000 }, minimumCalls: 3 }),
  'a rate by calls, slow ones weighed': () => failureRate({ rate: 0.5, slowCallRate: 0.6, window: { calls: 6 }, minimumCalls: 3 }),
}

/** One registry, driven and read by key, so that whether it keeps a breaker cannot be told from outside. */
class Subject {
  readonly #registry: BreakerRegistry<number>
  readonly #permits: { permit: Permit; key: number }[] = []

  constructor(registry: BreakerRegistry<number>) {
    this.#registry = registry
  }

  get registry(): BreakerRegistry<number> {
    return this.#registry
  }

  /** Whether each thing that could be refused, or come late, was in order. */
  do(what: typeof deed extends fc.Arbitrary<infer Deed> ? Deed : never): unknown {
    if (what.do === 'call') return settle(this.#registry.for(what.key).tryAcquire(), what.ending)
    if (what.do === 'start') {
      const permit = this.#registry.for(what.key).tryAcquire()
      if (permit !== undefined) this.#permits.push({ permit, key: what.key })
      return permit !== undefined
    }
    if (what.do === 'settle') {
      const [flight] = this.#permits.splice(what.nth, 1)
      const answer = settle(flight?.permit, what.ending)
      // A late report looks after what hangs on its own breaker, not on the next of its key, so somebody has to ask that one.
      if (flight !== undefined) this.#registry.get(flight.key)?.tryAcquire()?.ignore()
      return answer
    }
    if (what.do === 'reset') this.#registry.get(what.key)?.reset()
    return undefined
  }

  /** What is known of each key: a breaker that is not kept says what a new one would. */
  read(): unknown[] {
    return Array.from({ length: KEYS }, (_, n) => {
      const { state, failures, calls, slowCalls, retryAfterMs, phase } = this.#registry.get(n)?.snapshot() ?? blank
      return { n, state, failures, calls: calls ?? 0, slowCalls: slowCalls ?? 0, retryAfterMs, phase }
    })
  }

  /** Keys of which something is known, or of which a call is in flight. */
  evidence(): Set<number> {
    const known = [...this.#registry].filter(([, breaker]) => {
      const { state, failures, calls, slowCalls } = breaker.snapshot()
      return state !== 'closed' || failures > 0 || (calls ?? 0) > 0 || (slowCalls ?? 0) > 0
    })
    return new Set([...known.map(([n]) => n), ...this.#permits.map((flight) => flight.key)])
  }
}

const blank = { state: 'closed', failures: 0, calls: 0, slowCalls: 0, retryAfterMs: 0, phase: undefined }

function settle(permit: Permit | undefined, ending: string): unknown {
  if (permit === undefined) return 'refused'
  if (ending === 'success') return permit.success()
  return ending === 'failure' ? permit.failure() : permit.ignore()
}

describe('forgetting breakers without evidence cannot be noticed (law 20):', () => {
  describe.each(Object.entries(trips))('%s', (_, trip) => {
    it.each([2, 5, 12])('a registry of %d, which is just enough for the keys with evidence, answers like one without a bound', (maxSize) => {
      let forgotten = 0
      fc.assert(
        fc.property(fc.array(deed, { minLength: 20, maxLength: 120 }), (program) => {
          const clock = new ManualClock()
          const options = { trip: trip(), slowCallDuration: 200, recoveryTimeout: 100, clock }
          const unbounded = new Subject(new BreakerRegistry<number>(options))
          const bounded = new Subject(new BreakerRegistry<number>({ ...options, maxSize }))
          for (const what of program) {
            // Just enough: the key that is called and those with evidence are never more than fit.
            if ('key' in what && new Set([...unbounded.evidence(), what.key]).size > maxSize) continue
            if (what.do === 'wait') clock.advance(what.ms)
            expect(bounded.do(what)).toEqual(unbounded.do(what))
            expect(bounded.read()).toEqual(unbounded.read())
          }
          expect(bounded.registry.overflows).toBe(0)
          expect(bounded.registry.size).toBeLessThanOrEqual(maxSize)
          forgotten += unbounded.registry.size - bounded.registry.size
        }),
      )
      // Otherwise nothing was shown.
      expect(forgotten).toBeGreaterThan(10)
    })
  })
})
