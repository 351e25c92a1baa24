import type { Circuit } from './breaker.js'

/** How many breakers are looked at, at the most, where nothing says which one to take. */
const LOOK = 16

/**
 * Which breaker a full registry forgets, in O(1) per new key, amortised, and without a timer:
 *
 * 1. the oldest without evidence. `quiet` holds, in order of age, those that had none when they were last looked at; one found with some
 *    is moved to `marked`, where it is watched: it comes back when it has nothing left in flight and nothing to remember;
 * 2. else a closed one with evidence, by second chance (Corbató 1968): one used since it was last looked at is passed over once, and goes
 *    to the end of the line;
 * 3. else an outage that is past its wait.
 *
 * A breaker moves to `marked` once per change of its own and round the line once per use, and the looks that find nothing are bounded.
 */
export class Eviction<Breaker extends Circuit> {
  readonly #quiet: Set<Breaker>
  readonly #marked = new Set<Breaker>()
  /** All that are not closed; shared with the registry, which lists them. */
  readonly #outages: Set<Breaker>

  /** @param closed - the closed breakers, in order of age */
  constructor(closed: Iterable<Breaker>, outages: Set<Breaker>) {
    this.#quiet = new Set(closed)
    this.#outages = outages
  }

  add(breaker: Breaker): void {
    this.#quiet.add(breaker)
  }

  remove(breaker: Breaker): void {
    this.#quiet.delete(breaker)
    this.#marked.delete(breaker)
  }

  /** The state of `breaker` has changed: what is not closed is not for the first two choices. */
  moved(breaker: Breaker): void {
    this.remove(breaker)
    if (breaker.isClosed) this.#quiet.add(breaker)
  }

  /** A marked one has nothing left in flight. */
  idle(breaker: Breaker, now: number): void {
    if (breaker.isBlank(now)) this.#release(breaker)
  }

  /** The breaker to forget, or `undefined` if none may be. */
  victim(now: number): Breaker | undefined {
    return this.#unmarked(now) ?? this.#unused(now) ?? this.#recoverable(now)
  }

  #unmarked(now: number): Breaker | undefined {
    for (const breaker of this.#quiet) {
      if (breaker.isBlank(now)) return breaker
      this.#quiet.delete(breaker)
      this.#marked.add(breaker)
      breaker.watch = 1
    }
    return undefined
  }

  #unused(now: number): Breaker | undefined {
    // Evidence that a window of time has outlived is nobody's event, so it is looked for here.
    let looks = LOOK
    for (const breaker of this.#marked) {
      if (breaker.isBlank(now)) return breaker
      if (--looks === 0) break
    }
    for (const breaker of this.#marked) {
      if (breaker.watch === 1) return breaker
      // Each time round is paid for by a use.
      breaker.watch = 1
      this.#marked.delete(breaker)
      this.#marked.add(breaker)
    }
    return undefined
  }

  #recoverable(now: number): Breaker | undefined {
    let looks = LOOK
    for (const breaker of this.#outages) {
      if (breaker.isRecoverable(now)) return breaker
      if (--looks === 0) break
      // To the end of the line, so that the next look goes on where this one stopped.
      this.#outages.delete(breaker)
      this.#outages.add(breaker)
    }
    return undefined
  }

  #release(breaker: Breaker): void {
    this.#marked.delete(breaker)
    this.#quiet.add(breaker)
    breaker.watch = 0
  }
}
