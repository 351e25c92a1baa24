import pRetry from 'p-retry'
import { findCircuitOpenError } from '../../src/index.js'

/** The retry goes around the breaker, so that each attempt is judged: `retried(() => breaker.execute(call))`. */
export function retried<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return pRetry(attempt, {
    retries: 4,
    signal,
    async onFailedAttempt({ error, retriesLeft }) {
      const refusal = findCircuitOpenError(error)
      // While it is open, an attempt before this is refused for certain. Or give up at once: `throw error`.
      if (refusal?.reason === 'open' && retriesLeft > 0) await new Promise((resolve) => setTimeout(resolve, refusal.retryAfterMs))
    },
  })
}
