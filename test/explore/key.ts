import { type ModelOptions } from '../model/options.js'
import { gapEnds } from '../model/recovery.js'
import { type Call, type Model } from '../model/state.js'

/*
 * Two places are the same if nothing that can be done from there tells them apart. So a key holds what readers see, what is
 * in flight and what a phase or a window remembers, with times counted from now and forgotten when they are over.
 */

const left = (until: number, now: number) => Math.max(0, until - now)

/** A call that nobody will settle matters only while it holds a place, or has yet to become slow. */
export function isRelevant(options: ModelOptions, model: Model, call: Call): boolean {
  if (call.epoch !== model.epoch) return false
  const waitsToBeSlow = options.slowCallDuration !== undefined && !call.slow
  return waitsToBeSlow || (model.outage?.places.some(({ id }) => id === call.id) ?? false)
}

export function describeCall(options: ModelOptions, model: Model, call: Call): string {
  if (call.epoch !== model.epoch) return 'late'
  const place = model.outage?.places.find(({ id }) => id === call.id)
  const slowness = options.slowCallDuration === undefined ? '' : call.slow ? 'slow' : left(call.start + options.slowCallDuration, model.now)
  const phase = model.outage === undefined ? '' : call.phase === model.outage.phase ? 'now' : 'before'
  return `${phase}/${place === undefined ? '' : left(place.until, model.now)}/${slowness}`
}

function describeMemory({ trip }: ModelOptions, { memory, now }: Model): string {
  if (trip.kind === 'consecutive') return `${memory.settled.length}`
  const { window } = trip
  if ('calls' in window) return [memory.settled, memory.timed].map((list) => list.map(({ bad }) => (bad ? 1 : 0)).join('')).join('/')
  const width = window.ms / window.buckets
  const age = (at: number) => Math.floor(now / width) - Math.floor(at / width)
  const lists = [memory.settled, memory.timed].map((list) =>
    list
      .filter(({ at }) => age(at) < window.buckets)
      .map(({ bad, at }) => `${age(at)}${bad ? '!' : ''}`)
      .sort()
      .join(),
  )
  return [now % width, ...lists].join('/')
}

function describeOutage(options: ModelOptions, { kind, outage, now }: Model): string {
  if (outage === undefined) return ''
  if (kind === 'open') return `${left(outage.trippedAt + outage.wait, now)}`
  const { phase, successes, failures, arrivals, admitted } = outage
  // Where every arrival has a share, nobody counts them.
  const isRamp = options.phases.slice(phase).some(({ ratio }) => ratio < 1)
  const shares = isRamp ? [arrivals, admitted, left(gapEnds(options, outage), now)] : []
  return [phase, successes, failures, ...shares].join()
}

export function keyOf(options: ModelOptions, model: Model, pending: readonly number[], hasSteppedBack: boolean): string {
  const calls = model.calls
    .filter((call) => pending.includes(call.id) || isRelevant(options, model, call))
    .map((call) => `${pending.includes(call.id) ? '' : 'abandoned '}${describeCall(options, model, call)}`)
    .sort()
  return [model.kind, describeMemory(options, model), describeOutage(options, model), hasSteppedBack, ...calls].join(' ')
}
