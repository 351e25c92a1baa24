import { countsOf, fold, reasonToOpen } from './fold.js'
import { checkTrip, type AnyTrip, type Counts, type Trip } from './trip.js'

/**
 * Opens when any of `trips` would; a call that reaches several thresholds at once gives one reason that joins theirs with `+`. If one
 * of them weighs slow calls, slowness is its business alone, and the others see only how calls settle.
 *
 * @throws TypeError without trips, or if one is not a trip
 */
export function anyOf(...trips: readonly AnyTrip[]): Trip<unknown> {
  if (trips.length === 0) throw new TypeError('anyOf: expected at least one trip, got none')
  trips.forEach((trip, i) => checkTrip(`anyOf[${String(i)}]`, trip))
  // Each is asked as the breaker would: one that throws, or gives nonsense, does not keep the others from seeing.
  const each = (what: 'success' | 'failure' | 'slow') => (memories: unknown[], slow: boolean, now: number) => {
    for (const [i, trip] of trips.entries()) memories[i] = fold(trip, memories[i], what, slow, now)
    return memories
  }
  const slow = each('slow')
  return Object.freeze<Trip<unknown[]>>({
    needsTime: trips.some((trip) => trip.needsTime),
    fresh: () => trips.map(() => undefined),
    success: each('success'),
    // Stryker disable next-line StringLiteral: what is neither a success nor slow is folded as a failure
    failure: each('failure'),
    // Stryker disable next-line BooleanLiteral: to be told that a call became slow is to know that it is
    ...(trips.some((trip) => trip.slow !== undefined) && { slow: (memories: unknown[], now: number) => slow(memories, true, now) }),
    trips: (memories, now) => {
      const reasons = new Set(trips.flatMap((trip, i) => reasonToOpen(trip, memories[i], now)?.split('+') ?? []))
      return reasons.size === 0 ? undefined : [...reasons].join('+')
    },
    counts: (memories, now) => trips.map((trip, i) => countsOf(trip, memories[i], now)).reduce(wider),
  })
}

/** Of two views of the same calls the one with more failures, then with more calls; of slow calls, the one that knows of more. */
function wider(a: Counts, b: Counts): Counts {
  const more = b.failures > a.failures || (b.failures === a.failures && (b.calls ?? 0) > (a.calls ?? 0)) ? b : a
  if (a.slowCalls === undefined && b.slowCalls === undefined) return more
  return { ...more, slowCalls: Math.max(a.slowCalls ?? 0, b.slowCalls ?? 0) }
}
