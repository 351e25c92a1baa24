import { counts, countsSlow, empty, reasonToTrip, remember, settled, slow, type Counts } from './memory.js'
import { type ModelOptions, waitOf } from './options.js'
import { admit, arrive, freshPhase, phaseOf, retryAfter, view } from './recovery.js'
import { type Action, type Answer, type Call, type Model, type ModelOutage } from './state.js'

export const healthy: Model = { kind: 'closed', epoch: 0, now: 0, trips: 0, memory: empty, calls: [], transitions: [] }

type Report = Extract<Action, { type: 'settle' }>

/** What is next, and what the one who acted is told. */
export function step(options: ModelOptions, model: Model, action: Action): [Model, Answer] {
  switch (action.type) {
    case 'advance':
      return [{ ...model, now: model.now + Math.max(0, action.ms) }, {}]
    case 'start':
      return start(options, look(options, model), action.id)
    case 'settle':
      return settle(options, model, action)
    case 'reset':
      return [command(model, 'closed', 'reset'), {}]
    case 'forceOpen':
      return [command(model, 'forced-open', 'forced-open'), {}]
    case 'disable':
      return [command(model, 'disabled', 'disabled'), {}]
  }
}

/** Law 10: what became slow since somebody last looked counts now, oldest first, each at its own moment. */
function look(options: ModelOptions, model: Model): Model {
  const { slowCallDuration } = options
  const judged = model.kind === 'closed' || model.kind === 'half-open'
  const call = model.calls.find(({ epoch, slow }) => epoch === model.epoch && !slow)
  if (slowCallDuration === undefined || !judged || call === undefined) return model
  const at = call.start + slowCallDuration
  if (at > model.now) return model
  const seen = { ...model, calls: model.calls.map((other) => (other === call ? { ...call, slow: true } : other)) }
  const after = seen.kind === 'closed' ? judge(options, { ...seen, memory: slow(options.trip, seen.memory, at) }, at) : probeFailed(options, seen, at)
  return look(options, after)
}

function start(options: ModelOptions, model: Model, id: number): [Model, Answer] {
  const retryAfterMs = retryAfter(options, model)
  if (model.kind === 'forced-open') return [model, { refused: 'forced-open', retryAfterMs }]
  if (model.kind === 'closed' || model.kind === 'disabled') return [admit(model, id), {}]
  if (view(model).kind === 'open') return [model, { refused: 'open', retryAfterMs }]
  const probing = model.kind === 'open' ? move(view(model), 'open', 'half-open', model.now, 'timeout-over', model.outage) : model
  const [next, refused] = arrive(options, probing, id)
  return refused === undefined ? [next, {}] : [next, { refused, retryAfterMs }]
}

function settle(options: ModelOptions, before: Model, report: Report): [Model, Answer] {
  const known = before.calls.some(({ id }) => id === report.id)
  if (!known) return [before, { inTime: false }]
  const looked = look(options, before)
  const call = looked.calls.find(({ id }) => id === report.id)!
  const model = { ...looked, calls: looked.calls.filter((other) => other !== call) }
  if (call.epoch !== model.epoch) return [model, { inTime: false, call }]
  return [judgeCall(options, model, call, report), { inTime: true, call }]
}

function judgeCall(options: ModelOptions, model: Model, call: Call, report: Report): Model {
  if (model.kind === 'closed') return settleClosed(options, model, call, report)
  return model.kind === 'half-open' ? settleProbe(options, model, call, report) : model
}

function settleClosed(options: ModelOptions, model: Model, call: Call, report: Report): Model {
  if (report.outcome === 'ignored') return model
  const memory = settled(options.trip, model.memory, report.outcome === 'failure', call.slow, model.now)
  if (report.openFor !== undefined) return trip(options, { ...model, memory }, model.now, 'open-for', report.openFor)
  // What a slow call returns is nothing new to a trip that took it as a failure.
  if (call.slow && !countsSlow(options.trip)) return model
  return judge(options, { ...model, memory }, model.now)
}

