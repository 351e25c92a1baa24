import { type ModelOptions, type PhaseOptions, waitOf } from './options.js'
import { type Call, type Model, type ModelOutage, type Place, type Refusal } from './state.js'

/** What a phase begins with; a recovery begins with its first. */
export const freshPhase = { successes: 0, failures: 0, arrivals: 0, admitted: 0 }

/** The outage as every reader sees it: past its time an open breaker is half-open, and nobody has probed yet (law 15). */
export function view(model: Model): Model {
  const { outage } = model
  if (model.kind !== 'open' || outage === undefined || model.now < outage.trippedAt + outage.wait) return model
  return { ...model, kind: 'half-open', outage: { ...outage, ...freshPhase, phase: 0, places: [], admittedAt: -Infinity } }
}

export const phaseOf = (options: ModelOptions, outage: ModelOutage): PhaseOptions => options.phases[outage.phase]!

/** 0 if a call would be admitted now, else when one may be (laws 1, 12, 13). */
export function retryAfter(options: ModelOptions, stored: Model): number {
  const model = view(stored)
  const { outage, now } = model
  // Never 0, which would say that a call is admitted: the default, if there is no wait.
  if (model.kind === 'forced-open') return waitOf(options, 0) || 30_000
  if (outage === undefined) return 0
  if (model.kind === 'open') return outage.trippedAt + outage.wait - now
  const share = shareOf(options, model)
  const lost = losesPlaceAt(options, model)
  if (share !== undefined && lost <= now) return 0
  // Others may use up the shares until then, so that in a ramp only the gap is sure.
  const { ratio } = phaseOf(options, outage)
  return Math.max(ratio < 1 ? gapEnds(options, outage) - now : 0, lost - now, 0)
}

export function admit(model: Model, id: number): Model {
  const call: Call = { id, epoch: model.epoch, phase: model.outage?.phase ?? 0, start: model.now, slow: false }
  return { ...model, calls: [...model.calls, call] }
}

/** The gap is that of the running phase, since the last admission in whichever phase (law 13). */
export const gapEnds = (options: ModelOptions, outage: ModelOutage): number => outage.admittedAt + phaseOf(options, outage).maxGap

/** Whether the next arrival has a share of the phase, and by what (law 13). Quotients, as in law 6. */
function shareOf(options: ModelOptions, { outage, now }: Model): 'gap' | 'ratio' | undefined {
  if (outage === undefined) return undefined
  if (now >= gapEnds(options, outage)) return 'gap'
  return hasRatio(options, outage) ? 'ratio' : undefined
}

const hasRatio = (options: ModelOptions, outage: ModelOutage): boolean => outage.admitted / (outage.arrivals + 1) < phaseOf(options, outage).ratio

/** When a place is there for the taking: at once, or when enough of the oldest have lost theirs (laws 11, 12). */
function losesPlaceAt(options: ModelOptions, { outage, now }: Model): number {
  if (outage === undefined) return now
  // Of an earlier phase more may still be in flight than this one has places.
  const surplus = outage.places.length - phaseOf(options, outage).maxConcurrent
  return surplus < 0 ? now : outage.places[surplus]!.until
}

/** Law 13: a call asks while half-open. */
export function arrive(options: ModelOptions, model: Model, id: number): [Model, Refusal?] {
  const outage = model.outage!
  const share = shareOf(options, model)
  const counted = { ...outage, arrivals: outage.arrivals + 1 }
  if (share === undefined) return [{ ...model, outage: counted }, 'ramping']
  const admitted = outage.admitted + (hasRatio(options, outage) ? 1 : 0)
  // A share that finds no place is spent all the same.
  if (losesPlaceAt(options, model) > model.now) return [{ ...model, outage: { ...counted, admitted } }, 'probing']
  const places = [...leftTo(options, model), { id, until: model.now + options.probeTimeout }]
  const tally = share === 'gap' ? { arrivals: 1, admitted: 1 } : { arrivals: counted.arrivals, admitted }
  return [admit({ ...model, outage: { ...outage, ...tally, places, admittedAt: model.now } }, id)]
}

/** The places that stay with their holders when one more call is admitted. */
function leftTo(options: ModelOptions, { outage, now }: Model): readonly Place[] {
  const { maxConcurrent } = phaseOf(options, outage!)
  const places = [...outage!.places]
  // Where nothing bounds the places, those that were lost are forgotten, or they would pile up.
  const isFull = () => maxConcurrent === Infinity || places.length >= maxConcurrent
  while (places.length > 0 && isFull() && now >= places[0]!.until) places.shift()
  return places
}
