import { checkMethods, checkNames, refuse } from './options.js'

export type Metric = 'state' | 'calls' | 'transitions' | 'duration'

/** What each metric says, as the system that shows it tells people. */
export const HELP: Readonly<Record<Metric, string>> = {
  state: 'Whether the circuit is in the state (1) or not (0); of circuits counted together, how many are.',
  calls: 'Calls by what became of them; the rejected ones were not made.',
  transitions: 'Changes of state.',
  duration: 'How long calls took, in seconds.',
}

const BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** What can be said to every exporter. */
export interface ExporterOptions<Key> {
  /** Put before every name. Default: nothing. */
  readonly prefix?: string | undefined
  /** Other names of the metrics. */
  readonly names?: Readonly<Partial<Record<Metric, string | undefined>>> | undefined
  /**
   * The name that a key is counted under, for keys that are many or unbounded. Asked at each event, so it should be cheap. A key for which it
   * throws, or gives no string, is counted in `other`. Default: the key as a string; of a URL, its origin.
   */
  group?(key: Key): string | undefined
  /** Names at once, `other` not counted; at least 1. What finds no room is counted in `other`. */
  readonly maxSeries?: number | undefined
  /** Export a histogram of how long calls take. It makes each breaker read its clock twice per call. Default false. */
  readonly durations?: boolean | undefined
  /** Upper bounds of the histogram's buckets, in seconds, rising. Default: those of prom-client, from 0.005 to 10. */
  readonly buckets?: readonly number[] | undefined
}

/** What a system of metrics has of its own. */
export interface Dialect {
  /** The options that say where to export to. */
  readonly targets: readonly string[]
  readonly names: Readonly<Record<Metric, string>>
  readonly isName: RegExp
  /** What it calls that which has a name. */
  readonly noun: string
  readonly maxSeries: number
}

/** What is to be done: the options, checked, with the defaults of the dialect. */
export interface Settings<Key> {
  readonly names: Readonly<Record<Metric, string>>
  readonly group: ((key: Key) => string | undefined) | undefined
  readonly maxSeries: number
  /** The bounds of the histogram's buckets, if there is to be one. */
  readonly buckets: readonly number[] | undefined
}

/** @throws TypeError or RangeError naming the option and the rule */
export function settingsOf<Key>(source: unknown, options: ExporterOptions<Key>, dialect: Dialect): Settings<Key> {
  checkMethods('instrument', 'a registry or a breaker', source, ['observe'])
  checkNames('instrument', options, [...dialect.targets, 'prefix', 'names', 'group', 'maxSeries', 'durations', 'buckets'])
  const { group, maxSeries = dialect.maxSeries, durations = false, buckets } = options
  if (group !== undefined && typeof group !== 'function') refuse('group', 'a function', group)
  if (!Number.isInteger(maxSeries) || maxSeries < 1) refuse('maxSeries', 'a whole number of at least 1', maxSeries)
  if (typeof durations !== 'boolean') refuse('durations', 'true or false', durations)
  if (buckets !== undefined) checkBuckets(buckets, durations)
  return { names: namesOf(options, dialect), group, maxSeries, buckets: durations ? (buckets ?? BUCKETS) : undefined }
}

function checkBuckets(buckets: readonly number[], durations: boolean): void {
  if (!durations) throw new TypeError('buckets: needs durations: true')
  const isRising = Array.isArray(buckets) && buckets.length > 0 && buckets.every((bound, i) => Number.isFinite(bound) && bound > (buckets[i - 1] ?? -Infinity))
  if (!isRising) throw new RangeError(`buckets: expected finite numbers in rising order, got ${JSON.stringify(buckets)}`)
}

function namesOf<Key>({ prefix = '', names = {} }: ExporterOptions<Key>, { names: defaults, isName, noun }: Dialect): Record<Metric, string> {
  checkNames('names', names, Object.keys(defaults))
  const nameOf = (metric: Metric) => {
    const name = `${prefix}${names[metric] ?? defaults[metric]}`
    if (isName.test(name)) return name
    throw new TypeError(`${names[metric] === undefined ? 'prefix' : `names: ${metric}`}: ${JSON.stringify(name)} is no name for ${noun}`)
  }
  return { state: nameOf('state'), calls: nameOf('calls'), transitions: nameOf('transitions'), duration: nameOf('duration') }
}
