import type { AbortSignalLike, BreakerLike, Permit, RegistryLike, Verdict } from '../index.js'

/** What is looked at of the config that axios hands to an adapter. */
export interface AxiosConfigLike {
  readonly url?: string | undefined
  readonly baseURL?: string | undefined
  readonly allowAbsoluteUrls?: boolean | undefined
  readonly signal?: AbortSignalLike | undefined
  /** The older way to cancel. */
  readonly cancelToken?: { readonly reason?: unknown } | undefined
  readonly data?: unknown
}

export interface AxiosResponseLike {
  readonly status: number
}

/** The platform's `URL`. */
export interface UrlLike {
  readonly href: string
  readonly origin: string
  readonly protocol: string
  readonly hostname: string
  readonly pathname: string
}

export interface BreakerAdapterOptions<Key = string> {
  /** Which breaker of the registry a call is charged to. Default: the origin of its URL, `baseURL` and all. A redirect is charged to the host that was asked. */
  key?(url: UrlLike, config: AxiosConfigLike): Key
  /**
   * What a status says about the host, where the default does not suit: 500 and above are failures, 408 and 429 are ignored, all else is
   * success. `undefined` leaves the default. What `validateStatus` says is between axios and its caller.
   */
  classify?(status: number): Verdict | undefined
}

/**
 * Guards an adapter of axios, which is where a call leaves for its host: `axios.create({ adapter: breakerAdapter(upstreams, axios.getAdapter('http')) })`.
 *
 * A call that its caller cancels, by a signal or a cancel token, is ignored, and so is a config that axios refuses: it is charged to no host.
 * A signal's deadline and axios' own `timeout` are failures. With `responseType: 'stream'` the headers decide. A refused call rejects with
 * `CircuitOpenError`. What reaches no host (`data:`) is not guarded, unless `key` says where it belongs.
 *
 * @param guards - a registry, or one breaker for all calls. Their own classifiers are not asked.
 * @param adapter - `axios.getAdapter('http')`, `axios.getAdapter(axios.defaults.adapter)`, or one of one's own
 * @throws TypeError naming the option, the rule and the value got
 *
 * @example
 * ```ts
 * const api = axios.create({
 *   baseURL: 'https://api.example.com',
 *   timeout: 5_000,
 *   adapter: breakerAdapter(upstreams, axios.getAdapter(axios.defaults.adapter)),
 * })
 * ```
 */
export function breakerAdapter<Config extends AxiosConfigLike, Response extends AxiosResponseLike>(
  guards: RegistryLike | BreakerLike,
  adapter: (config: Config) => Promise<Response>,
  options?: BreakerAdapterOptions,
): (config: Config) => Promise<Response>
export function breakerAdapter<Key, Config extends AxiosConfigLike, Response extends AxiosResponseLike>(
  guards: RegistryLike<Key>,
  adapter: (config: Config) => Promise<Response>,
  options: BreakerAdapterOptions<Key> & Required<Pick<BreakerAdapterOptions<Key>, 'key'>>,
): (config: Config) => Promise<Response>
export function breakerAdapter(
  guards: RegistryLike<unknown> | BreakerLike,
  adapter: (config: AxiosConfigLike) => Promise<AxiosResponseLike>,
  options: BreakerAdapterOptions<unknown> = {},
): (config: AxiosConfigLike) => Promise<AxiosResponseLike> {
  const breakerOf = checkGuards(guards)
  if (typeof adapter !== 'function') throw new TypeError(`breakerAdapter: expected an adapter, got ${shown(adapter)}; axios.getAdapter(…) gives the one of a name`)
  const { key, classify } = checkOptions(options)

  return async (config) => {
    const { signal } = config
    const url = urlOf(config)
    // Cancelled before it began, or so wrong that it has no host: axios will say so, and no host is asked.
    if (signal?.aborted === true || url === undefined || (key === undefined && url.protocol !== 'http:' && url.protocol !== 'https:')) return adapter(config)
    const permit = breakerOf(key === undefined ? url.origin : key(url, config)).acquire({ signal })
    let response: AxiosResponseLike
    try {
      response = await adapter(config)
    } catch (error) {
      const status = answeredWith(error)
      if (status !== undefined) report(permit, judge(classify, status), status)
      else if (isDeadline(signal)) permit.failure(signal?.reason)
      else if (isOfTheCaller(error, config)) permit.ignore()
      else permit.failure(error)
      throw error
    }
    // An adapter of somebody else may answer with anything.
    const { status = 0 } = (response as Partial<AxiosResponseLike> | null | undefined) ?? {}
    report(permit, judge(classify, status), status)
    return response
  }
}

// The call.

/** As axios puts the URL together; what it cannot make a URL of has none. */
function urlOf({ url = '', baseURL = '', allowAbsoluteUrls }: AxiosConfigLike): UrlLike | undefined {
  const isRelative = !/^(?:[a-z][a-z\d+\-.]*:)?\/\//i.test(url)
  const whole = baseURL !== '' && (isRelative || allowAbsoluteUrls === false) ? (url === '' ? baseURL : `${baseURL.replace(/\/+$/, '')}/${url.replace(/^\/+/, '')}`) : url
  try {
    return new platform.URL(whole, platform.location?.href)
  } catch {
    return undefined
  }
}

// The verdict.

/**
 * The status of an answer that `validateStatus` made an error of. A response that broke off comes with its status too, but without the
 * data that every answer has.
 */
