import { isReading } from './check.js'
import { describe, warnNonsense, warnThrown } from './warn.js'

/** Where a breaker takes its time from. */
export interface Clock {
  /** Milliseconds since some fixed moment; only differences are used. Should not step backwards, and is forgiven if it does. */
  now(): number
}

declare const performance: Clock

/** The clock of every breaker that is not given one. Looked up at each call, so that fake timers which replace the global move it. */
export const systemClock: Clock = { now: () => performance.now() }

/**
 * A clock that moves only when told to, for unit tests.
 *
 * @example
 * ```ts
 * const clock = new ManualClock()
 * const breaker = new CircuitBreaker({ clock, recoveryTimeout: 30_000 })
 * clock.advance(30_000)
 * ```
 */
export class ManualClock implements Clock {
  #now: number

  /** @param start - the first reading, in milliseconds; default 0 */
  constructor(start = 0) {
    this.#now = finite(start, 'start')
  }

  now(): number {
    return this.#now
  }

  /**
   * Moves the clock by `ms` milliseconds. A negative number steps back, as a corrected wall clock does.
   * @throws TypeError if `ms` is not a finite number
   */
  advance(ms: number): void {
    this.#now = finite(this.#now + finite(ms, 'advance'), 'advance')
  }
}

/**
 * A clock that never runs backwards: what a plan reads its time through. A source found behind its own last reading counts on from
 * there; one that throws or gives no finite number is taken to stand still.
 */
export class SteadyClock {
  readonly #source: Clock
  #raw: number
  #shift = 0

  /** @param first - a reading already found good */
  constructor(source: Clock, first: number) {
    this.#source = source
    this.#raw = first
  }

  now(): number {
    let raw: unknown
    try {
      raw = this.#source.now()
    } catch (error) {
      warnThrown('clock', error)
      raw = this.#raw
    }
    const last = this.#raw + this.#shift
    const now = typeof raw === 'number' ? raw + this.#shift : NaN
    if (!(now >= last && isReading(raw))) return this.#amend(raw, last)
    this.#raw = raw
    return now
  }

  #amend(raw: unknown, last: number): number {
    if (!isReading(raw)) {
      warnNonsense('clock', raw)
      return last
    }
    this.#raw = raw
    this.#shift = last - raw
    // Rounding must not take back what was already read.
    while (raw + this.#shift < last) this.#shift += Number.EPSILON * (Math.abs(raw) + Math.abs(last))
    return raw + this.#shift
  }

  /**
   * How long from the last reading until `moment`: above 0 for a moment that is still to come, and never so short that the source, moved on
   * by exactly that, would read less, whatever the rounding.
   */
  until(moment: number): number {
    let ms = Math.max(moment - (this.#raw + this.#shift), 0)
    while (this.#raw + ms + this.#shift < moment) ms += Number.EPSILON * (Math.abs(this.#raw) + Math.abs(moment))
    return ms
  }
}

function finite(value: number, what: string): number {
  if (Number.isFinite(value)) return value
  throw new TypeError(`${what}: expected a finite number, got ${describe(value)}`)
}
