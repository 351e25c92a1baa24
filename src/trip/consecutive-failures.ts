import { checkCount } from '../check.js'
import type { Trip } from './trip.js'

/**
 * Opens after `threshold` failures with no success between them, however far apart. Ignored calls neither add nor end the run. The
 * simplest evidence, and right for hosts that are called seldom.
 *
 * @throws TypeError or RangeError if `threshold` is not a whole number of at least 1
 */
export function consecutiveFailures(threshold: number): Trip<number> {
  checkCount('consecutiveFailures', threshold)
  return Object.freeze<Trip<number>>({
    needsTime: false,
    fresh: () => 0,
    success: () => 0,
    failure: (run) => run + 1,
    trips: (run) => (run >= threshold ? 'consecutive-failures' : undefined),
    counts: (run) => ({ failures: run }),
  })
}
