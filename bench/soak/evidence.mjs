import { failureShare } from './guard.mjs'

/**
 * What a breaker that is closed has to know, worked out apart from the library and as plainly as can be: every outcome
 * is kept, and counted anew each time.
 */
export class Evidence {
  #trip
  /** Since the breaker closed, oldest first. @type {{ failed: boolean, at: number }[]} */
  #outcomes = []

  /** @param {import('./script.mjs').Guard['trip']} trip */
  constructor(trip) {
    this.#trip = trip
  }

  copy() {
    const other = new Evidence(this.#trip)
    other.#outcomes = [...this.#outcomes]
    return other
  }

  /**
   * @param {boolean} failed
   * @param {number} at in milliseconds
   */
  add(failed, at) {
    this.#outcomes.push({ failed, at })
  }

  /** Whether a breaker that knows this has to be open. @param {number} now */
  trips(now) {
    if (this.#trip.kind === 'run') return this.#outcomes.length - 1 - this.#outcomes.findLastIndex(({ failed }) => !failed) >= this.#trip.threshold
    const { calls, ms, parts, rate, minimumCalls } = failureShare
    // Of a window of time the oldest part is forgotten as a whole.
    const part = (/** @type {number} */ at) => Math.floor(at / (ms / parts))
    const counted = this.#trip.kind === 'calls' ? this.#outcomes.slice(-calls) : this.#outcomes.filter(({ at }) => part(at) > part(now) - parts)
    return counted.length >= minimumCalls && counted.filter(({ failed }) => failed).length / counted.length >= rate
  }

  /** The last few outcomes, in words. */
  toString() {
    const words = this.#outcomes.slice(-10).map(({ failed, at }) => `${failed ? 'a failure' : 'a success'} at ${at} ms`)
    return words.length === 0 ? 'nothing' : words.join(', ')
  }
}
