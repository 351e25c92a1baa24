import { checkBoolean, checkFunction } from '../check.js'
import { describe } from '../warn.js'

/** What a trip remembers, as numbers for snapshots and events. */
export interface Counts {
  readonly failures: number
  /** Calls settled; absent if the trip does not count them. */
  readonly calls?: number | undefined
  /** Absent if the trip does not weigh slow calls. */
  readonly slowCalls?: number | undefined
}

/**
 * When to open. A trip is a fold and owns no state: its memory of one breaker is handed in and handed back, so one trip object serves a
 * million breakers. The memory may be a number that is replaced or an object that is changed in place; it is made on first use, and
 * dropped whenever the breaker opens or closes. Each counted report is folded in first and judged after, successes too.
 *
 * `now` is a reading of the breaker's clock in milliseconds, and is meaningless (`NaN`) unless `needsTime`.
 *
 * @example A failure rate in which recent calls weigh more (exponentially weighted; `weight` is the newest call's share):
 * ```ts
 * function decayingRate(rate: number, weight = 0.1): Trip<number> {
 *   return {
 *     needsTime: false,
 *     fresh: () => 0,
 *     success: (mean) => mean * (1 - weight),
 *     failure: (mean) => mean * (1 - weight) + weight,
 *     trips: (mean) => (mean >= rate ? 'decaying-rate' : undefined),
 *     counts: (mean) => ({ failures: mean }),
 *   }
 * }
 * ```
 */
export interface Trip<Memory> {
  /** Whether `now` is used. If not, the clock is never read for this trip. */
  readonly needsTime: boolean
  /** The memory of a breaker that has seen nothing. */
  fresh(): Memory
  /** A call settled well. `slow`: `slow()` was told of it before. */
  success(memory: Memory, slow: boolean, now: number): Memory
  /** A call failed. */
  failure(memory: Memory, slow: boolean, now: number): Memory
  /**
   * A call has become slow, returned or not. A trip without this method takes a slow call as a failure at the moment it becomes slow, and
   * what the call returns later changes nothing.
   */
  slow?(memory: Memory, now: number): Memory
  /** The reason to open now, or nothing. Must not change the memory. */
  trips(memory: Memory, now: number): string | undefined
  /** Must not change the memory. */
  counts(memory: Memory, now: number): Counts
}

/** A trip whose memory is its own affair. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the memory of one trip is never handed to another
export type AnyTrip = Trip<any>

/** @throws TypeError if `trip` is not one */
export function checkTrip(name: string, trip: AnyTrip): AnyTrip {
  const given = trip as Partial<AnyTrip> | null
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError(`${name}: expected a trip, as consecutiveFailures(5) gives, got ${describe(trip)}`)
  }
  checkBoolean(`${name}.needsTime`, given.needsTime)
  for (const method of ['fresh', 'success', 'failure', 'trips', 'counts'] as const) checkFunction(`${name}.${method}`, given[method])
  if (trip.slow !== undefined) checkFunction(`${name}.slow`, trip.slow)
  return trip
}
