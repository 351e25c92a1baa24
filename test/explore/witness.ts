import { type Rejected, type Settled, type Transition } from '../../src/index.js'
import { type Real } from '../model/real.js'

export type Told =
  | { readonly kind: 'transition'; readonly event: Transition }
  | { readonly kind: 'settled'; readonly event: Settled }
  | { readonly kind: 'rejected'; readonly event: Rejected }

/**
 * Somebody who comes to a breaker late and hears and counts everything from then on: each event in its order, and each look at the clock.
 * Late, because a breaker on the way to a place has nobody who hears of calls, and must come to the same.
 */
export class Witness {
  readonly told: Told[] = []
  clockReads = 0

  constructor({ breaker, clock }: Real) {
    breaker.observe({
      transition: (event) => void this.told.push({ kind: 'transition', event }),
      settled: (event) => void this.told.push({ kind: 'settled', event }),
      rejected: (event) => void this.told.push({ kind: 'rejected', event }),
    })
    const now = clock.now.bind(clock)
    clock.now = () => {
      this.clockReads++
      return now()
    }
  }
}
