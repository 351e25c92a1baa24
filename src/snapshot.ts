import type { State } from './observer.js'
import type { ErrorSummary } from './summary.js'
import type { Counts } from './trip/trip.js'

/** A breaker as plain data, safe for JSON. What has no meaning in its state is absent. */
export interface Snapshot {
  readonly name?: string
  readonly state: State
  /** A reading of the breaker's clock, in milliseconds, of which only differences mean something. */
  readonly at: number
  /** Milliseconds until a call may be admitted, may be fractional; 0 if one would be now. For a timer use `Math.ceil(ms) + 1`. */
  readonly retryAfterMs: number
  /** Openings over the breaker's life. */
  readonly trips: number
  /** Recoveries of this outage tried and lost. */
  readonly relapses?: number
  /** What the trip remembers now. */
  readonly failures: number
  readonly calls?: number
  readonly slowCalls?: number
  /** When this outage was opened last, by the same clock as `at`. */
  readonly trippedAt?: number
  /** Why it is not closed. */
  readonly reason?: string
  readonly error?: ErrorSummary
  /** What the trip had counted when this outage began, and its reason then. */
  readonly evidence?: Evidence
  /** Half-open only. */
  readonly phase?: Progress
}

/** How far a recovery has come. */
export interface Progress {
  /** Of the running phase, from 0. */
  readonly index: number
  readonly ratio: number
  /** Absent if nothing bounds it. */
  readonly maxConcurrent?: number
  /** Places taken. */
  readonly inFlight: number
  readonly successes: number
  readonly successThreshold: number
}

/** The numbers that began an outage. */
export interface Evidence extends Counts {
  readonly reason: string
}
