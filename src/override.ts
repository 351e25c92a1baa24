import type { State } from './observer.js'
import type { RefusalReason } from './errors.js'

/** What stands in the place of an outage when somebody has decided by hand. */
export class Override {
  constructor(
    readonly state: Extract<State, 'closed' | 'forced-open' | 'disabled'>,
    /** Milliseconds after which a refused call may ask again; 0 if none is refused. */
    readonly retryAfterMs: number,
  ) {}

  stateAt(): State {
    return this.state
  }

  refusalAt(): RefusalReason | undefined {
    return this.state === 'forced-open' ? 'forced-open' : undefined
  }

  patience(): number {
    return this.retryAfterMs
  }
}

/** All calls admitted, none judged. */
export const DISABLED = new Override('disabled', 0)

/** No longer the breaker of its key: whatever is asked of it goes to the registry. If that has none, it reads as a new one. */
export const FORGOTTEN = new Override('closed', 0)
