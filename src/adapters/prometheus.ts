import { HELP, settingsOf, type ExporterOptions, type Settings } from './exporter.js'
import type { MeasuredBreaker, MeasuredRegistry } from './measured.js'
import { checkMethods } from './options.js'
import { STATES, type Series } from './series.js'
import { Tally } from './tally.js'

export type { MeasuredBreaker, MeasuredRegistry }

/** What is used of prom-client's `Registry`. */
export interface PrometheusRegister {
  registerMetric(metric: never): void
  getSingleMetric(name: string): unknown
  removeSingleMetric(name: string): void
}

export interface PrometheusOptions<Key = unknown> extends ExporterOptions<Key> {
  /** The register of prom-client that is scraped: the package's `register`, or a `Registry` of one's own. */
  readonly register: PrometheusRegister
  /** Names in the place of `circuit_breaker_state`, `…_calls_total`, `…_transitions_total` and `…_call_duration_seconds`. */
  readonly names?: ExporterOptions<Key>['names']
  /** Values of the label `name` at once, `other` not counted; at least 1, default 1,000. What finds no room is counted in `other`. */
  readonly maxSeries?: number | undefined
}

const DIALECT = {
  targets: ['register'],
  names: {
    state: 'circuit_breaker_state',
    calls: 'circuit_breaker_calls_total',
    transitions: 'circuit_breaker_transitions_total',
    duration: 'circuit_breaker_call_duration_seconds',
  },
  isName: /^[a-z_:][\w:]*$/i,
  noun: 'a metric',
  maxSeries: 1_000,
} as const

/**
 * Exports a registry, or one breaker, through prom-client, until the returned function is called.
 *
 * States are computed when scraped, at the cost of what is broken and of the bounded number of series, however many breakers are healthy.
 * A forgotten breaker's series are gone at the next scrape, and one made again begins at 0.
 *
 * @example
 * ```ts
 * import { register } from 'prom-client'
 *
 * const stop = instrument(upstreams, { register })
 * ```
 * @throws TypeError or RangeError for wrong options; Error if the register already has a metric of one of the names
 */
export function instrument<Key = unknown>(source: MeasuredRegistry<Key> | MeasuredBreaker, options: PrometheusOptions<Key>): () => void {
  const { names, group, maxSeries, buckets } = settingsOf(source, options, DIALECT)
  const { register } = options
  checkMethods('register', 'a Registry of prom-client', register, ['registerMetric', 'getSingleMetric', 'removeSingleMetric'])
  const tally = new Tally(source, group, maxSeries)
  const histograms = buckets && new Histograms(names.duration, buckets)
  const metrics = metricsOf(tally, names, histograms)
  const taken = metrics.find(({ name }) => register.getSingleMetric(name) !== undefined)
  if (taken !== undefined) {
    throw new Error(`instrument: the register already has a metric ${taken.name}; hand over all breakers in one registry, or give each call a prefix of its own`)
  }
  const undo: (() => void)[] = []
  const end = () => {
    for (const step of undo.splice(0)) step()
  }
  try {
    for (const metric of metrics) {
      const { name } = metric
      register.registerMetric(metric as never)
      undo.push(() => {
        if (register.getSingleMetric(name) === metric) register.removeSingleMetric(name)
      })
    }
    undo.push(tally.observe({ timed: histograms && ((series, ms) => { histograms.add(series, ms / 1_000) }) }))
  } catch (error) {
    end()
    throw error
  }
  return end
}

interface Value {
  readonly metricName?: string
  readonly labels: Record<string, string | number>
  readonly value: number
}

/** The metrics as prom-client's register knows them: asked for their values at each scrape. */
function metricsOf<Key>(tally: Tally<Key>, names: Settings<Key>['names'], histograms: Histograms | undefined) {
  // One look serves all metrics of a scrape: the register asks them all at once.
  let looking: Promise<Series[]> | undefined
  const look = () =>
    (looking ??= Promise.resolve().then(() => {
      looking = undefined
      return [...tally.look()]
    }))
  const metric = (type: string, name: string, help: string, valuesOf: (series: Series) => Value[]) => {
    const described = { help, type, aggregator: 'sum' }
    const made = {
      name,
      ...described,
      reset: () => {
        tally.reset()
      },
      // Under its present name: a register that speaks OpenMetrics takes `_total` off a counter's, and expects to find it so.
      get: async () => ({ name: made.name, ...described, values: (await look()).flatMap(valuesOf) }),
    }
    return made
  }
  const metrics = [
    metric('gauge', names.state, HELP.state, ({ name, states }) =>
      STATES.map((state) => ({ labels: { name, state }, value: states[state] })),
    ),
    metric('counter', names.calls, HELP.calls, ({ name, calls }) =>
      Object.entries(calls).map(([outcome, value]) => ({ labels: { name, outcome }, value })),
    ),
    metric('counter', names.transitions, HELP.transitions, (series) =>
      Array.from(series.moves(), ([from, to, value]) => ({ labels: { name: series.name, from, to }, value })),
    ),
  ]
  if (histograms !== undefined) metrics.push(metric('histogram', names.duration, HELP.duration, (series) => histograms.values(series)))
  return metrics
}

interface Histogram {
  /** Of calls that took at most as long as each bound, and no less than the one before. */
  readonly counts: number[]
  sum: number
}

/** A histogram for each series, made on first use. A series that is dropped takes its own along. */
class Histograms {
  readonly #bySeries = new WeakMap<Series, Histogram>()
  readonly #bounds: readonly number[]

  constructor(
    readonly metric: string,
    bounds: readonly number[],
  ) {
    this.#bounds = [...bounds, Infinity]
  }

  add(series: Series, seconds: number): void {
    const histogram = this.#of(series)
    histogram.counts[this.#bounds.findIndex((bound) => seconds <= bound)]!++
    histogram.sum += seconds
  }

  values(series: Series): Value[] {
    const { name } = series
    const { counts, sum } = this.#of(series)
    let total = 0
    return [
      ...this.#bounds.map((bound, place) => ({
        metricName: `${this.metric}_bucket`,
        labels: { name, le: bound === Infinity ? '+Inf' : bound },
        value: (total += counts[place]!),
      })),
      { metricName: `${this.metric}_sum`, labels: { name }, value: sum },
      { metricName: `${this.metric}_count`, labels: { name }, value: total },
    ]
  }

  #of(series: Series): Histogram {
    let histogram = this.#bySeries.get(series)
    if (histogram === undefined) {
      histogram = { counts: this.#bounds.map(() => 0), sum: 0 }
      this.#bySeries.set(series, histogram)
    }
    return histogram
  }
}
