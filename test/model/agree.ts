import { type Snapshot, type Transition } from '../../src/index.js'
import { counts } from './memory.js'
import { type ModelOptions } from './options.js'
import { type Real } from './real.js'
import { phaseOf, retryAfter, view } from './recovery.js'
import { type Model, type ModelTransition } from './state.js'

/** Everything a reader can see of the breaker, as the model says it must be. */
function expectedView(options: ModelOptions, stored: Model): Record<string, unknown> {
  const model = view(stored)
  const { outage } = model
  const retryAfterMs = retryAfter(options, stored)
  const phase = outage === undefined || model.kind !== 'half-open' ? undefined : phaseOf(options, outage)
  return {
    state: model.kind,
    canExecute: retryAfterMs === 0,
    retryAfterMs,
    at: model.now,
    trips: model.trips,
    ...(model.kind === 'closed' ? counts(options.trip, model.memory, model.now) : {}),
    ...(outage === undefined ? {} : { trippedAt: outage.trippedAt, relapses: outage.relapses, reason: outage.reason }),
    ...(phase === undefined ? {} : { phase: phaseView(model, phase) }),
  }
}

function phaseView({ outage }: Model, phase: ReturnType<typeof phaseOf>): Record<string, unknown> {
  return {
    index: outage!.phase,
    ratio: phase.ratio,
    ...(Number.isFinite(phase.maxConcurrent) ? { maxConcurrent: phase.maxConcurrent } : {}),
    inFlight: outage!.places.length,
    successes: outage!.successes,
    successThreshold: phase.successThreshold,
  }
}

/** The same things, as the breaker says they are. */
function seen({ breaker }: Real, { state, at, retryAfterMs, trips, failures, calls, slowCalls, ...rest }: Snapshot): Record<string, unknown> {
  const { trippedAt, relapses, reason, phase } = rest
  const isOut = state === 'open' || state === 'half-open'
  return {
    state: breaker.state === state ? state : `${breaker.state}, but ${state} in the snapshot`,
    canExecute: breaker.canExecute,
    retryAfterMs: breaker.retryAfterMs === retryAfterMs ? retryAfterMs : `${breaker.retryAfterMs}, but ${retryAfterMs} in the snapshot`,
    at,
    trips,
    ...(state === 'closed' ? present({ failures, calls, slowCalls }) : {}),
    // Forced open and disabled give a reason too, which is not the model's subject.
    ...present({ trippedAt, relapses, reason: isOut ? reason : undefined, phase: phase === undefined ? undefined : present({ ...phase }) }),
  }
}

function present(object: Record<string, unknown>): Record<string, unknown> {
  const rest: Record<string, unknown> = {}
  for (const key in object) if (object[key] !== undefined) rest[key] = object[key]
  return rest
}

const expectedEvent = ({ counts: counted, wait, ...event }: ModelTransition) => present({ ...event, ...(counted ?? {}), recoveryTimeout: wait })

const seenEvent = ({ from, to, at, reason, failures, calls, slowCalls, trippedAt, recoveryTimeout, relapses }: Transition) =>
  present({ from, to, at, reason, failures, calls, slowCalls, trippedAt, recoveryTimeout, relapses })

/** The same parts with the same values; both without those that are undefined. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b)
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  const keys = Object.keys(left)
  return keys.length === Object.keys(right).length && keys.every((key) => key in right && isSame(left[key], right[key]))
}

/** Sorted by key, so that the eye finds the difference. */
function print(value: unknown): string {
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? value.toString() : JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{ ${entries.map(([key, part]) => `${key}: ${print(part)}`).join(', ')} }`
}

function same(what: string, actual: object, expected: object): void {
  if (isSame(actual, expected)) return
  throw new Error(`${what}\n  is       ${print(actual)}\n  must be  ${print(expected)}`)
}

/**
 * Reads everything twice: the first reading must be what the model says, the second what the first was (law 15). Of the events those
 * from number `known` on are compared, and all are counted. Returns what was read.
 */
export function agree(options: ModelOptions, model: Model, real: Real, known = 0): Snapshot {
  const told = real.transitions.length
  const first = real.breaker.snapshot()
  same('what readers see', seen(real, first), expectedView(options, model))
  same('what readers see when they look again', real.breaker.snapshot(), first)
  if (real.transitions.length !== told) throw new Error('reading told somebody something (law 15)')
  if (told !== model.transitions.length) {
    throw new Error(`told ${told} transitions, must be ${model.transitions.length}: ${real.transitions.map((event) => print(seenEvent(event))).join('; ')}`)
  }
  for (let index = known; index < told; index++) {
    same(`transition ${index + 1}`, seenEvent(real.transitions[index]!), expectedEvent(model.transitions[index]!))
  }
  return first
}
