/** One admitted call of which its breaker must know more than the epoch: it is timed, or it is a probe. */
export class Flight {
  /** The phase of recovery that admitted it, if one did. */
  phase = 0
  /** Has it been counted as slow? */
  slow = false
  previous: Flight | null = null
  next: Flight | null = null

  /** @param startedAt - a reading of the clock; `NaN` if the call is not timed */
  constructor(
    readonly epoch: number,
    readonly startedAt: number,
  ) {}

  /** A call that hangs for long must not keep alive all that came and went after it. */
  unlink(): void {
    this.previous = this.next = null
  }
}

/**
 * The calls of one breaker that have neither settled nor become slow, in start order. All take the same time to become slow, so the
 * first is always the next that will: seeing those that hang needs no timer and no scan.
 */
export class InFlight {
  readonly #slowCallDuration: number
  #first: Flight | null = null
  #last: Flight | null = null

  constructor(slowCallDuration: number) {
    this.#slowCallDuration = slowCallDuration
  }

  add(flight: Flight): void {
    const last = this.#last
    flight.previous = last
    if (last === null) this.#first = flight
    else last.next = flight
    this.#last = flight
  }

  /** Takes out a call that is in the list. */
  remove(flight: Flight): void {
    const { previous, next } = flight
    if (previous === null) this.#first = next
    else previous.next = next
    if (next === null) this.#last = previous
    else next.previous = previous
    flight.unlink()
  }

  /** Takes out the oldest call that is slow by `now`, marks it so, and tells when it became slow; `undefined` if there is none (left). */
  takeSlow(now: number): number | undefined {
    const first = this.#first
    if (first === null) return undefined
    const slowAt = first.startedAt + this.#slowCallDuration
    if (now < slowAt) return undefined
    this.remove(first)
    first.slow = true
    return slowAt
  }
}
