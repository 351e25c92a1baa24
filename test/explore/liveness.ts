import { type ModelOptions, waitOf } from '../model/options.js'
import { type Real } from '../model/real.js'
import { demand } from './checks.js'

/** Law 1: a caller who waits as long as he is told is not refused for being early. It moves the clock. */
export function checkWait({ breaker, clock }: Real): void {
  if (breaker.state === 'forced-open') return
  clock.advance(breaker.retryAfterMs)
  demand(breaker.canExecute, 'law 1: after retryAfterMs a call would be admitted')
}

/**
 * It never wedges: with time gone by and a healthy host, the first call is admitted whatever came before, and the breaker closes within the
 * successes that its phases ask for. Of the later ones only a ramp refuses any, and only for a while.
 */
export function checkLiveness({ breaker, clock }: Real, options: ModelOptions): void {
  if (breaker.state === 'forced-open' || breaker.state === 'disabled') breaker.reset()
  const { phases, probeTimeout, slowCallDuration = 0 } = options
  const wait = waitOf(options, (breaker.snapshot().relapses ?? 0) + 1)
  clock.advance(wait + slowCallDuration + probeTimeout + Math.max(...phases.map(({ maxGap }) => maxGap)))
  let enough = phases.reduce((sum, { successThreshold }) => sum + successThreshold, 0)
  for (let calls = 1; ; calls++) {
    const { state, phase, retryAfterMs } = breaker.snapshot()
    let permit = breaker.tryAcquire()
    if (permit === undefined) {
      demand(calls > 1, 'liveness: with time gone by the first call is admitted')
      demand(phase !== undefined && phase.ratio < 1 && retryAfterMs > 0, 'liveness: only a ramp refuses a call of a healthy host, and says how long')
      clock.advance(retryAfterMs)
      permit = breaker.tryAcquire()
    }
    demand(permit !== undefined, 'liveness: after retryAfterMs a call is admitted')
    demand(permit.success(), 'liveness: the report of a call of a healthy host is in time')
    if (breaker.state === 'closed') return
    if (state === 'closed' && breaker.state === 'open' && calls === 1 && options.trip.kind === 'rate') {
      // With the failures of before, it was the call that made enough of them to judge (law 6).
      clock.advance(breaker.retryAfterMs)
      enough++
    }
    demand(calls < enough, `liveness: ${calls} calls of a healthy host have not closed the breaker`)
  }
}
