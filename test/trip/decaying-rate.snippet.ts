import type { Trip } from '../../src/index.js'

/** Opens when the failure rate, in which recent calls weigh more, reaches `rate`; `weight` is the newest call's share. */
export function decayingRate(rate: number, weight = 0.1): Trip<number> {
  return {
    needsTime: false,
    fresh: () => 0,
    success: (mean) => mean * (1 - weight),
    failure: (mean) => mean * (1 - weight) + weight,
    trips: (mean) => (mean >= rate ? 'decaying-rate' : undefined),
    counts: (mean) => ({ failures: mean }),
  }
}
