import { busyFor } from './script.mjs'

export const recoveryTimeout = 500
const backoff = { initial: 300, max: 1_500, factor: 2 }
export const probeTimeout = 600
/** How many probes may be at a host at once, by recovery. */
export const limits = { single: 1, probes: 2, gradual: 3 }
/** How many probes have to succeed, by recovery. */
export const successesToClose = { single: 1, probes: 2, gradual: 4 }
/** Half of the last ten calls have failed, or of those of the last two seconds, which are forgotten a tenth at a time. */
export const failureShare = { rate: 0.5, minimumCalls: 5, calls: 10, ms: 2_000, parts: 10 }
/** The first phase of the ramp: one call in four, or one in half a second. */
export const firstPhase = { ratio: 0.25, successThreshold: successesToClose.gradual / 2, maxConcurrent: limits.gradual, maxGap: 500 }

/**
 * The options of the breaker of one host.
 *
 * @param {any} library what `lazybreaker` exports
 * @param {import('./script.mjs').Guard} guard
 */
export function optionsOf({ consecutiveFailures, failureRate, singleProbe, probes, gradual, exponentialBackoff }, guard) {
  const { rate, minimumCalls, calls, ms, parts } = failureShare
  const trips = {
    run: () => consecutiveFailures(/** @type {{ threshold: number }} */ (guard.trip).threshold),
    calls: () => failureRate({ rate, window: { calls }, minimumCalls }),
    ms: () => failureRate({ rate, window: { ms, buckets: parts }, minimumCalls }),
  }
  const recoveries = {
    single: () => singleProbe(),
    probes: () => probes({ maxConcurrent: limits.probes, successThreshold: successesToClose.probes }),
    gradual: () => gradual([firstPhase, { ...firstPhase, ratio: 0.5 }]),
  }
  return {
    trip: trips[guard.trip.kind](),
    recovery: recoveries[guard.recovery](),
    recoveryTimeout: guard.backoff ? exponentialBackoff(backoff) : recoveryTimeout,
    slowCallDuration: guard.slowCallDuration,
    probeTimeout,
    classifyResult: (/** @type {number} */ status) => (status === 503 ? { openFor: busyFor } : 'success'),
  }
}

/**
 * How long a breaker has to stay open, worked out apart from the library.
 *
 * @param {import('./script.mjs').Guard} guard
 * @param {number} relapses how often recovery was lost in this outage
 * @param {boolean} asked whether the host itself said for how long
 */
export function waitOf(guard, relapses, asked) {
  const ordinary = guard.backoff ? Math.min(backoff.initial * backoff.factor ** relapses, backoff.max) : recoveryTimeout
  return asked ? Math.max(ordinary, busyFor) : ordinary
}
