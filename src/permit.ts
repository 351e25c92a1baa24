/// <reference lib="esnext.disposable" preserve="true" />
import { isWait } from './check.js'
import type { Flight } from './in-flight.js'
import { isNoEvidence, type AbortSignalLike, type Verdict } from './verdict.js'
import { describe, warn, warnThrown } from './warn.js'

/**
 * The right to make one call, and the duty to say how it went. The first report wins; each method tells whether its report was the
 * first, and in time: of the state that admitted the call.
 */
export interface Permit extends Disposable {
  /** The call went well. */
  success(): boolean
  /**
   * @param error - what went wrong; a refusal in it, or a signal by which the caller gave up, makes the report an `ignore()`
   * @param options - `openFor`: trip at once, and stay open for that many milliseconds or the recovery timeout, whichever is longer
   */
  failure(error?: unknown, options?: { readonly openFor?: number | undefined }): boolean
  /** No verdict: the place is free again, and nothing moves. */
  ignore(): boolean
  /** `using permit = …` ignores a call that nobody has reported on. */
  [Symbol.dispose](): void
}

export interface AcquireOptions {
  /** The caller's own: says whose an abort is, when a failure is reported. */
  readonly signal?: AbortSignalLike | undefined
}

/** A breaker as an adapter sees it: an interface, because the ESM and CommonJS types of a class with private fields are not the same. */
export interface BreakerLike {
  acquire(options?: AcquireOptions): Permit
  tryAcquire(options?: AcquireOptions): Permit | undefined
}

/** A registry as an adapter sees it. */
export interface RegistryLike<Key = string> {
  for(key: Key): BreakerLike
}

/** Who takes reports: the breaker that admitted the call. */
export interface Judge {
  report(epoch: number, flight: Flight | null, verdict: Verdict, error: unknown): boolean
}

// Bound once: not every platform has the symbol, and a class would then grow a method named "undefined".
const dispose: typeof Symbol.dispose = (Symbol as { dispose?: typeof Symbol.dispose }).dispose ?? (Symbol.for('Symbol.dispose') as typeof Symbol.dispose)

/** A permit, as its breaker gives it out. */
export class Ticket implements Permit {
  readonly #judge: Judge
  readonly #epoch: number
  readonly #flight: Flight | null
  readonly #signal: AbortSignalLike | undefined
  #settled = false

  constructor(judge: Judge, epoch: number, flight: Flight | null, signal: AbortSignalLike | undefined) {
    this.#judge = judge
    this.#epoch = epoch
    this.#flight = flight
    this.#signal = signal
  }

  success(): boolean {
    return this.settle('success', undefined)
  }

  failure(error?: unknown, options?: { readonly openFor?: number | undefined }): boolean {
    if (isNoEvidence(error, this.#signal)) return this.settle('ignored', error)
    let openFor: unknown
    try {
      openFor = options?.openFor
    } catch (thrown) {
      warnThrown('permit.failure: openFor', thrown)
    }
    if (openFor === undefined) return this.settle('failure', error)
    if (isWait(openFor)) return this.settle({ openFor }, error)
    warn(`permit.failure: openFor: expected a finite number of at least 0, got ${describe(openFor)}; it counts as a plain failure`)
    return this.settle('failure', error)
  }

  ignore(): boolean {
    return this.settle('ignored', undefined)
  }

  [dispose](): void {
    this.ignore()
  }

  /** @internal */
  private settle(verdict: Verdict, error: unknown): boolean {
    if (this.#settled) return false
    this.#settled = true
    return this.#judge.report(this.#epoch, this.#flight, verdict, error)
  }
}
