import { healthy } from '../model/model.js'
import { type Model } from '../model/state.js'
import { type Setting } from './configurations.js'

/** Where a run of moves has led. */
export interface Place {
  readonly model: Model
  /** Calls in flight whose callers may still settle them. */
  readonly pending: readonly number[]
  readonly started: number
  /** What the breaker was when it admitted each of those calls. */
  readonly admittedBy: ReadonlyMap<number, Model['kind']>
  /** Whether the clock has stepped back on the way: it does so at most once. */
  readonly hasSteppedBack: boolean
  /** Whether somebody has read on the way: at most once, so that each run is taken with a reading in every place, and without any. */
  readonly hasRead: boolean
  /** Who knows what time it is: the breaker, which has just looked; nobody, since the clock moved; or nobody, and it has stepped back. */
  readonly clock: 'seen' | 'moved' | 'slipped'
}

/** A breaker that nobody has called yet. */
export const beginning: Place = { model: healthy, pending: [], started: 0, admittedBy: new Map(), hasSteppedBack: false, hasRead: false, clock: 'moved' }

/** What was seen last must be known, so the breaker must have looked just now; with slow calls in view it looks whatever is done. */
export function canSlip({ options, extras }: Setting, { hasSteppedBack, clock }: Place): boolean {
  return extras.includes('slip') && options.slowCallDuration !== undefined && clock === 'seen' && !hasSteppedBack
}
