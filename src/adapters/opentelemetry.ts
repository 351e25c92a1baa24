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

export interface OpenTelemetryOptions<Key = unknown> {
  /** Where the instruments are made. */
  readonly meter: OpenTelemetryMeter
  /** The `trace` of `@opentelemetry/api`: a refused call leaves an event `circuit_breaker.rejected` on the span it was made in. Default: no events. */
  readonly trace?: OpenTelemetryTrace | undefined
  /** Put before every name. Default: nothing. */
  readonly prefix?: string | undefined
  /** Names in the place of `circuit_breaker.state`, `….calls`, `….transitions` and `….call.duration`. */
  readonly names?: { readonly [Which in keyof typeof NAMES]?: string | undefined } | undefined
  /**
   * The attribute `circuit_breaker.name` that a key is counted under, for keys that are many or unbounded. Asked at each event, so it should
   * be cheap. A key for which it throws, or gives no string, is counted in `other`. Default: the key as a string; of a URL, its origin.
   */
  group?(key: Key): string | undefined
  /**
   * Values of that attribute at once, `other` not counted; at least 1. Default 300, because an SDK keeps 2,000 sets of attributes of one
   * instrument unless told otherwise, and a name has five states. What finds no room is counted in `other`.
   */
  readonly maxSeries?: number | undefined
  /** Record how long calls take. It makes each breaker read its clock twice per call. Default false. */
  readonly durations?: boolean | undefined
  /** Upper bounds of the histogram's buckets, in seconds, rising; advice to the SDK, which a view may overrule. Default: from 0.005 to 10. */
  readonly buckets?: readonly number[] | undefined
}

const NAMES = {
  state: 'circuit_breaker.state',
  calls: 'circuit_breaker.calls',
  transitions: 'circuit_breaker.transitions',
  duration: 'circuit_breaker.call.duration',
} as const
const NAME = 'circuit_breaker.name'
const METER = ['createObservableGauge', 'createObservableCounter', 'createHistogram', 'addBatchObservableCallback', 'removeBatchObservableCallback']
const BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

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
  checkMethods('instrument: expected a registry or a breaker', source, ['observe'])
  checkKnown('instrument', options, ['meter', 'trace', 'prefix', 'names', 'group', 'maxSeries', 'durations', 'buckets'])
  const { meter, trace, group, maxSeries = 300, durations = false, buckets } = options
  checkMethods('meter: expected a Meter of OpenTelemetry', meter, METER)
  if (trace !== undefined) checkMethods('trace: expected the trace API of OpenTelemetry', trace, ['getActiveSpan'])
  checkBounds(group, maxSeries, durations, buckets)
  const names = namesOf(options)
  const free = claim(meter, Object.values(names))
  const table = new Table(source, group, maxSeries)
  try {
    const { observe, observables } = observablesOf(meter, table, names)
    const timed = durations ? recorderOf(meter, names.duration, buckets ?? BUCKETS) : undefined
    meter.addBatchObservableCallback(observe as never, observables as never)
    const unobserve = table.observe(timed, trace && ((event) => { mark(trace, event) }))
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
function observablesOf<Key>(meter: OpenTelemetryMeter, table: Table<Key>, names: Record<keyof typeof NAMES, string>) {
  const state = meter.createObservableGauge(names.state, {
    description: 'Whether the circuit is in the state (1) or not (0); of circuits counted together, how many are.',
    unit: '{circuit}',
  })
  const calls = meter.createObservableCounter(names.calls, { description: 'Calls by what became of them; the rejected ones were not made.', unit: '{call}' })
  const transitions = meter.createObservableCounter(names.transitions, { description: 'Changes of state.', unit: '{transition}' })
  let shown = new Set<string>()
  const observe = (result: { observe(observable: object, value: number, attributes: Attributes): void }) => {
    const observeState = (name: string, is: State, value: number) => {
      result.observe(state, value, { [NAME]: name, 'circuit_breaker.state': is })
    }
    const gone = shown
    shown = new Set()
    for (const series of table.look()) {
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

/** Records into a histogram, each series with attributes made once. */
function recorderOf(meter: OpenTelemetryMeter, name: string, buckets: readonly number[]): (series: Series, ms: number) => void {
  const histogram = meter.createHistogram(name, { description: 'How long calls took.', unit: 's', advice: { explicitBucketBoundaries: [...buckets] } })
  const attributesOf = new WeakMap<Series, Attributes>()
  return (series, ms) => {
    let attributes = attributesOf.get(series)
    if (attributes === undefined) {
      attributes = { [NAME]: series.name }
      attributesOf.set(series, attributes)
    }
    histogram.record(ms / 1_000, attributes)
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
  const taken = names.find((name) => used.has(name))
  if (taken !== undefined) {
    throw new Error(`instrument: the meter already has an instrument ${taken}; hand over all breakers in one registry, or give each call a prefix of its own`)
  }
  for (const name of names) used.add(name)
  inUse.set(meter, used)
  return () => {
    for (const name of names) used.delete(name)
  }
}

function namesOf({ prefix = '', names = {} }: Pick<OpenTelemetryOptions, 'prefix' | 'names'>) {
  checkKnown('names', names, Object.keys(NAMES))
  const nameOf = (which: keyof typeof NAMES) => {
    const name = `${prefix}${names[which] ?? NAMES[which]}`
    check(/^[a-z][\w./-]{0,254}$/i.test(name), `${names[which] === undefined ? 'prefix' : `names: ${which}`}: ${JSON.stringify(name)} is no name for an instrument`)
    return name
  }
  return { state: nameOf('state'), calls: nameOf('calls'), transitions: nameOf('transitions'), duration: nameOf('duration') }
}

// From here on this file and its twin, prometheus.ts, are one text, which a test compares: an adapter imports nothing but the main entry.

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
