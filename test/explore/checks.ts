import { type Snapshot, type State } from '../../src/index.js'
import { type ModelOptions, waitOf } from '../model/options.js'
import { type Answer, type Call, type Outcome } from '../model/state.js'
import { type Move } from './moves.js'
import { type Told, type Witness } from './witness.js'

/** What the laws say of one move, without asking the model: what was seen before it, what it answered and told, what is seen after. */
export interface Step {
  readonly options: ModelOptions
  readonly move: Move
  readonly answer: Answer
  /** The call that is reported on, as it must be known. */
  readonly call: Call | undefined
  readonly before: Snapshot
  readonly after: Snapshot
  /** The report is from before a change of state. */
  readonly isLate: boolean
  /** A call or a report first counts what became slow, so that what a reader saw before is not the state it meets (law 10). */
  readonly isDue: boolean
  readonly told: readonly Told[]
  readonly clockReads: number
}

export function demand(holds: boolean, law: string): asserts holds {
  if (!holds) throw new Error(law)
}

const seen = (snapshot: Snapshot): string => JSON.stringify(snapshot)

const apartFromPlaces = ({ phase, ...rest }: Snapshot): string =>
  JSON.stringify({ ...rest, retryAfterMs: 0, phase: phase === undefined ? undefined : { ...phase, inFlight: 0 } })

const isClosed = ({ state }: Snapshot) => state === 'closed'

export function checkStep(step: Step): void {
  const { options, move, before, after, isDue, told, clockReads } = step
  checkSnapshot(options, after)
  checkTold(step)
  const changes = told.filter(({ kind }) => kind === 'transition').length
  demand(after.at >= before.at, 'law 2: the clock never goes back')
  demand(after.trips >= before.trips, 'trips counts openings: it never goes down')
  if (changes > 0) demand(after.failures === 0 && (after.calls ?? 0) === 0, 'law 9: what opens or closes remembers nothing')
  const isAsked = move.type === 'start' || move.type === 'settle' || move.type === 'reset' || move.type === 'forceOpen' || move.type === 'disable'
  if (!isAsked) demand(told.length === 0, 'no call, no event: a breaker never wakes up by itself')
  else demand(clockReads <= 1, 'law 1: one clock read per operation')
  const isTimed = options.slowCallDuration !== undefined || (options.trip.kind === 'rate' && 'ms' in options.trip.window)
  if ((move.type === 'start' || move.type === 'settle') && isClosed(before) && isClosed(after) && !isTimed) {
    demand(clockReads === 0, 'law 1: no clock read on the closed path')
  }
  if (isDue) return
  if (move.type === 'start') checkStart(step, changes)
  if (move.type === 'settle') checkReport(step, changes)
}

function checkStart({ answer, before, after }: Step, changes: number): void {
  const { phase } = after
  const isAdmitted = answer.refused === undefined
  demand(isAdmitted === (before.retryAfterMs === 0), 'law 15: canExecute foretells whether a call is admitted')
  demand(after.failures === before.failures && after.calls === before.calls, 'law 7: asking is no outcome')
  if (!isAdmitted) {
    demand(changes === 0 && after.state === before.state, 'law 7: a refusal changes no state')
    demand(answer.retryAfterMs === before.retryAfterMs, 'law 15: who is refused is told what readers see')
  } else if (phase !== undefined) {
    demand(phase.inFlight > 0, 'law 11: who is admitted takes a place')
    if (phase.maxConcurrent !== undefined) demand(phase.inFlight <= phase.maxConcurrent, 'law 11: no place is taken beyond the limit')
  }
}

