import type { Circuit } from './breaker.js'

/** How many breakers are looked at, at the most, where nothing says which one to take. */
const LOOK = 16

/**
 * Goes round a set, as the hand of a clock does. It is kept from one look to the next: a new iterator would go again over the holes that
 * deleted elements leave, and at the front of a queue there are as many of those as the queue is long.
 */
class Hand<T> {
  readonly #set: ReadonlySet<T>
  #at: Iterator<T, undefined> | null = null

  constructor(set: ReadonlySet<T>) {
    this.#set = set
  }

  /** The next one, the first after the last; `undefined` if there is none. */
  next(): T | undefined {
    this.#at ??= this.#set.values()
    let step = this.#at.next()
    if (step.done === true) {
      this.#at = this.#set.values()
      step = this.#at.next()
    }
    return step.value
  }

  /** The first of the next few that is one such; `undefined` if none is. */
  find(isSuch: (element: T) => boolean): T | undefined {
    for (let looks = LOOK; looks > 0; looks--) {
      const element = this.next()
      if (element === undefined || isSuch(element)) return element
    }
    return undefined
  }

  // Stryker disable next-line BlockStatement: what it saves is memory, and test/registry/attack.test.ts weighs that
  lift(): void {
    this.#at = null
  }
}

/**
 * Which breaker a full registry forgets, in O(1) per new key, amortised, and without a timer:
 *
 * 1. the oldest without evidence. `quiet` holds, in order of age, those that had none when they were last looked at; one found with some
 *    is moved to `marked`, where it is watched: it comes back when it has nothing left in flight and nothing to remember;
 * 2. else a closed one with evidence, by second chance (after Corbató 1968): one used since it was last looked at is passed over once;
 * 3. else an outage that is past its wait.
 *
 * One with a listener of its own is never forgotten: nobody would know that what he hears has ended.
 *
 * A breaker moves to `marked` once per change of its own and is passed over once per use, and the looks that find nothing are bounded.
 */
export class Eviction<Breaker extends Circuit> {
  readonly #quiet: Set<Breaker>
  readonly #marked = new Set<Breaker>()
  /** All that are not closed; shared with the registry, which lists them. */
  readonly #outages: ReadonlySet<Breaker>
  readonly #oldest: Hand<Breaker>
  readonly #outlived = new Hand(this.#marked)
  readonly #chance = new Hand(this.#marked)
  readonly #waiting: Hand<Breaker>

  /** @param closed - the closed breakers, in order of age */
  constructor(closed: Iterable<Breaker>, outages: ReadonlySet<Breaker>) {
    this.#quiet = new Set(closed)
    this.#outages = outages
    this.#oldest = new Hand(this.#quiet)
    this.#waiting = new Hand(outages)
  }

  add(breaker: Breaker): void {
    this.#changed()
    this.#quiet.add(breaker)
  }

  remove(breaker: Breaker): void {
    this.#quiet.delete(breaker)
    this.#marked.delete(breaker)
  }

  /** Its state has changed, or who listens to it: what is not closed, or has a listener of its own, is not for the first two choices. */
  moved(breaker: Breaker): void {
    this.#changed()
    this.remove(breaker)
    breaker.watch = 0
    if (breaker.isClosed && !breaker.isObserved) this.#quiet.add(breaker)
  }

  /** A call of a marked one has settled. */
  settled(breaker: Breaker, now: number): void {
    if (isBlankIn(this.#marked, breaker, now)) this.#release(breaker)
  }

  /** The breaker to forget, or `undefined` if none may be. */
  victim(now: number): Breaker | undefined {
    // Evidence that a window of time has outlived is nobody's event, so it is looked for.
    const outlived = () => this.#outlived.find((breaker) => isBlankIn(this.#marked, breaker, now))
    return this.#unmarked(now) ?? outlived() ?? this.#unused() ?? this.#waiting.find((breaker) => breaker.isRecoverable(now) && !breaker.isObserved)
  }

  #unmarked(now: number): Breaker | undefined {
    for (let breaker = this.#oldest.next(); breaker !== undefined; breaker = this.#oldest.next()) {
      if (isBlankIn(this.#quiet, breaker, now)) return breaker
      if (!this.#quiet.delete(breaker)) continue
      this.#marked.add(breaker)
      breaker.watch = 1
    }
    return undefined
  }

  #unused(): Breaker | undefined {
    // Each that is passed over has been used since: that use has paid for this look.
    let breaker = this.#chance.next()
    while (breaker !== undefined && breaker.watch !== 1) {
      breaker.watch = 1
      breaker = this.#chance.next()
    }
    return breaker
  }

  #changes = 0

  /** A set that is rehashed keeps its former tables for an iterator that stands in one of them, so no hand stands still for long. */
  // Stryker disable next-line BlockStatement: what it saves is memory, and test/registry/attack.test.ts weighs that
  #changed(): void {
    // Stryker disable next-line ConditionalExpression,EqualityOperator,UpdateOperator,ArithmeticOperator: when it is saved is no matter, within reason
    if (++this.#changes <= 2 * (this.#quiet.size + this.#marked.size + this.#outages.size) + 16) return
    this.#changes = 0
    // Stryker disable next-line ArrayDeclaration: as above
    for (const hand of [this.#oldest, this.#outlived, this.#chance, this.#waiting]) hand.lift()
  }

  #release(breaker: Breaker): void {
    this.#changed()
    this.#marked.delete(breaker)
    this.#quiet.add(breaker)
    breaker.watch = 0
  }
}

/** Is it blank, and still where it was? The trip, asked what it has counted, may have changed or forgotten it. */
function isBlankIn<Breaker extends Circuit>(set: ReadonlySet<Breaker>, breaker: Breaker, now: number): boolean {
  return breaker.isBlank(now) && set.has(breaker)
}
