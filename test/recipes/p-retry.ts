import { setTimeout as sleep } from 'node:timers/promises'
import pRetry from 'p-retry'
import { findCircuitOpenError } from '../../src/index.js'

/** What your caller can afford, in milliseconds. */
const LONGEST_WAIT = 5_000

/** The retry goes around the breaker, so that each attempt is judged: `retried(() => breaker.execute(call), signal)`. */
export function retried<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return pRetry(attempt, {
    retries: 4,
    signal,
    async onFailedAttempt({ error, retriesLeft }) {
      const refusal = findCircuitOpenError(error)
      // A recovery under way may let the next one in at any time: the ordinary backoff will do.
      if (!refusal || refusal.reason === 'probing' || refusal.reason === 'ramping' || retriesLeft === 0) return
      if (refusal.reason === 'forced-open' || refusal.retryAfterMs > LONGEST_WAIT) throw error
      // An attempt before this is refused for certain. A timer drops the fraction, and may be early.
      await sleep(Math.ceil(refusal.retryAfterMs) + 1, undefined, { signal }).catch(() => signal?.throwIfAborted())
    },
  })
}
