import type { Observer, Rejected, State } from '../index.js'

/** A breaker as an exporter sees it. */
export interface MeasuredBreaker {
  readonly name: string | undefined
  readonly state: State
  observe(observer: Observer<string | undefined>): () => void
}

/** A registry as an exporter sees it. */
export interface MeasuredRegistry<Key> extends Iterable<[Key, { readonly state: State }]> {
  readonly size: number
  get(key: Key): { readonly state: State } | undefined
  outages(): Iterable<[Key, { readonly state: State }]>
  observe(observer: Observer<Key>): () => void
}

/** What is used of prom-client's `Registry`. */
export interface PrometheusRegister {
  registerMetric(metric: never): void
  getSingleMetric(name: string): unknown
  removeSingleMetric(name: string): void
}

export interface PrometheusOptions<Key = unknown> {
  /** The register of prom-client that is scraped: the package's `register`, or a `Registry` of one's own. */
  readonly register: PrometheusRegister
  /** Put before every name. Default: nothing. */
  readonly prefix?: string | undefined
  /** Names in the place of `circuit_breaker_state`, `…_calls_total`, `…_transitions_total` and `…_call_duration_seconds`. */
  readonly names?: { readonly [Which in keyof typeof NAMES]?: string | undefined } | undefined
  /**
   * The label `name` that a key is counted under, for keys that are many or unbounded. Asked at each event, so it should be cheap. A key for
   * which it throws, or gives no string, is counted in `other`. Default: the key as a string; of a URL, its origin.
   */
  group?(key: Key): string | undefined
  /** Values of the label `name` at once, `other` not counted; at least 1, default 1,000. What finds no room is counted in `other`. */
  readonly maxSeries?: number | undefined
  /** Export a histogram of how long calls take. It makes each breaker read its clock twice per call. Default false. */
  readonly durations?: boolean | undefined
  /** Upper bounds of the histogram's buckets, in seconds, rising. Default: those of prom-client, from 0.005 to 10. */
  readonly buckets?: readonly number[] | undefined
}

const NAMES = {
  state: 'circuit_breaker_state',
  calls: 'circuit_breaker_calls_total',
  transitions: 'circuit_breaker_transitions_total',
  duration: 'circuit_breaker_call_duration_seconds',
} as const
const BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

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
  checkMethods('instrument: expected a registry or a breaker', source, ['observe'])
  checkKnown('instrument', options, ['register', 'prefix', 'names', 'group', 'maxSeries', 'durations', 'buckets'])
  const { register, group, maxSeries = 1_000, durations = false, buckets } = options
  checkMethods('register: expected a Registry of prom-client', register, ['registerMetric', 'getSingleMetric', 'removeSingleMetric'])
  checkBounds(group, maxSeries, durations, buckets)
  const names = namesOf(options)
  const table = new Table(source, group, maxSeries)
  const histograms = new Histograms(names.duration, buckets ?? BUCKETS)
  const metrics = metricsOf(table, names, durations ? histograms : undefined)
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
    undo.push(table.observe(durations ? (series, ms) => { histograms.add(series, ms / 1_000) } : undefined))
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
function metricsOf<Key>(table: Table<Key>, names: Record<keyof typeof NAMES, string>, histograms: Histograms | undefined) {
  // One look serves all metrics of a scrape: the register asks them all at once.
  let looking: Promise<Series[]> | undefined
  const look = () =>
    (looking ??= Promise.resolve().then(() => {
      looking = undefined
      return [...table.look()]
    }))
  const metric = (type: string, name: string, help: string, valuesOf: (series: Series) => Value[]) => {
    const made = {
      name,
      help,
      type,
      aggregator: 'sum',
      reset: () => {
        table.reset()
      },
      // Under its present name: a register that speaks OpenMetrics takes `_total` off a counter's, and expects to find it so.
      get: async () => ({ name: made.name, help, type, aggregator: 'sum', values: (await look()).flatMap(valuesOf) }),
    }
    return made
  }
  const metrics = [
    metric('gauge', names.state, 'Whether the circuit is in the state (1) or not (0); of circuits counted together, how many are.', ({ name, states }) =>
      STATES.map((state) => ({ labels: { name, state }, value: states[state] })),
    ),
    metric('counter', names.calls, 'Calls by what became of them; the rejected ones were not made.', ({ name, calls }) =>
      Object.entries(calls).map(([outcome, value]) => ({ labels: { name, outcome }, value })),
    ),
    metric('counter', names.transitions, 'Changes of state.', (series) =>
      Array.from(series.moves(), ([from, to, value]) => ({ labels: { name: series.name, from, to }, value })),
    ),
  ]
  if (histograms !== undefined) metrics.push(metric('histogram', names.duration, 'How long calls took, in seconds.', (series) => histograms.values(series)))
  return metrics
}