function settleProbe(options: ModelOptions, model: Model, call: Call, report: Report): Model {
  const outage = { ...model.outage!, places: model.outage!.places.filter(({ id }) => id !== call.id) }
  const freed = { ...model, outage }
  if (report.openFor !== undefined) {
    // A slow probe failed when it became slow, and fails once.
    const failed = call.slow ? freed : { ...freed, outage: { ...outage, failures: outage.failures + 1 } }
    return relapse(options, failed, model.now, 'open-for', report.openFor)
  }
  // A slow probe failed when it became slow.
  if (report.outcome === 'ignored' || call.slow) return freed
  if (report.outcome === 'failure') return probeFailed(options, freed, model.now)
  if (call.phase !== outage.phase) return freed
  return probeSucceeded(options, freed)
}

function probeSucceeded(options: ModelOptions, model: Model): Model {
  const outage = { ...model.outage!, successes: model.outage!.successes + 1 }
  if (outage.successes < phaseOf(options, outage).successThreshold) return { ...model, outage }
  const next = { ...outage, ...freshPhase, phase: outage.phase + 1 }
  if (next.phase < options.phases.length) return { ...model, outage: next }
  return move({ ...model, outage: undefined }, 'half-open', 'closed', model.now, 'recovered', outage, phaseCounts(outage))
}

function probeFailed(options: ModelOptions, model: Model, at: number): Model {
  const outage = { ...model.outage!, failures: model.outage!.failures + 1 }
  if (outage.failures <= phaseOf(options, outage).maxFailures) return { ...model, outage }
  return relapse(options, { ...model, outage }, at, 'probe-failed')
}

function judge(options: ModelOptions, model: Model, at: number): Model {
  const memory = remember(options.trip, model.memory, at)
  const reason = reasonToTrip(options.trip, memory, at)
  return reason === undefined ? { ...model, memory } : trip(options, model, at, reason)
}

function trip(options: ModelOptions, model: Model, at: number, reason: string, openFor = 0): Model {
  return open(options, model, at, reason, 0, openFor, counts(options.trip, model.memory, at))
}

function relapse(options: ModelOptions, model: Model, at: number, reason: string, openFor = 0): Model {
  return open(options, model, at, reason, model.outage!.relapses + 1, openFor, phaseCounts(model.outage!))
}

/** What a phase counts: the probes that were judged while it ran. */
const phaseCounts = ({ failures, successes }: ModelOutage): Counts => ({ failures, calls: failures + successes })

function open(options: ModelOptions, model: Model, at: number, reason: string, relapses: number, openFor: number, counted: Counts): Model {
  const wait = Math.max(openFor, waitOf(options, relapses))
  const outage = { ...freshPhase, trippedAt: at, wait, relapses, reason, phase: 0, admittedAt: -Infinity, places: [] }
  return move({ ...model, outage, trips: model.trips + 1 }, model.kind, 'open', at, reason, outage, counted)
}

/** Reset, forced open, disabled: the last one said wins; each begins an epoch, none is a trip. */
function command(model: Model, to: Model['kind'], reason: string): Model {
  const clean = { ...model, outage: undefined }
  if (model.kind !== to) return move(clean, model.kind, to, model.now, reason, model.outage)
  return { ...clean, memory: empty, epoch: model.epoch + 1 }
}

/** The one change of state: an empty memory, a new epoch, and one event about the outage that begins, goes on or ends (laws 9, 16). */
function move(model: Model, from: Model['kind'], to: Model['kind'], at: number, reason: string, outage?: ModelOutage, counted?: Counts): Model {
  const told = { from, to, at, reason, counts: counted, trippedAt: outage?.trippedAt, wait: outage?.wait, relapses: outage?.relapses }
  return { ...model, kind: to, memory: empty, epoch: model.epoch + 1, transitions: [...model.transitions, told] }
}
