/** What became of a call. */
export const fates = { none: 0, refused: 1, ok: 2, failed: 3, ignored: 4, forgotten: 5 }
export const stateNames = ['closed', 'open', 'half-open']

/**
 * What the driver saw, in the order in which it saw it. All room is made at the start, so that the heap shows the
 * library and the sockets, not the book-keeping.
 */
export class Journal {
  #moment = 0
  #transitions = 0

  /**
   * @param {number} calls
   * @param {number} transitions
   */
  constructor(calls, transitions) {
    /** Of each call: when it was offered, when (and on which tick) it settled, what became of it, and when its caller gave it up. */
    this.offered = new Int32Array(calls)
    this.settled = new Int32Array(calls)
    this.settledOn = new Int32Array(calls)
    this.fate = new Uint8Array(calls)
    this.abandoned = new Int32Array(calls).fill(-1)
    /** Of each transition: when, of which host, on which tick, from and to what; if it opened, since when, for how long, and whether the host asked for it. */
    this.changed = {
      moment: new Int32Array(transitions),
      host: new Uint16Array(transitions),
      tick: new Int32Array(transitions),
      from: new Uint8Array(transitions),
      to: new Uint8Array(transitions),
      trippedAt: new Float64Array(transitions),
      recoveryTimeout: new Float64Array(transitions),
      asked: new Uint8Array(transitions),
    }
  }

  get transitions() {
    return this.#transitions
  }

  /** @param {number} call */
  offer(call) {
    this.offered[call] = ++this.#moment
  }

  /**
   * @param {number} call
   * @param {number} fate
   * @param {number} tick
   */
  settle(call, fate, tick) {
    this.settledOn[call] = tick
    this.settled[call] = ++this.#moment
    this.fate[call] = fate
  }

  /**
   * @param {number} host
   * @param {number} tick
   * @param {{ from: string, to: string, reason: string, trippedAt?: number, recoveryTimeout?: number }} event
   */
  change(host, tick, { from, to, reason, trippedAt, recoveryTimeout }) {
    const i = this.#transitions++
    const { changed } = this
    if (i >= changed.moment.length) throw new Error(`more than ${changed.moment.length} transitions`)
    changed.moment[i] = ++this.#moment
    changed.host[i] = host
    changed.tick[i] = tick
    changed.from[i] = stateNames.indexOf(from)
    changed.to[i] = stateNames.indexOf(to)
    changed.trippedAt[i] = trippedAt ?? 0
    changed.recoveryTimeout[i] = recoveryTimeout ?? 0
    changed.asked[i] = Number(reason === 'open-for')
  }
}
