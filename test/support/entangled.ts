import { BreakerRegistry, ManualClock, consecutiveFailures, exponentialBackoff, probes, type Permit, type Trip } from '../../src/index.js'

/** Everything of the user's that the library calls, or reads with a getter. */
export const callbacks = [
  'clock',
  'trip',
  'slow',
  'classifyError',
  'classifyResult',
  'random',
  'recoveryTimeout',
  'configure',
  'transition',
  'settled',
  'rejected',
  'wanted',
  'fn',
  'then',
  'fallback',
  'keyOf',
  'signal of wrap',
  'aborted',
  'reason',
  'cause',
] as const

export type Callback = (typeof callbacks)[number]

/** A registry of few places, the breaker in it that is called, and who may be told, or settled, from within. */
export interface Scene {
  readonly registry: BreakerRegistry
  readonly key: string
  /** Taken before the call that is under way. */
  permit: Permit | undefined
  /** Ends the observer whose listeners are among the callbacks. */
  unobserve(): void
}

export type Deed = (scene: Scene) => unknown

/**
 * A registry all of whose callbacks do `deed`, once, the `nth` time that `callback` is called while it is armed.
 *
 * @param seesSlow - whether the trip has a `slow`
 */
export function entangle(callback: Callback, nth: number, deed: Deed, seesSlow: boolean) {
  const clock = new ManualClock()
  let called = 0
  let isArmed = false
  let isDone = false
  const poke = (which: Callback): void => {
    if (!isArmed || which !== callback || ++called !== nth) return
    try {
      const promise = deed(scene)
      isDone = true
      if (promise instanceof Promise) promise.catch(() => {})
    } catch {
      // A refusal is an answer, too: of a call, or of a key that is just being configured.
    }
  }
  const plain = consecutiveFailures(1)
  const trip: Trip<number> = {
    needsTime: true,
    fresh: () => (poke('trip'), plain.fresh()),
    success: (memory, slow, now) => (poke('trip'), plain.success(memory, slow, now)),
    failure: (memory, slow, now) => (poke('trip'), plain.failure(memory, slow, now)),
    ...(seesSlow && { slow: (memory: number, now: number) => (poke('slow'), plain.failure(memory, true, now)) }),
    trips: (memory, now) => (poke('trip'), plain.trips(memory, now)),
    counts: (memory, now) => (poke('trip'), plain.counts(memory, now)),
  }
  const backoff = exponentialBackoff({ initial: 100, max: 100, jitter: 0.5, random: () => (poke('random'), 0) })
  const registry: BreakerRegistry = new BreakerRegistry({
    maxSize: 3,
    clock: { now: () => (poke('clock'), clock.now()) },
    trip,
    classifyError: () => (poke('classifyError'), 'failure'),
    classifyResult: () => (poke('classifyResult'), 'success'),
    recoveryTimeout: callback === 'random' ? backoff : () => (poke('recoveryTimeout'), 100),
    recovery: probes({ maxConcurrent: 2, successThreshold: 2 }),
    probeTimeout: 50,
    slowCallDuration: 10,
    configure: () => (poke('configure'), undefined),
  })
  const unobserve = registry.observe({
    transition: () => poke('transition'),
    settled: () => poke('settled'),
    rejected: () => poke('rejected'),
    wanted: () => (poke('wanted'), true),
    durations: true,
  })
  const scene: Scene = { registry, key: 'k', permit: undefined, unobserve }
  return { scene, clock, poke, arm: (armed: boolean) => void (isArmed = armed), wasReached: () => called >= nth, wasDone: () => isDone }
}
