/** Why a call was refused: waiting out the recovery timeout, all probe places taken, not this call's turn in a ramp, or held open by hand. */
export type RefusalReason = 'open' | 'probing' | 'ramping' | 'forced-open'

const CODE = 'ERR_CIRCUIT_OPEN' as const

/**
 * What a refused call gets: the call was never made. A new object for each refusal, and without a stack, because refusing is the hot path
 * of an outage.
 */
export class CircuitOpenError extends Error {
  /** The breaker's name; of a registry, the key as a string. */
  readonly breaker: string | undefined
  readonly reason: RefusalReason
  /** Milliseconds, above 0, may be fractional, after which a call is not refused for being early; for a timer use `Math.ceil(ms) + 1`. */
  readonly retryAfterMs: number

  static {
    // On the prototype, as of every class of errors.
    Object.defineProperty(this.prototype, 'name', { value: 'CircuitOpenError', configurable: true, writable: true })
  }
  /** Its own, so that it is also in its JSON. */
  readonly code = CODE

  constructor(breaker: string | undefined, reason: RefusalReason, retryAfterMs: number, cause: unknown) {
    super(message(breaker, reason, retryAfterMs), cause === undefined ? undefined : { cause })
    this.breaker = breaker
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }
}

/** Builds the refusal with stack capture turned off, which is most of what an `Error` costs (V8; elsewhere, or if `Error` is frozen, a stack may appear). */
export function refusal(breaker: string | undefined, reason: RefusalReason, retryAfterMs: number, cause: unknown): CircuitOpenError {
  const errors = Error as { stackTraceLimit?: number }
  const limit = errors.stackTraceLimit
  const settable = limit !== undefined && Reflect.set(errors, 'stackTraceLimit', 0)
  try {
    return new CircuitOpenError(breaker, reason, retryAfterMs, cause)
  } finally {
    // Also if the stack is full, or no error of the process would have one any more.
    if (settable) errors.stackTraceLimit = limit
  }
}

function message(breaker: string | undefined, reason: RefusalReason, retryAfterMs: number): string {
  const who = breaker === undefined ? 'The circuit' : `The circuit "${breaker}"`
  if (reason === 'forced-open') return `${who} refused the call: it is forced open until reset()`
  return `${who} refused the call (${reason}); retry in ${String(Math.ceil(retryAfterMs))} ms`
}

/** How far down a chain of causes a refusal is looked for; chains can be cyclic. */
const DEPTH = 16

/**
 * The refusal that `error` is, or that stands in its chain of causes (undici's fetch hides it there), else `undefined`. Told by its
 * code, so it also knows refusals from another copy of this package. Accepts any value and never throws.
 */
export function findCircuitOpenError(error: unknown): CircuitOpenError | undefined {
  try {
    let link: unknown = error
    for (let i = 0; i < DEPTH; i++) {
      if (typeof link !== 'object') return undefined
      if ((link as { code?: unknown }).code === CODE) return link as CircuitOpenError
      link = (link as { cause?: unknown }).cause
    }
  } catch {
    // null, a throwing getter, a revoked proxy: not one of ours.
  }
  return undefined
}
