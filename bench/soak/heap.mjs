/** By how much of itself the heap may grow after the warm-up: about as much as connections that come and go make it swing. */
const allowance = 0.05

/** The bytes in use, if the process was started with `--expose-gc`. */
function bytesInUse() {
  if (globalThis.gc === undefined) return undefined
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

/**
 * Watches the heap while hosts fail and recover. (In the calm at the end more hosts are up, and so more connections are open.)
 */
export class Heap {
  /** @type {{ at: number, bytes: number }[]} */
  #samples = []
  #read

  /** @param {() => number | undefined} read how many bytes are in use, if that can be said */
  constructor(read = bytesInUse) {
    this.#read = read
  }

  /** @param {number} at how far the troubled part of the run has come, from 0 to 1 */
  sample(at) {
    const bytes = this.#read()
    if (bytes !== undefined) this.#samples.push({ at, bytes })
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
    if (this.#samples.length < 30) return 'not measured (it takes --expose-gc and 45 s)'
    const [early, late] = [this.#median(1 / 3, 2 / 3), this.#median(2 / 3, 1)].map((bytes) => (bytes / 1e6).toFixed(2))
    return `${early} MB in the second third, ${late} MB in the last`
  }
}