/** A histogram for each series, made on first use. A series that is dropped takes its own along. */
class Histograms {
  readonly #of = new WeakMap<Series, { readonly counts: number[]; sum: number; total: number }>()

  constructor(
    readonly metric: string,
    readonly bounds: readonly number[],
  ) {}

  add(series: Series, seconds: number): void {
    let histogram = this.#of.get(series)
    if (histogram === undefined) {
      histogram = { counts: this.bounds.map(() => 0), sum: 0, total: 0 }
      this.#of.set(series, histogram)
    }
    const place = this.bounds.findIndex((bound) => seconds <= bound)
    if (place >= 0) histogram.counts[place]!++
    histogram.sum += seconds
    histogram.total++
  }

  values(series: Series): Value[] {
    const { name } = series
    const { counts, sum, total } = this.#of.get(series) ?? { counts: [], sum: 0, total: 0 }
    const [metricName, below] = [`${this.metric}_bucket`, { count: 0 }]
    const buckets = this.bounds.map((le, place) => ({ metricName, labels: { name, le }, value: (below.count += counts[place] ?? 0) }))
    return [
      ...buckets,
      { metricName, labels: { name, le: '+Inf' }, value: total },
      { metricName: `${this.metric}_sum`, labels: { name }, value: sum },
      { metricName: `${this.metric}_count`, labels: { name }, value: total },
    ]
  }
}

function namesOf({ prefix = '', names = {} }: Pick<PrometheusOptions, 'prefix' | 'names'>) {
  checkKnown('names', names, Object.keys(NAMES))
  const nameOf = (which: keyof typeof NAMES) => {
    const name = `${prefix}${names[which] ?? NAMES[which]}`
    check(/^[a-z_:][\w:]*$/i.test(name), `${names[which] === undefined ? 'prefix' : `names: ${which}`}: ${JSON.stringify(name)} is no name for a metric`)
    return name
  }
  return { state: nameOf('state'), calls: nameOf('calls'), transitions: nameOf('transitions'), duration: nameOf('duration') }
}

// From here on this file and its twin, opentelemetry.ts, are one text, which a test compares: an adapter imports nothing but the main entry.

const STATES = ['closed', 'open', 'half-open', 'forced-open', 'disabled'] as const
const OTHER = 'other'
/** Breakers looked at in one collection at most (or `maxSeries`, if that is more), in search of those that have no series yet, or to count a group. */
const LOOK = 10_000

/** Everything that is exported under one name. */
class Series {
  readonly states: Record<State, number> = { closed: 0, open: 0, 'half-open': 0, 'forced-open': 0, disabled: 0 }
  readonly calls = { success: 0, failure: 0, ignored: 0, rejected: 0 }
  /** The usual ones are there from the start: of a counter that first appears at 1, a rate does not see that 1. */
  readonly transitions: Record<string, number> = { 'closed>open': 0, 'open>half-open': 0, 'half-open>closed': 0, 'half-open>open': 0 }

  constructor(
    readonly name: string,
    /** How often the registry had been gone through when it was made. */
    readonly since: number,
  ) {}

  /** Each change of state that was counted: from, to, how often. */
  *moves(): Iterable<[string, string, number]> {
    for (const [move, times] of Object.entries(this.transitions)) {
      const [from = '', to = ''] = move.split('>')
      yield [from, to, times]
    }
  }
}

