import type { RefusalReason } from './errors.js'
import type { State } from './observer.js'

/** What stands in the place of an outage when somebody has decided by hand. It has no time, so every answer is always the same. */
export class Override {
  /** Nothing recovers from it. */
  readonly recovery = null
  readonly until = Infinity

  constructor(
    readonly state: Extract<State, 'closed' | 'forced-open' | 'disabled'>,
    readonly refusal: RefusalReason | undefined,
    /** Milliseconds after which a refused call may ask again. */
    readonly wait: number,
  ) {}

  readonly error = undefined
  readonly figures = undefined

  describe(): object | undefined {
    return this.state === 'closed' ? undefined : { reason: this.state }
  }

  stateAt(): State {
    return this.state
  }

  refusalAt(): RefusalReason | undefined {
    return this.refusal
  }

  patience(): number {
    return this.wait
  }
}

/** All calls admitted, none judged. */
export const DISABLED = new Override('disabled', undefined, 0)

/** No longer the breaker of its key: whatever is asked of it goes to the registry. If that has none, it reads as a new one. */
export const FORGOTTEN = new Override('closed', undefined, 0)
