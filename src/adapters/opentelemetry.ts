import type { Rejected, State } from '../index.js'
import { HELP, settingsOf, type ExporterOptions, type Settings } from './exporter.js'
import type { MeasuredBreaker, MeasuredRegistry } from './measured.js'
import { checkMethods } from './options.js'
import { STATES, labelOf, type Series } from './series.js'
import { Tally } from './tally.js'

export type { MeasuredBreaker, MeasuredRegistry }

type Attributes = Record<string, string | number>

/** What is used of OpenTelemetry's `Meter`. */
export interface OpenTelemetryMeter {
  createObservableGauge(name: string, options: object): object
  createObservableCounter(name: string, options: object): object
  createHistogram(name: string, options: object): { record(value: number, attributes: Attributes): void }
  addBatchObservableCallback(callback: never, observables: never): void
  removeBatchObservableCallback(callback: never, observables: never): void
}

/** What is used of OpenTelemetry's `trace`. */
export interface OpenTelemetryTrace {
  getActiveSpan(): { addEvent(name: string, attributes: Attributes): unknown } | undefined
}

export interface OpenTelemetryOptions<Key = unknown> extends ExporterOptions<Key> {
  /** Where the instruments are made. */
  readonly meter: OpenTelemetryMeter
  /** The `trace` of `@opentelemetry/api`: a refused call leaves an event `circuit_breaker.rejected` on the span it was made in. Default: no events. */
  readonly trace?: OpenTelemetryTrace | undefined
  /** Names in the place of `circuit_breaker.state`, `….calls`, `….transitions` and `….call.duration`. */
  readonly names?: ExporterOptions<Key>['names']
  /**
   * Values of the attribute `circuit_breaker.name` at once, `other` not counted; at least 1. Default 300, because an SDK keeps 2,000 sets of
   * attributes of one instrument unless told otherwise, and a name has five states. What finds no room is counted in `other`.
   */
  readonly maxSeries?: number | undefined
  /** Upper bounds of the histogram's buckets, in seconds, rising; advice to the SDK, which a view may overrule. Default: from 0.005 to 10. */
  readonly buckets?: readonly number[] | undefined
}

const DIALECT = {
  targets: ['meter', 'trace'],
  names: {
    state: 'circuit_breaker.state',
    calls: 'circuit_breaker.calls',
    transitions: 'circuit_breaker.transitions',
    duration: 'circuit_breaker.call.duration',
  },
  isName: /^[a-z][\w./-]{0,254}$/i,
  noun: 'an instrument',
  maxSeries: 300,
} as const
const NAME = 'circuit_breaker.name'
const METER = ['createObservableGauge', 'createObservableCounter', 'createHistogram', 'addBatchObservableCallback', 'removeBatchObservableCallback']

/** What is in use on each meter, since a meter does not tell. */
const inUse = new WeakMap<OpenTelemetryMeter, Set<string>>()

/**
 * Exports a registry, or one breaker, through an OpenTelemetry meter, until the returned function is called.
 *
 * States and counts are observed when the SDK collects, at the cost of what is broken and of the bounded number of series, however many
 * breakers are healthy. A forgotten breaker is in no state any more (all are 0) and is not observed again; an SDK that reports cumulatively
 * repeats that. One made again begins at 0.
 *
 * @example
 * ```ts
 * import { metrics, trace } from '@opentelemetry/api'
 *
 * const stop = instrument(upstreams, { meter: metrics.getMeter('upstreams'), trace })
 * ```
 * @throws TypeError or RangeError for wrong options; Error if the names are in use on this meter
 */
