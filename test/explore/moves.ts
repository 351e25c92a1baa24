import { step } from '../model/model.js'
import { type ModelOptions, waitOf } from '../model/options.js'
import { type Real } from '../model/real.js'
import { type Model, type Outcome } from '../model/state.js'
import { describeCall, isRelevant } from './key.js'

/** One thing that callers, an operator or the clock can do. */
export type Move =
  | { readonly type: 'start'; readonly id: number }
  | { readonly type: 'settle'; readonly id: number; readonly outcome: Outcome }
  /** Its caller is never heard of again. */
  | { readonly type: 'abandon'; readonly id: number }
  | { readonly type: 'clock'; readonly ms: number }
  | { readonly type: 'reset' | 'forceOpen' }

/** Where a run of moves has led. */
export interface Place {
  readonly model: Model
  /** Calls in flight whose callers may still settle them. */
  readonly pending: readonly number[]
  readonly started: number
  /** Whether the clock has stepped back on the way: it does so at most once. */
  readonly hasSteppedBack: boolean
}

export const mostInFlight = 4
const backwards = -3
const outcomes: readonly Outcome[] = ['success', 'failure', 'ignored']

/** Everything that can happen next. Of calls that nothing tells apart, one stands for all. */
export function movesFrom(options: ModelOptions, { model, pending, started, hasSteppedBack }: Place): Move[] {
  const moves: Move[] = []
  const inFlight = model.calls.filter((call) => pending.includes(call.id) || isRelevant(options, model, call))
  if (inFlight.length < mostInFlight) moves.push({ type: 'start', id: started })
  const seen = new Set<string>()
  for (const call of model.calls.filter(({ id }) => pending.includes(id))) {
    const description = describeCall(options, model, call)
    if (seen.has(description)) continue
    seen.add(description)
    for (const outcome of outcomes) moves.push({ type: 'settle', id: call.id, outcome })
    if (call.epoch === model.epoch) moves.push({ type: 'abandon', id: call.id })
  }
  const steps = new Set([1, options.probeTimeout, waitOf(options, 0)])
  for (const ms of steps) moves.push({ type: 'clock', ms })
  if (!hasSteppedBack) moves.push({ type: 'clock', ms: backwards })
  moves.push({ type: 'reset' }, { type: 'forceOpen' })
  return moves
}

/** What the breaker answered: whether a call was admitted, whether a report was in time. */
export type Reply = boolean | string | undefined

/** Makes the move on the library's breaker. */
export function play(real: Real, move: Move): Reply {
  switch (move.type) {
    case 'start':
      return real.tryStart(move.id)
    case 'settle':
      return real.settle(move.id, move.outcome)
    case 'abandon':
      return undefined
    case 'clock':
      if (move.ms < 0) real.stepBack(-move.ms)
      else real.clock.advance(move.ms)
      return undefined
    case 'reset':
      real.breaker.reset()
      return undefined
    case 'forceOpen':
      real.breaker.forceOpen()
      return undefined
  }
}

/** The same move, asking why if it is a call that is refused: the reason must be the model's. */
export function playAndAsk(real: Real, move: Move): Reply {
  if (move.type !== 'start') return play(real, move)
  const asked = real.start(move.id)
  return asked.admitted ? true : asked.refusal
}

/** Where the move leads, and what the breaker must answer. */
export function expected(options: ModelOptions, place: Place, move: Move): [Place, Reply] {
  const { pending } = place
  if (move.type === 'abandon') return [{ ...place, pending: pending.filter((id) => id !== move.id) }, undefined]
  const [model, { refused, inTime }] = step(options, place.model, move.type === 'clock' ? { type: 'advance', ms: move.ms } : move)
  if (move.type === 'start') {
    const next = { ...place, model, started: place.started + 1 }
    return refused === undefined ? [{ ...next, pending: [...pending, move.id] }, true] : [next, refused]
  }
  if (move.type === 'settle') return [{ ...place, model, pending: pending.filter((id) => id !== move.id) }, inTime]
  const hasSteppedBack = place.hasSteppedBack || (move.type === 'clock' && move.ms < 0)
  return [{ ...place, model, hasSteppedBack }, undefined]
}

export const nameOf = (move: Move): string => {
  if (move.type === 'settle') return `${move.outcome} of ${move.id}`
  if (move.type === 'clock') return `clock ${move.ms > 0 ? '+' : ''}${move.ms}`
  return 'id' in move ? `${move.type} ${move.id}` : move.type
}
