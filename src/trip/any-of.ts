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
  const each = (fold: (trip: AnyTrip, memory: unknown) => unknown) => (memories: unknown[]) => {
    for (const [i, trip] of trips.entries()) memories[i] = fold(trip, memories[i])
    return memories
  }
  const combined: Trip<unknown[]> = {
    needsTime: trips.some((trip) => trip.needsTime),
    fresh: () => trips.map((trip) => trip.fresh() as unknown),
    success: (memories, slow, now) => each((trip, memory) => trip.success(memory, slow, now))(memories),
    failure: (memories, slow, now) => each((trip, memory) => trip.failure(memory, slow, now))(memories),
    trips: (memories, now) => {
      const reasons = new Set(trips.flatMap((trip, i) => trip.trips(memories[i], now)?.split('+') ?? []))
      return reasons.size === 0 ? undefined : [...reasons].join('+')
    },
    counts: (memories, now) => trips.map((trip, i) => trip.counts(memories[i], now)).reduce(wider),
  }
  if (!trips.some((trip) => trip.slow !== undefined)) return Object.freeze(combined)
  return Object.freeze({
    ...combined,
    slow: (memories: unknown[], now: number) => each((trip, memory) => (trip.slow === undefined ? memory : (trip.slow(memory, now) as unknown)))(memories),
  })
}

/** Of two views of the same calls the one with more failures, then with more calls; what only the other knows of slow calls is kept. */
function wider(a: Counts, b: Counts): Counts {
  const [more, less] = b.failures > a.failures || (b.failures === a.failures && (b.calls ?? 0) > (a.calls ?? 0)) ? [b, a] : [a, b]
  const slowCalls = more.slowCalls ?? less.slowCalls
  return slowCalls === undefined ? more : { ...more, slowCalls }
}
