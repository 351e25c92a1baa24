import type { AbortSignalLike, BreakerLike, RegistryLike, Verdict } from '../index.js'
import { isDeadline, isOfUpload, refusedByFetch } from './abort.js'
import { breakersOf, leadsToHost } from './guards.js'
import { checkFunctions, checkNames } from './options.js'
import { report, statusVerdict } from './status-verdict.js'
import { describe } from './warning.js'

/** What is looked at of the config that axios hands to an adapter. Whatever its types say, axios takes `null` for nothing in each. */
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
  checkNames('breakerAdapter', options, ['key', 'classify'])
  checkFunctions(options)
  const { key, classify } = options
  const breakerOf = breakersOf('breakerAdapter', guards, key ?? originOf)
  if (typeof adapter !== 'function') throw new TypeError(`breakerAdapter: expected an adapter, got ${describe(adapter)}; axios.getAdapter(…) gives the one of a name`)

  return async (config) => {
    const signal = config.signal ?? undefined
    const url = urlOf(config)
    // Cancelled before it began, or so wrong that it has no host: axios will say so, and no host is asked.
    if (signal?.aborted === true || url === undefined || (key === undefined && !leadsToHost(url))) return adapter(config)
    const permit = breakerOf(url, config).acquire({ signal })
    let response: AxiosResponseLike
    try {
      response = await adapter(config)
    } catch (error) {
      const status = answeredWith(error)
      if (status !== undefined) report(permit, statusVerdict(classify, status), status)
      else if (isDeadline(signal)) permit.failure(signal!.reason)
      else if (isOfTheCaller(error, config)) permit.ignore()
      else permit.failure(error)
      throw error
    }
    // An adapter of somebody else may answer with anything.
    const status = (response as Partial<AxiosResponseLike> | null | undefined)?.status
    report(permit, statusVerdict(classify, status), status)
    return response
  }
}

function originOf(url: UrlLike): string {
  return url.origin
}

/** As axios puts the URL together; what it cannot make a URL of has none. */
function urlOf(config: AxiosConfigLike): UrlLike | undefined {
  const { allowAbsoluteUrls } = config
  const [url, baseURL] = [config.url ?? '', config.baseURL ?? '']
  const isRelative = !/^(?:[a-z][a-z\d+\-.]*:)?\/\//i.test(url)
  const whole = baseURL !== '' && (isRelative || allowAbsoluteUrls === false) ? (url === '' ? baseURL : `${baseURL.replace(/\/+$/, '')}/${url.replace(/^\/+/, '')}`) : url
  try {
    return new platform.URL(whole, platform.location?.href)
  } catch {
    // It leads nowhere.
  }
  return undefined
}

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
  const { message: because, cause: reason } = (cause ?? {}) as Readonly<Record<string, unknown>>
  if (code === 'ERR_FR_REDIRECTION_FAILURE') return !isNowhere(reason)
  return refusedByFetch(because) || isOfUpload(error, data)
}

/** Whether the host redirects to where nobody can go; else it was `beforeRedirect` that would not. */
function isNowhere(reason: unknown): boolean {
  const { code, message } = (reason ?? {}) as { code?: unknown; message?: unknown }
  return code === 'ERR_INVALID_URL' || String(message).startsWith('Unsupported protocol ')
}

/** What is used of the platform. Only some have a location. */
const platform = globalThis as unknown as {
  readonly URL: new (url: string, base?: string) => UrlLike
  readonly location?: { readonly href: string }
}
