/** By how much of itself the heap may grow after the warm-up: about as much as connections that come and go make it swing. */
const allowance = 0.05

/**
 * Watches the heap while hosts fail and recover, if the process was started with `--expose-gc`. (In the calm at the end
 * more hosts are up, and so more connections are open.)
 */
export class Heap {
  /** @type {{ at: number, bytes: number }[]} */
  #samples = []

  /** @param {number} at how far the troubled part of the run has come, from 0 to 1 */
  sample(at) {
    if (globalThis.gc === undefined) return
    globalThis.gc()
    this.#samples.push({ at, bytes: process.memoryUsage().heapUsed })
  }

  /** The middle of the samples in this part of the run. @param {number} from @param {number} to */
  #median(from, to) {
    const bytes = this.#samples.filter(({ at }) => at >= from && at < to).map((sample) => sample.bytes)
    return bytes.sort((a, b) => a - b)[Math.floor(bytes.length / 2)] ?? NaN
  }

  /** The first third is the warm-up; then the heap has to stay where it is. */
  complaints() {
    if (this.#samples.length < 30) return []
    const growth = this.#median(2 / 3, 1) / this.#median(1 / 3, 2 / 3) - 1
    return growth <= allowance ? [] : [`the heap grew by ${(growth * 100).toFixed(1)} % after the warm-up`]
  }

  toString() {
    if (this.#samples.length < 30) return 'not measured (it takes --expose-gc and half a minute)'
    const [early, late] = [this.#median(1 / 3, 2 / 3), this.#median(2 / 3, 1)].map((bytes) => (bytes / 1e6).toFixed(2))
    return `${early} MB in the second third, ${late} MB in the last`
  }
}