function answeredWith(error: unknown): number | undefined {
  const { response } = (error ?? {}) as { response?: unknown }
  if (typeof response !== 'object' || response === null || !('data' in response)) return undefined
  const { status } = response as Partial<AxiosResponseLike>
  return typeof status === 'number' ? status : undefined
}

/** axios calls it cancelled, whether its caller gave up or the host missed the deadline that the caller had set. */
function isDeadline(signal: AbortSignalLike | undefined): boolean {
  return signal?.aborted === true && (signal.reason as { name?: unknown } | null | undefined)?.name === 'TimeoutError'
}

/** Errors of the caller's making: a cancellation, a config that axios or Node refuses, a limit that the caller has set. */
const OF_THE_CALLER = new Set<unknown>([
  'ERR_CANCELED',
  'ERR_INVALID_URL',
  'ERR_BAD_OPTION',
  'ERR_BAD_OPTION_VALUE',
  // Without a response: a protocol that is not supported, a body above `maxBodyLength`.
  'ERR_BAD_REQUEST',
  'ERR_NOT_SUPPORT',
  'ERR_FORM_DATA_DEPTH_EXCEEDED',
  'ERR_FR_MAX_BODY_LENGTH_EXCEEDED',
])

function isOfTheCaller(error: unknown, { cancelToken, data }: AxiosConfigLike): boolean {
  const { code, name, message, cause, request, isAxiosError } = (error ?? {}) as Readonly<Record<string, unknown>>
  if (cancelToken?.reason !== undefined || OF_THE_CALLER.has(code)) return true
  if (code === 'ERR_BAD_RESPONSE' && String(message).startsWith('maxContentLength ')) return true
  // Node will not send such a header, method or path; no `Request` can be made of it; fetch has blocked the port.
  if (name === 'TypeError' && (typeof code === 'string' ? code.startsWith('ERR_') : isAxiosError === true && request === undefined)) return true
  if ((cause as { message?: unknown } | null | undefined)?.message === 'bad port') return true
  // What the caller uploads broke off.
  const errored = (data as { errored?: unknown } | null | undefined)?.errored
  return errored !== undefined && errored !== null && (errored === error || errored === cause)
}

function report(permit: Permit, verdict: Verdict, status: number): void {
  if (verdict === 'success') permit.success()
  else if (verdict === 'ignored') permit.ignore()
  else permit.failure(new Error(`The host answered with status ${String(status)}`), verdict === 'failure' ? undefined : verdict)
}

type Classify = ((status: number) => unknown) | undefined

/** The verdict on an answer: `classify`'s, or if that has none, throws or says nonsense, the default. */
function judge(classify: Classify, status: number): Verdict {
  try {
    const verdict = classify?.(status)
    if (isVerdict(verdict)) return verdict
    if (verdict !== undefined) {
      // Were it a promise that rejects, nobody else would know.
      void Promise.resolve(verdict).catch(() => undefined)
      warn(`breakerAdapter: classify returned ${shown(verdict)}, which is not a valid answer; its default is used`)
    }
  } catch (error) {
    warn(`breakerAdapter: classify threw: ${String(error)}`)
  }
  return status >= 500 ? 'failure' : status === 408 || status === 429 ? 'ignored' : 'success'
}

function isVerdict(value: unknown): value is Verdict {
  if (value === 'success' || value === 'failure' || value === 'ignored') return true
  const openFor = (value as { openFor?: unknown } | null | undefined)?.openFor
  return typeof openFor === 'number' && openFor >= 0 && openFor < Infinity
}

// The options.

function checkGuards(guards: unknown): (key: unknown) => BreakerLike {
  const given = (guards ?? {}) as Partial<RegistryLike<unknown> & BreakerLike>
  if (typeof given.for === 'function') return (key) => (guards as RegistryLike<unknown>).for(key)
  if (typeof given.acquire === 'function') return () => guards as BreakerLike
  throw new TypeError(`breakerAdapter: expected a registry or a breaker, got ${shown(guards)}`)
}

const known = ['key', 'classify']

function checkOptions(options: BreakerAdapterOptions<unknown>): BreakerAdapterOptions<unknown> {
  if (typeof options !== 'object' || (options as unknown) === null) throw new TypeError(`breakerAdapter: expected options, got ${shown(options)}`)
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (!known.includes(name)) throw new TypeError(`breakerAdapter: unknown option ${JSON.stringify(name)}; known are ${known.join(', ')}`)
    if (value !== undefined && typeof value !== 'function') throw new TypeError(`breakerAdapter: ${name}: expected a function, got ${shown(value)}`)
  }
  return options
}

/** A value as a message shows it. */
function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/** What is used of the platform. Only some have each. */
const platform = globalThis as unknown as {
  readonly URL: new (url: string, base?: string) => UrlLike
  readonly location?: { readonly href: string }
  readonly process?: { emitWarning?(message: string, type: string): void }
  readonly console?: { warn?(message: string): void }
}

const told = new Set<string>()

/** Says once that a classifier misbehaved, and a hundred different things at most. */
function warn(message: string): void {
  if (told.size >= 100 || told.has(message)) return
  told.add(message)
  if (typeof platform.process?.emitWarning === 'function') platform.process.emitWarning(message, 'LazybreakerWarning')
  else platform.console?.warn?.(`LazybreakerWarning: ${message}`)
}