export function instrument<Key = unknown>(source: MeasuredRegistry<Key> | MeasuredBreaker, options: OpenTelemetryOptions<Key>): () => void {
  const { names, group, maxSeries, buckets } = settingsOf(source, options, DIALECT)
  const { meter, trace } = options
  checkMethods('meter', 'a Meter of OpenTelemetry', meter, METER)
  if (trace !== undefined) checkMethods('trace', 'the trace API of OpenTelemetry', trace, ['getActiveSpan'])
  const free = claim(meter, Object.values(names))
  const tally = new Tally(source, group, maxSeries)
  try {
    const { observe, observables } = observablesOf(meter, tally, names)
    const timed = buckets && recorderOf(meter, names.duration, buckets)
    meter.addBatchObservableCallback(observe as never, observables as never)
    const unobserve = tally.observe({ timed, rejected: trace && ((event) => { mark(trace, event) }) })
    return () => {
      unobserve()
      meter.removeBatchObservableCallback(observe as never, observables as never)
      free()
    }
  } catch (error) {
    free()
    throw error
  }
}

/** What the SDK observes when it collects, and how it is told. */
function observablesOf<Key>(meter: OpenTelemetryMeter, tally: Tally<Key>, names: Settings<Key>['names']) {
  const state = meter.createObservableGauge(names.state, { description: HELP.state, unit: '{circuit}' })
  const calls = meter.createObservableCounter(names.calls, { description: HELP.calls, unit: '{call}' })
  const transitions = meter.createObservableCounter(names.transitions, { description: HELP.transitions, unit: '{transition}' })
  let shown = new Set<string>()
  const observe = (result: { observe(observable: object, value: number, attributes: Attributes): void }) => {
    const observeState = (name: string, is: State, value: number) => {
      result.observe(state, value, { [NAME]: name, 'circuit_breaker.state': is })
    }
    const gone = shown
    shown = new Set()
    for (const series of tally.look()) {
      const { name } = series
      gone.delete(name)
      shown.add(name)
      for (const is of STATES) observeState(name, is, series.states[is])
      for (const [outcome, count] of Object.entries(series.calls)) result.observe(calls, count, { [NAME]: name, 'circuit_breaker.outcome': outcome })
      for (const [from, to, count] of series.moves()) result.observe(transitions, count, { [NAME]: name, 'circuit_breaker.from': from, 'circuit_breaker.to': to })
    }
    // Said once: a cumulative SDK would repeat the last it was told, and a breaker forgotten while open would be open for ever.
    for (const name of gone) for (const is of STATES) observeState(name, is, 0)
  }
  return { observe, observables: [state, calls, transitions] }
}

/** Records into a histogram. */
function recorderOf(meter: OpenTelemetryMeter, name: string, buckets: readonly number[]): (series: Series, ms: number) => void {
  const histogram = meter.createHistogram(name, { description: HELP.duration, unit: 's', advice: { explicitBucketBoundaries: [...buckets] } })
  return (series, ms) => {
    histogram.record(ms / 1_000, { [NAME]: series.name })
  }
}

/** Leaves on the active span that a call was refused within it. */
function mark<Key>(trace: OpenTelemetryTrace, { name, reason, retryAfterMs }: Rejected<Key>): void {
  trace.getActiveSpan()?.addEvent('circuit_breaker.rejected', {
    [NAME]: labelOf(name),
    'circuit_breaker.reason': reason,
    'circuit_breaker.retry_after_ms': retryAfterMs,
  })
}

/** Takes names on a meter: two observers of one instrument would each be added up, or lost. */
function claim(meter: OpenTelemetryMeter, names: string[]): () => void {
  const used = inUse.get(meter) ?? new Set()
  // An SDK tells no case.
  // Stryker disable next-line MethodExpression: any one case will do
  const plain = names.map((name) => name.toLowerCase())
  const taken = names.find((_, i) => used.has(plain[i]!) || plain.indexOf(plain[i]!) !== i)
  if (taken !== undefined) {
    throw new Error(`instrument: the meter already has an instrument ${taken}; hand over all breakers in one registry, or give each call a prefix of its own`)
  }
  for (const name of plain) used.add(name)
  inUse.set(meter, used)
  return () => {
    // Once: another may have taken them since.
    for (const name of plain.splice(0)) used.delete(name)
  }
}
