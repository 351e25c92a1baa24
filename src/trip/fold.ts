import { isWait } from '../check.js'
import { warnNonsense, warnThrown } from '../warn.js'
import type { Verdict } from '../verdict.js'
import type { AnyTrip, Counts } from './trip.js'

// How a trip is asked. It may be somebody's own, so whatever it throws or gives, the breaker goes on.

/**
 * The memory after one more thing; what is neither a success nor slow is a failure. `undefined` stands for a fresh memory, and what throws
 * leaves the memory that was.
 */
export function fold(trip: AnyTrip, memory: unknown, what: Exclude<Verdict, 'ignored'> | 'slow', slow: boolean, now: number): unknown {
  try {
    const before = memory === undefined ? unlessPromise(trip.fresh(), memory) : memory
    if (what === 'slow') return trip.slow === undefined ? memory : unlessPromise(trip.slow(before, now), memory)
    return unlessPromise(what === 'success' ? trip.success(before, slow, now) : trip.failure(before, slow, now), memory)
  } catch (error) {
    warnThrown('trip', error)
    return memory
  }
}

/** The reason to open now, if there is one. What has seen nothing has none. */
export function reasonToOpen(trip: AnyTrip, memory: unknown, now: number): string | undefined {
  if (memory === undefined) return undefined
  let reason: unknown
  try {
    reason = trip.trips(memory, now)
  } catch (error) {
    warnThrown('trip.trips', error)
    return undefined
  }
  if (reason === undefined || typeof reason === 'string') return reason
  warnNonsense('trip.trips', reason)
  return undefined
}

/** What `trip` counts, if it can say so in numbers; a trip of one's own that throws or gives nonsense has counted nothing. */
export function countsOf(trip: AnyTrip, memory: unknown, now: number): Counts {
  try {
    const counts = trip.counts(memory === undefined ? unlessPromise(trip.fresh(), memory) : memory, now)
    const { failures, calls, slowCalls } = counts
    if ([failures, calls ?? 0, slowCalls ?? 0].every(isWait)) {
      return { failures, ...(calls !== undefined && { calls }), ...(slowCalls !== undefined && { slowCalls }) }
    }
    warnNonsense('trip.counts', counts)
  } catch (error) {
    warnThrown('trip.counts', error)
  }
  return { failures: 0 }
}

/** Does `memory` hold nothing at `now`? A number is compared with a fresh one, of an object what it counts is believed. */
export function isFresh(trip: AnyTrip, memory: unknown, now: number): boolean {
  if (memory === undefined) return true
  const { failures, calls = 0, slowCalls = 0 } = countsOf(trip, memory, now)
  if (failures !== 0 || calls !== 0 || slowCalls !== 0) return false
  try {
    return typeof memory === 'object' || Object.is(memory, trip.fresh())
  } catch (error) {
    warnThrown('trip.fresh', error)
    return false
  }
}

/** A trip that is asynchronous by mistake has seen nothing, and its rejections are nobody's. */
function unlessPromise(memory: unknown, before: unknown): unknown {
  if (typeof memory !== 'object' || memory === null || typeof (memory as Partial<PromiseLike<unknown>>).then !== 'function') return memory
  warnNonsense('trip', memory)
  return before
}
