import type { State } from './observer.js'
import type { Evidence, Progress } from './outage.js'

/** An error as plain data: enough to recognise it, never the object, of which a response body might hang. */
export interface ErrorSummary {
  readonly name: string
  readonly code?: string | number
  /** Shortened to 200 characters. */
  readonly message: string
}

/** A breaker as plain data, safe for JSON. What has no meaning in its state is absent. */
export interface Snapshot {
  readonly name?: string
  readonly state: State
  /** A reading of the breaker's clock, in milliseconds, of which only differences mean something. */
  readonly at: number
  /** Milliseconds until a call may be admitted; 0 if one would be now. */
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

/** Summarises any thrown value; never throws. */
export function summarise(error: unknown): ErrorSummary {
  try {
    if (typeof error !== 'object' || error === null) return { name: typeof error, message: short(String(error)) }
    const { name, code, message } = error as { name?: unknown; code?: unknown; message?: unknown }
    const cause = (error as { cause?: { code?: unknown } | null }).cause
    const known = [code, typeof cause === 'object' ? cause?.code : undefined].find((c) => typeof c === 'string' || Number.isFinite(c)) as string | number | undefined
    const summary = { name: typeof name === 'string' ? short(name) : 'Object', message: typeof message === 'string' ? short(message) : '' }
    return known === undefined ? summary : { ...summary, code: typeof known === 'string' ? short(known) : known }
  } catch {
    return { name: 'unknown', message: 'an error that cannot be read' }
  }
}

function short(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text
}
