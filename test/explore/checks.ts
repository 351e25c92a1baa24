import { type Snapshot } from '../../src/index.js'
import { type ModelOptions, waitOf } from '../model/options.js'
import { type Real } from '../model/real.js'
import { type Move, type Reply } from './moves.js'

/** What the laws say of one move, without asking the model: what was seen before it, what it answered, what is seen after. */
export interface Step {
  readonly options: ModelOptions
  readonly move: Move
  readonly reply: Reply
  readonly before: Snapshot
  readonly after: Snapshot
  /** The report is from before a change of state. */
  readonly isLate: boolean
  /** How many transitions the move told. */
  readonly told: number
}

function demand(holds: boolean, law: string): void {
  if (!holds) throw new Error(law)
}

const seen = (snapshot: Snapshot): string => JSON.stringify(snapshot)

const apartFromPlaces = ({ phase, ...rest }: Snapshot): string =>
  JSON.stringify({ ...rest, retryAfterMs: 0, phase: phase === undefined ? undefined : { ...phase, inFlight: 0 } })

export function checkStep({ options, move, reply, before, after, isLate, told }: Step): void {
  checkSnapshot(options, after)
  demand(after.at >= before.at, 'law 2: the clock never goes back')
  demand(after.trips >= before.trips, 'trips counts openings: it never goes down')
  const { phase } = after
  if (move.type === 'clock' || move.type === 'abandon') demand(told === 0, 'no call, no event: a breaker never wakes up by itself')
  // A call or a report first counts what became slow, so that what a reader saw before is not the state it meets (law 10).
  if (options.slowCallDuration !== undefined) return
  if (move.type === 'start') {
    demand((reply === true) === (before.retryAfterMs === 0), 'law 15: canExecute foretells whether a call is admitted')
    demand(after.failures === before.failures && after.calls === before.calls, 'law 7: asking is no outcome')
    if (reply !== true) demand(told === 0 && after.state === before.state, 'law 7: a refusal changes no state')
    if (phase?.maxConcurrent !== undefined && reply === true) {
      demand(phase.inFlight <= phase.maxConcurrent, 'law 11: no place is taken beyond the limit')
    }
  }
  if (move.type !== 'settle') return
  demand(reply === !isLate, 'law 4: a report is in time in its own epoch, and in no other')
  if (isLate) demand(seen(after) === seen(before) && told === 0, 'law 4: a late report changes nothing')
  else if (move.outcome === 'ignored') {
    demand(told === 0, 'law 8: ignored is no verdict')
    demand(apartFromPlaces(after) === apartFromPlaces(before), 'law 8: ignored frees its place and moves nothing')
  }
  const freed = (before.phase?.inFlight ?? 0) - (phase?.inFlight ?? Infinity)
  demand(freed <= 1, 'law 12: a report frees one place at most')
}

/** What must be true of every state there is. */
function checkSnapshot(options: ModelOptions, snapshot: Snapshot): void {
  const { state, at, retryAfterMs, trippedAt, phase } = snapshot
  demand(Number.isFinite(retryAfterMs) && retryAfterMs >= 0, 'retryAfterMs is a finite number, at least 0')
  if (state === 'closed' || state === 'disabled') demand(retryAfterMs === 0, 'a closed breaker admits every call')
  if (state === 'open') demand(trippedAt !== undefined && retryAfterMs > 0, 'law 1: an open breaker says how long it stays open')
  if (state === 'half-open') demand(at >= trippedAt! + waitOf(options, snapshot.relapses ?? 0), 'law 1: open ends when its time is over')
  demand((phase !== undefined) === (state === 'half-open'), 'a phase has a meaning while half-open, and only then')
  if (phase === undefined) return
  demand(phase.inFlight >= 0, 'law 12: no place is freed twice')
  demand(phase.successes < phase.successThreshold, 'a phase that has enough successes is over')
}

/** Law 1: a caller who waits as long as he is told is not refused for being early. It moves the clock. */
export function checkWait(real: Real): void {
  const { breaker, clock } = real
  if (breaker.state === 'forced-open') return
  clock.advance(breaker.retryAfterMs)
  demand(breaker.canExecute, 'law 1: after retryAfterMs a call would be admitted')
}

/** It never wedges: with time gone by and a healthy host, the breaker closes within the successes that its phases ask for. */
export function checkLiveness(real: Real, options: ModelOptions): void {
  const { breaker, clock } = real
  if (breaker.state === 'forced-open') breaker.reset()
  const { phases, probeTimeout, slowCallDuration = 0 } = options
  clock.advance(waitOf(options, 0) + slowCallDuration + probeTimeout + Math.max(...phases.map(({ maxGap }) => maxGap)))
  const enough = phases.reduce((sum, { successThreshold }) => sum + successThreshold, 0)
  for (let calls = 0; ; calls++) {
    let permit = breaker.tryAcquire()
    if (permit === undefined) {
      clock.advance(breaker.retryAfterMs)
      permit = breaker.tryAcquire()
    }
    demand(permit !== undefined, 'liveness: after retryAfterMs a call is admitted')
    permit!.success()
    if (breaker.state === 'closed') return
    demand(calls <= enough, `liveness: ${calls} calls of a healthy host have not closed the breaker`)
  }
}