function checkReport({ options, move, answer, before, after, isLate, told }: Step, changes: number): void {
  demand(answer.inTime === !isLate, 'law 4: a report is in time in its own epoch, and in no other')
  const { outcome } = move as { outcome: Outcome }
  if (isLate) demand(seen(after) === seen(before) && changes === 0, 'law 4: a late report changes nothing')
  else if (outcome === 'ignored') {
    demand(changes === 0, 'law 8: ignored is no verdict')
    demand(apartFromPlaces(after) === apartFromPlaces(before), 'law 8: ignored frees its place and moves nothing')
  }
  const freed = (before.phase?.inFlight ?? 0) - (after.phase?.inFlight ?? Infinity)
  demand(freed <= 1, 'law 12: a report frees one place at most')
  const [last] = told.slice(-1)
  if (last?.kind !== 'transition' || last.event.to !== 'open') return
  const isRelapse = last.event.from === 'half-open'
  // A rate is judged after successes too: the call may be the one that makes enough of them.
  demand(outcome === 'failure' || (!isRelapse && options.trip.kind === 'rate'), 'law 14: only a failure opens')
  demand(after.relapses === (isRelapse ? before.relapses! + 1 : 0), 'law 14: a recovery that is lost is one relapse more')
  demand(after.trips === before.trips + 1 && after.trippedAt === after.at, 'law 14: each opening is one trip, dated when it happened')
}

/** Laws 7, 15 and 16: who hears what, and in which order. */
function checkTold({ options, move, answer, call, before, after, isLate, isDue, told }: Step): void {
  let state: State | undefined = before.state === 'half-open' ? undefined : before.state
  for (const { kind, event } of told) {
    if (kind !== 'transition') continue
    demand(Object.isFrozen(event), 'law 16: what is told is frozen')
    // What reads half-open may have been entered as open, which the first who calls changes.
    demand(event.from === (state ?? (event.to === 'half-open' ? 'open' : event.from)) && event.from !== event.to, 'law 16: `to` is the next `from`')
    state = event.to
  }
  const settled = told.flatMap((each) => (each.kind === 'settled' ? [each] : []))
  const rejected = told.flatMap((each) => (each.kind === 'rejected' ? [each] : []))
  demand(settled.length === (move.type === 'settle' ? 1 : 0), 'a report is told once, and nothing else is told as one')
  demand(rejected.length === (answer.refused === undefined ? 0 : 1), 'a refusal is told once, and nothing else is told as one')
  const [refusal] = rejected
  if (refusal !== undefined) {
    const { reason, retryAfterMs } = refusal.event
    demand(reason === answer.refused && retryAfterMs === answer.retryAfterMs && retryAfterMs > 0, 'who hears of a refusal hears what the caller is told')
  }
  const [report] = settled
  if (report === undefined || move.type !== 'settle') return
  // Before it comes only what became slow, which may have made it late; after it, what it caused.
  const turn = isDue && report.event.late ? told.length - 1 : 0
  demand(told.indexOf(report) === turn, 'law 16: `settled` comes before the transition that it caused')
  demand(report.event.outcome === (before.state === 'disabled' ? 'ignored' : move.outcome), 'who hears of a report hears what was reported')
  demand(report.event.late === !answer.inTime && (isDue || report.event.late === isLate), 'law 4: who hears of a late report hears that it is late')
  const { slow, duration } = report.event
  demand((duration !== undefined) === (options.slowCallDuration !== undefined), 'a duration is told where calls are timed')
  demand(duration === undefined || duration === after.at - call!.start, 'a duration is from the admission of a call to its report')
  demand(slow === call!.slow, 'law 10: slow is what somebody saw taking that long')
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
  const most = Math.max(...options.phases.slice(0, phase.index + 1).map(({ maxConcurrent }) => maxConcurrent))
  demand(phase.inFlight <= most, 'law 11: no more places are taken than a phase so far has had')
  demand(phase.successes < phase.successThreshold, 'a phase that has enough successes is over')
}

/** Law 5: whatever is reported after the first report is no report. */
export function checkReportedAgain(settle: (outcome: Outcome) => boolean | undefined, look: () => Snapshot, { told }: Witness): void {
  const before = seen(look())
  const known = told.length
  for (const outcome of ['success', 'failure', 'ignored'] as const) demand(settle(outcome) === false, 'law 5: a permit settles once')
  demand(seen(look()) === before && told.length === known, 'law 5: a report after the first changes nothing and is told nobody')
}
