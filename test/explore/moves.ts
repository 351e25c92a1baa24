import { step } from '../model/model.js'
import { type ModelOptions, waitOf } from '../model/options.js'
import { type Real } from '../model/real.js'
import { type Answer, type Outcome } from '../model/state.js'
import { type Setting } from './configurations.js'
import { describeCall, isRelevant } from './key.js'
import { type Place, canSlip } from './place.js'

/** One thing that callers, an operator, a reader or the clock can do. */
export type Move =
  | { readonly type: 'start'; readonly id: number }
  | { readonly type: 'settle'; readonly id: number; readonly outcome: Outcome }
  /** Its caller is never heard of again. */
  | { readonly type: 'abandon'; readonly id: number }
  | { readonly type: 'clock'; readonly ms: number }
  /** The clock steps back, and nobody looks at it before the next call, report or command. */
  | { readonly type: 'slip'; readonly ms: number }
  | { readonly type: 'reset' | 'forceOpen' | 'disable' | 'read' }

export const mostInFlight = 4
const backwards = -3
const outcomes: readonly Outcome[] = ['success', 'failure', 'ignored']

/** Everything that can happen next. Of calls that nothing tells apart, one stands for all. */
export function movesFrom({ options, extras }: Setting, place: Place): Move[] {
  const { model, pending, started, hasSteppedBack, hasRead, clock } = place
  const moves: Move[] = []
  const inFlight = model.calls.filter((call) => pending.includes(call.id) || isRelevant(options, model, call))
  if (inFlight.length < mostInFlight) moves.push({ type: 'start', id: started })
  const seen = new Set<string>()
  for (const call of model.calls.filter(({ id }) => pending.includes(id))) {
    const description = describeCall(options, place, call)
    if (seen.has(description)) continue
    seen.add(description)
    for (const outcome of outcomes) moves.push({ type: 'settle', id: call.id, outcome })
    if (call.epoch === model.epoch && clock !== 'slipped') moves.push({ type: 'abandon', id: call.id })
  }
  moves.push({ type: 'reset' }, { type: 'forceOpen' })
  if (extras.includes('disable')) moves.push({ type: 'disable' })
  // Behind its own last reading the clock counts on from that at the next one; so that it is known which that is, the next is one that looks.
  if (clock === 'slipped') return moves
  const steps = new Set([1, options.probeTimeout, waitOf(options, model.outage?.relapses ?? 0)])
  for (const ms of steps) moves.push({ type: 'clock', ms })
  if (!hasSteppedBack) moves.push({ type: 'clock', ms: backwards })
  if (canSlip({ options, extras }, place)) moves.push({ type: 'slip', ms: backwards })
  if (extras.includes('read') && !hasRead) moves.push({ type: 'read' })
  return moves
}

const readAll = ({ breaker }: Real) => [breaker.state, breaker.canExecute, breaker.retryAfterMs, breaker.snapshot()]

/** Makes the move on the library's breaker, with the least that can be done. */
export function play(real: Real, move: Move): void {
  const { breaker, clock } = real
  switch (move.type) {
    case 'start':
      real.tryStart(move.id)
      break
    case 'settle':
      real.settle(move.id, move.outcome)
      break
    case 'abandon':
      break
    case 'clock':
      if (move.ms < 0) real.stepBack(-move.ms)
      else clock.advance(move.ms)
      break
    case 'slip':
      clock.advance(move.ms)
      break
    case 'read':
      readAll(real)
      break
    case 'reset':
    case 'forceOpen':
    case 'disable':
      breaker[move.type]()
  }
}

/** The same move, hearing what is answered: whether a report was in time, and why a call is refused and how long it is told to wait. */
export function playAndAsk(real: Real, move: Move): Answer {
  if (move.type === 'settle') return { inTime: real.settle(move.id, move.outcome) }
  if (move.type !== 'start') {
    play(real, move)
    return {}
  }
  const asked = real.start(move.id)
  return asked.admitted ? {} : { refused: asked.refusal, retryAfterMs: asked.retryAfterMs }
}

/** Where the move leads, and what the breaker must answer. */
export function expected(options: ModelOptions, place: Place, move: Move): [Place, Answer] {
  const { pending } = place
  const without = (id: number) => pending.filter((other) => other !== id)
  switch (move.type) {
    case 'abandon':
      return [{ ...place, pending: without(move.id) }, {}]
    case 'read':
      return [{ ...place, hasRead: true }, {}]
    case 'slip':
      return [{ ...place, hasSteppedBack: true, clock: 'slipped' }, {}]
    case 'clock': {
      const [model] = step(options, place.model, { type: 'advance', ms: move.ms })
      return [{ ...place, model, hasSteppedBack: place.hasSteppedBack || move.ms < 0, clock: 'moved' }, {}]
    }
    case 'start': {
      const [model, answer] = step(options, place.model, move)
      const next: Place = { ...place, model, started: place.started + 1, clock: 'seen' }
      if (answer.refused !== undefined) return [next, answer]
      return [{ ...next, pending: [...pending, move.id], admittedBy: new Map([...place.admittedBy, [move.id, model.kind]]) }, answer]
    }
    case 'settle': {
      const [model, answer] = step(options, place.model, move)
      return [{ ...place, model, pending: without(move.id), clock: 'seen' }, answer]
    }
    case 'reset':
    case 'forceOpen':
    case 'disable':
      return [{ ...place, model: step(options, place.model, { type: move.type })[0], clock: 'seen' }, {}]
  }
}

export const nameOf = (move: Move): string => {
  if (move.type === 'settle') return `${move.outcome} of ${move.id}`
  if (move.type === 'clock') return `clock ${move.ms > 0 ? '+' : ''}${move.ms}`
  if (move.type === 'slip') return `clock ${move.ms} unseen`
  return 'id' in move ? `${move.type} ${move.id}` : move.type
}
