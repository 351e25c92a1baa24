/** Bits kept in one array element: what V8 stores without a box on every platform. */
const BITS = 30

/**
 * The last `size` outcomes as bits in a ring, with the number of set ones kept beside it: O(1) per outcome whatever the size, and about
 * two bits of memory each.
 */
export class CountWindow {
  readonly #words: number[]
  readonly #size: number
  #next = 0
  #filled = 0
  #marked = 0

  constructor(size: number) {
    this.#size = size
    this.#words = new Array<number>(Math.ceil(size / BITS)).fill(0)
  }

  totalAt(): number {
    return this.#filled
  }

  markedAt(): number {
    return this.#marked
  }

  /** Adds an outcome; the oldest goes if the window is full. */
  push(marked: boolean): void {
    const slot = this.#next
    // Stryker disable next-line ArithmeticOperator: an element for each outcome would count as well, in thirty times the memory
    const at = (slot / BITS) | 0
    const bit = 1 << slot % BITS
    const word = this.#words[at] ?? 0
    // A slot not yet filled is 0, so what it held before can be taken off in every case.
    if ((word & bit) !== 0) this.#marked--
    if (marked) this.#marked++
    this.#words[at] = marked ? word | bit : word & ~bit
    if (this.#filled < this.#size) this.#filled++
    this.#next = slot + 1 === this.#size ? 0 : slot + 1
  }
}