/** In which series a key is counted, and what is to be said of each. It holds `maxSeries` of them, and `other`, at most. */
class Table<Key> {
  readonly #registry: MeasuredRegistry<Key>
  readonly #group: ((key: Key) => unknown) | undefined
  readonly #maxSeries: number
  readonly #byName = new Map<string, Series>()
  /** Without `group`: the keys that have a series of their own. */
  readonly #byKey = new Map<Key, Series>()
  /** With `group`: how many breakers each series stands for, as counted when the registry was last gone through, and so far in this round. */
  #members = new Map<Series, number>()
  #counting = new Map<Series, number>()
  #walk: Iterator<[Key, unknown]> | null = null
  #rounds = 0
  #thrown: { readonly error: unknown } | null = null

  constructor(source: MeasuredRegistry<Key> | MeasuredBreaker, group: ((key: Key) => unknown) | undefined, maxSeries: number) {
    const isRegistry = 'outages' in source
    this.#registry = isRegistry ? source : registryOf(source)
    this.#group = isRegistry ? group : () => (group === undefined ? (source.name ?? 'unnamed') : group(source.name as Key))
    this.#maxSeries = maxSeries
  }

  /** Counts all that happens from now on. `timed` is told how long calls take, if it is given. */
  observe(timed?: (series: Series, ms: number) => void, rejected?: (event: Rejected<Key>) => void): () => void {
    return this.#registry.observe({
      transition: ({ name, from, to }) => {
        const { transitions } = this.#of(name)
        const move = `${from}>${to}`
        transitions[move] = (transitions[move] ?? 0) + 1
        this.#complain()
      },
      settled: ({ name, outcome, duration }) => {
        const series = this.#of(name)
        series.calls[outcome]++
        if (timed !== undefined && duration !== undefined) timed(series, duration)
        if (this.#thrown !== null) this.#complain()
      },
      rejected: (event) => {
        this.#of(event.name).calls.rejected++
        rejected?.(event)
        if (this.#thrown !== null) this.#complain()
      },
      durations: timed !== undefined,
    })
  }

