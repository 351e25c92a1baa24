import { DelegateBackoff, handleWhen, retry, type IRetryBackoffContext } from 'cockatiel'
import { findCircuitOpenError } from '../../src/index.js'

/** What your caller can afford, in milliseconds: cockatiel does not end a wait when the caller aborts. */
const LONGEST_WAIT = 5_000

const worthIt = handleWhen((error) => {
  const { reason, retryAfterMs = 0 } = findCircuitOpenError(error) ?? {}
  return reason !== 'forced-open' && !(reason === 'open' && retryAfterMs > LONGEST_WAIT)
})

const backoff = new DelegateBackoff<IRetryBackoffContext<unknown>>(({ attempt, result }) => {
  const refusal = 'error' in result ? findCircuitOpenError(result.error) : undefined
  // While it is open, an attempt before this is refused for certain. A timer drops the fraction, and may be early.
  return refusal?.reason === 'open' ? Math.ceil(refusal.retryAfterMs) + 1 : 128 * 2 ** attempt
})

/** The retry goes around the breaker, so that each attempt is judged: `retries.execute(() => breaker.execute(call))`. */
export const retries = retry(worthIt, { maxAttempts: 4, backoff })
