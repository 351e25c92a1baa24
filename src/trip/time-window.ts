/**
 * What happened in the last `buckets * width` milliseconds, in a ring of buckets: each a span of `width` ms of the clock, of which the
 * running one and those before it count. So a thing counts for between `(buckets - 1) * width` and `buckets * width` ms, never longer.
 * O(1) per thing counted; any idle gap is jumped in one step over the ring.
 *
 * A bucket is a pair (total, marked), and the sums of all live buckets are kept beside them.
 */
export class TimeWindow {
  readonly #width: number
  readonly #pairs: number[]
  /** Number of the running bucket since the clock's zero. */
  #current = -Infinity
  #total = 0
  #marked = 0

  constructor(buckets: number, width: number) {
    this.#width = width
    this.#pairs = new Array<number>(2 * buckets).fill(0)
  }

  push(marked: boolean, now: number): void {
    this.#roll(now)
    const slot = this.#slotOf(this.#current)
    this.#pairs[slot] = (this.#pairs[slot] ?? 0) + 1
    this.#total++
    if (!marked) return
    this.#pairs[slot + 1] = (this.#pairs[slot + 1] ?? 0) + 1
    this.#marked++
  }

  /** How many things count at `now`. */
  totalAt(now: number): number {
    return this.#sumAt(now, 0, this.#total)
  }

  /** How many of them were marked. */
  markedAt(now: number): number {
    return this.#sumAt(now, 1, this.#marked)
  }

  /** Makes the bucket of `now` the running one, and empties those that it passes on the way. A `now` before it changes nothing. */
  #roll(now: number): void {
    const passed = this.#passed(now)
    if (passed === 0) return
    // Stryker disable next-line ConditionalExpression,ArithmeticOperator: to empty them one by one leaves the same sums
    if (passed === this.#pairs.length / 2) {
      this.#pairs.fill(0)
      this.#total = this.#marked = 0
    } else {
      for (let i = 1; i <= passed; i++) {
        const slot = this.#slotOf(this.#current + i)
        this.#total -= this.#pairs[slot] ?? 0
        this.#marked -= this.#pairs[slot + 1] ?? 0
        this.#pairs[slot] = this.#pairs[slot + 1] = 0
      }
    }
    this.#current = Math.floor(now / this.#width)
  }

  #sumAt(now: number, offset: 0 | 1, whole: number): number {
    const passed = this.#passed(now)
    // Stryker disable next-line ConditionalExpression,ArithmeticOperator: all of them taken off leave 0
    if (passed === this.#pairs.length / 2) return 0
    for (let i = 1; i <= passed; i++) whole -= this.#pairs[this.#slotOf(this.#current + i) + offset] ?? 0
    return whole
  }

  /** How many buckets end between the running one and `now`: all of them at the most, whatever the gap. */
  #passed(now: number): number {
    return Math.min(Math.max(Math.floor(now / this.#width) - this.#current, 0), this.#pairs.length / 2)
  }

  #slotOf(bucket: number): number {
    const buckets = this.#pairs.length / 2
    const index = bucket % buckets
    return 2 * (index < 0 ? index + buckets : index)
  }
}