  /** All series, with their states as they are now. */
  look(): Iterable<Series> {
    for (const { states } of this.#byName.values()) for (const state of STATES) states[state] = 0
    if (this.#group === undefined) this.#lookAtEach()
    else this.#lookAtGroups()
    for (const [name, { states, since }] of this.#byName) {
      // Nothing is left of it. One made since the last round began may stand for breakers that were not come to yet.
      const isSettled = this.#group === undefined || this.#rounds > since + 1
      if (name !== OTHER && isSettled && STATES.every((state) => states[state] === 0)) this.#byName.delete(name)
    }
    return this.#byName.values()
  }

  /** Begins anew. */
  reset(): void {
    this.#byName.clear()
    this.#byKey.clear()
    this.#members.clear()
    this.#counting.clear()
    this.#walk = null
  }

  #lookAtEach(): void {
    for (const key of this.#byKey.keys()) if (this.#registry.get(key) === undefined) this.#byKey.delete(key)
    if (this.#byKey.size < this.#maxSeries) this.#goThrough((key) => this.#of(key))
    for (const [key, { states }] of this.#byKey) states[this.#registry.get(key)?.state ?? 'closed']++
    let healthy = this.#registry.size - this.#byKey.size
    if (healthy === 0) return
    const { states } = this.#other()
    for (const [key, breaker] of this.#registry.outages()) {
      if (this.#byKey.has(key)) continue
      states[breaker.state]++
      healthy--
    }
    states.closed += healthy
  }

  #lookAtGroups(): void {
    const cameRound = this.#goThrough((key) => {
      const series = this.#of(key)
      this.#counting.set(series, (this.#counting.get(series) ?? 0) + 1)
    })
    if (cameRound) {
      this.#rounds++
      this.#members = this.#counting
      this.#counting = new Map()
    }
    for (const series of this.#byName.values()) series.states.closed = this.#members.get(series) ?? this.#counting.get(series) ?? 0
    for (const [key, breaker] of this.#registry.outages()) {
      const { states } = this.#of(key)
      states.closed = Math.max(0, states.closed - 1)
      states[breaker.state]++
    }
  }

  /** Goes on through the registry, so many breakers at most; tells whether it has come to the end. */
  #goThrough(visit: (key: Key) => void): boolean {
    this.#walk ??= this.#registry[Symbol.iterator]()
    for (let i = 0; i <= Math.max(LOOK, this.#maxSeries); i++) {
      const next = this.#walk.next()
      if (next.done === true) {
        this.#walk = null
        return true
      }
      visit(next.value[0])
    }
    return false
  }

  #of(key: Key): Series {
    if (this.#group !== undefined) return this.#named(this.#groupOf(key), key)
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    if (this.#byKey.size >= this.#maxSeries || this.#registry.get(key) === undefined) return this.#other()
    const series = this.#named(labelOf(key), key)
    this.#byKey.set(key, series)
    return series
  }

  #named(name: string, key: Key): Series {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    // What the registry does not keep would lose a series at the next look.
    const hasRoom = this.#group === undefined || this.#byName.size - (this.#byName.has(OTHER) ? 1 : 0) < this.#maxSeries
    return hasRoom && name !== OTHER && this.#registry.get(key) !== undefined ? this.#make(name) : this.#other()
  }

  #other(): Series {
    return this.#byName.get(OTHER) ?? this.#make(OTHER)
  }

  #make(name: string): Series {
    const series = new Series(name, this.#rounds)
    this.#byName.set(name, series)
    return series
  }

  #groupOf(key: Key): string {
    try {
      const group = this.#group?.(key)
      // A name that is known is clean.
      if (typeof group === 'string') return this.#byName.has(group) ? group : labelOf(group)
    } catch (error) {
      this.#thrown = { error }
    }
    return OTHER
  }

  /** What `group` threw, once all is counted: thrown by a listener, it becomes a warning. */
  #complain(): void {
    if (this.#thrown === null) return
    const { error } = this.#thrown
    this.#thrown = null
    throw error
  }
}

/** One breaker as a registry of one. */
function registryOf<Key>(breaker: MeasuredBreaker): MeasuredRegistry<Key> {
  const entry: [Key, MeasuredBreaker] = [breaker.name as Key, breaker]
  return {
    size: 1,
    get: () => breaker,
    outages: () => (breaker.state === 'closed' ? [] : [entry]),
    [Symbol.iterator]: () => [entry].values(),
    observe: (observer) => breaker.observe(observer as Observer),
  }
}

/** A name for any key: short, and of a URL only what says whom it reaches. */
function labelOf(key: unknown): string {
  let label: string
  try {
    label = String(key)
  } catch {
    return 'unprintable key'
  }
  label = label.replace(/\b([a-z][a-z\d+.-]*:\/\/)(?:[^\s/?#@]*@)?([^\s/?#]*)\S*/gi, '$1$2')
  return label.length > 120 ? `${label.slice(0, 119)}…` : label
}

function check(isGood: boolean, message: string): void {
  if (!isGood) throw new TypeError(message)
}

function checkMethods(message: string, given: unknown, methods: readonly string[]): void {
  const found = (given ?? {}) as Record<string, unknown>
  check(
    methods.every((method) => typeof found[method] === 'function'),
    message,
  )
}

function checkKnown(where: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null) throw new TypeError(`${where}: expected an object of options, got ${String(given)}`)
  const strange = Object.keys(given).find((name) => !known.includes(name))
  check(strange === undefined, `${where}: unknown option ${JSON.stringify(strange)}; known are ${known.join(', ')}`)
}

function checkBounds(group: unknown, maxSeries: number, durations: boolean, buckets: readonly number[] | undefined): void {
  check(group === undefined || typeof group === 'function', 'group: expected a function')
  check(typeof durations === 'boolean', 'durations: expected true or false')
  check(buckets === undefined || durations, 'buckets: needs durations: true')
  if (!Number.isInteger(maxSeries) || maxSeries < 1) throw new RangeError(`maxSeries: expected a whole number of at least 1, got ${String(maxSeries)}`)
  if (buckets?.length === 0 || buckets?.some((bound, i) => !Number.isFinite(bound) || bound <= (buckets[i - 1] ?? -Infinity)) === true) {
    throw new RangeError(`buckets: expected finite numbers in rising order, got ${JSON.stringify(buckets)}`)
  }
}
