import { type ModelOptions, waitOf } from '../model/options.js'
import { type Call, type Model } from '../model/state.js'
import { type Setting } from './configurations.js'
import { type Place, canSlip } from './place.js'

/*
 * Two places are the same if nothing that can be done from there tells them apart. So a key holds what readers see, what is
 * in flight and what a phase or a window remembers, with times counted from now and forgotten when they are over. Readers also see
 * counters that grow for ever, and when the outage began: of the counters the first few values are told apart, and of that moment how
 * long the breaker is still open, which is all that depends on it.
 */

const left = (until: number, now: number) => Math.max(0, until - now)

/** The calls that will be counted as slow, the oldest first, unless they settle before. */
function unseen({ slowCallDuration }: ModelOptions, { kind, epoch, calls }: Model): readonly Call[] {
  if (slowCallDuration === undefined || (kind !== 'closed' && kind !== 'half-open')) return []
  return calls.filter((call) => call.epoch === epoch && !call.slow)
}

/** The longest wait: one that grows has grown up after so many relapses. */
const longestWait = (options: ModelOptions) => Math.max(...[0, 1, 2, 3].map((relapses) => waitOf(options, relapses)))

/** Whether a call is due to be counted as slow as soon as somebody calls or reports. */
export function isDue(options: ModelOptions, model: Model): boolean {
  return unseen(options, model).some(({ start }) => start + options.slowCallDuration! <= model.now)
}

/**
 * The time by which overdue calls are aged. Each counts at its own moment (law 10), so by how much it is overdue matters, until a breaker
 * that opened at that moment would have waited its time. All that nobody has seen become slow began within `slowCallDuration` of each
 * other, for each call that starts looks: so when the youngest is so long overdue they are moved up together, by whole buckets.
 */
function slowNow(options: ModelOptions, model: Model): number {
  const youngest = unseen(options, model).at(-1)
  if (youngest === undefined) return model.now
  const { trip } = options
  const width = trip.kind === 'rate' && 'ms' in trip.window ? trip.window.ms / trip.window.buckets : 1
  const tooLong = model.now - (youngest.start + options.slowCallDuration!) - longestWait(options) - 1
  return model.now - Math.max(0, Math.floor(tooLong / width) * width)
}

/** A call that nobody will settle matters only while it holds a place, or has yet to become slow. */
export function isRelevant(options: ModelOptions, model: Model, call: Call): boolean {
  if (call.epoch !== model.epoch) return false
  return unseen(options, model).includes(call) || (model.outage?.places.some(({ id }) => id === call.id) ?? false)
}

export function describeCall(options: ModelOptions, { model, admittedBy }: Place, call: Call): string {
  if (call.epoch !== model.epoch) return `late ${admittedBy.get(call.id) ?? ''}${call.slow ? ' slow' : ''}`
  // Which place it is too, and not only how long it lasts: of several that are over, or are so together, the next caller takes the first.
  const rank = model.outage?.places.findIndex(({ id }) => id === call.id) ?? -1
  const place = model.outage?.places[rank]
  const slowAt = call.start + (options.slowCallDuration ?? 0)
  const slowness = call.slow ? 'slow' : unseen(options, model).includes(call) ? slowAt - slowNow(options, model) : ''
  const phase = model.outage === undefined ? '' : call.phase === model.outage.phase ? 'now' : 'before'
  return `${phase}/${place === undefined ? '' : `${rank}:${left(place.until, model.now)}`}/${slowness}`
}

function describeMemory(options: ModelOptions, model: Model): string {
  const { trip, slowCallDuration = 0 } = options
  const { memory, now } = model
  if (trip.kind === 'consecutive') return `${memory.settled.length}`
  const { window } = trip
  if ('calls' in window) return [memory.settled, memory.timed].map((list) => list.map(({ bad }) => (bad ? 1 : 0)).join('')).join('/')
  const width = window.ms / window.buckets
  // What an overdue call will be judged with is what is remembered at its moment.
  const [oldest] = unseen(options, model)
  const moment = oldest === undefined ? now : Math.min(now, oldest.start + slowCallDuration)
  const age = (at: number) => Math.floor(moment / width) - Math.floor(at / width)
  const lists = [memory.settled, memory.timed].map((list) =>
    list
      .filter(({ at }) => age(at) < window.buckets)
      .map(({ bad, at }) => `${age(at)}${bad ? '!' : ''}`)
      .sort()
      .join(),
  )
  return [moment % width, ...lists].join('/')
}

function describeOutage({ options, extras }: Setting, { kind, outage, now, trips }: Model): string {
  const isFine = extras.includes('counters')
  const opened = Math.min(trips, isFine ? 4 : 1)
  if (outage === undefined) return `${opened}`
  const counters = [opened, Math.min(outage.relapses, isFine ? 3 : 1), outage.reason]
  if (kind === 'open') return [...counters, left(outage.trippedAt + outage.wait, now)].join()
  const { phase, successes, failures, arrivals, admitted, admittedAt } = outage
  // Where every arrival has a share, nobody counts them.
  const ramp = options.phases.slice(phase).filter(({ ratio }) => ratio < 1)
  // Each phase counts its own gap from the last admission, whichever phase that was in.
  const longestGap = Math.max(...ramp.map(({ maxGap }) => maxGap))
  const shares = ramp.length > 0 ? [arrivals, admitted, left(admittedAt + longestGap, now)] : []
  return [...counters, phase, successes, failures, ...shares].join()
}

export function keyOf(setting: Setting, place: Place): string {
  const { options } = setting
  const { model, pending, hasSteppedBack, hasRead, clock } = place
  const calls = model.calls
    .filter((call) => pending.includes(call.id) || isRelevant(options, model, call))
    .map((call) => `${pending.includes(call.id) ? '' : 'abandoned '}${describeCall(options, place, call)}`)
    .sort()
  const way = [hasSteppedBack, hasRead, clock === 'slipped', canSlip(setting, place)].map(Number).join('')
  return [model.kind, describeMemory(options, model), describeOutage(setting, model), way, ...calls].join(' ')
}
