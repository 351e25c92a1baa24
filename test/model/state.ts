import { type Counts, type Memory } from './memory.js'

/** A breaker as the laws tell it: a plain value, and `step`, which gives the next one. Slow and obvious on purpose. */
export interface Model {
  readonly kind: 'closed' | 'open' | 'half-open' | 'forced-open' | 'disabled'
  readonly epoch: number
  /** The breaker's clock: it never goes back (law 2). */
  readonly now: number
  readonly trips: number
  readonly memory: Memory
  /** Calls that were admitted and have not settled, in the order in which they started. */
  readonly calls: readonly Call[]
  readonly outage?: ModelOutage
  /** What observers were told, first to last. */
  readonly transitions: readonly ModelTransition[]
}

export interface Call {
  readonly id: number
  readonly epoch: number
  readonly phase: number
  readonly start: number
  /** Already counted as slow. */
  readonly slow: boolean
}

export interface ModelOutage {
  readonly trippedAt: number
  readonly wait: number
  readonly relapses: number
  readonly reason: string
  readonly phase: number
  readonly successes: number
  readonly failures: number
  /** Arrivals and admissions since the phase began, or since the last admission by gap (which is the first of each). */
  readonly arrivals: number
  readonly admitted: number
  /** When a call was admitted last, in whichever phase; the gap of the running phase counts from there. */
  readonly admittedAt: number
  /** The calls that hold a place, the oldest first. */
  readonly places: readonly Place[]
}

export interface Place {
  readonly id: number
  readonly until: number
}

export interface ModelTransition {
  readonly from: Model['kind']
  readonly to: Model['kind']
  readonly at: number
  readonly reason: string
  /** The numbers that caused it: the trip's, or those of the phase that ends; a command has none. */
  readonly counts?: Counts
  readonly trippedAt?: number
  readonly wait?: number
  readonly relapses?: number
}

export type Outcome = 'success' | 'failure' | 'ignored'
export type Refusal = 'open' | 'probing' | 'ramping' | 'forced-open'

export type Action =
  | { readonly type: 'start'; readonly id: number }
  | { readonly type: 'settle'; readonly id: number; readonly outcome: Outcome; readonly openFor?: number }
  /** A negative step moves nothing: the clock counts on from where it was. */
  | { readonly type: 'advance'; readonly ms: number }
  | { readonly type: 'reset' | 'forceOpen' | 'disable' }

export interface Answer {
  /** For `start`: why it was refused, if it was. */
  readonly refused?: Refusal
  /** For `start`, if it was refused: how long it is told to wait. */
  readonly retryAfterMs?: number
  /** For `settle`: whether it was the first report, and in time. */
  readonly inTime?: boolean
  /** For `settle`: the call, as it was known when it settled. */
  readonly call?: Call
}
