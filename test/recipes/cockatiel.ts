import { DelegateBackoff, handleAll, retry, type IRetryBackoffContext } from 'cockatiel'
import { findCircuitOpenError } from '../../src/index.js'

const backoff = new DelegateBackoff<IRetryBackoffContext<unknown>>(({ attempt, result }) => {
  const refusal = 'error' in result ? findCircuitOpenError(result.error) : undefined
  // While it is open, an attempt before this is refused for certain.
  return refusal?.reason === 'open' ? refusal.retryAfterMs : 128 * 2 ** attempt
})

/** The retry goes around the breaker, so that each attempt is judged: `retries.execute(() => breaker.execute(call))`. */
export const retries = retry(handleAll, { maxAttempts: 4, backoff })
