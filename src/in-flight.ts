/** One call in the air, timed. */
export class Flight {
  /** Has it been counted as slow? */
  slow = false
  previous: Flight | null = null
  next: Flight | null = null

  /** @param startedAt - a reading of the clock; @param slowAt - when it becomes slow, `Infinity` if nothing is */
  constructor(
    readonly startedAt: number,
    readonly slowAt: number,
  ) {}
}

/**
 * The timed calls of one breaker that have neither settled nor become slow, in start order. All take the same time to become slow, so
 * the first is always the next that will: seeing those that hang needs no timer and no scan.
 */
export class InFlight {
  #first: Flight | null = null
  #last: Flight | null = null

  add(flight: Flight): void {
    flight.previous = this.#last
    if (this.#last === null) this.#first = flight
    else this.#last.next = flight
    this.#last = flight
  }

  /** Takes out a call that is in the list. */
  remove(flight: Flight): void {
    if (flight.previous === null) this.#first = flight.next
    else flight.previous.next = flight.next
    if (flight.next === null) this.#last = flight.previous
    else flight.next.previous = flight.previous
    flight.previous = flight.next = null
  }

  /** Takes out the oldest call that is slow by `now` and marks it so; `null` if there is none (left). */
  takeSlow(now: number): Flight | null {
    const first = this.#first
    if (first === null || !(now >= first.slowAt)) return null
    this.remove(first)
    first.slow = true
    return first
  }
}
