/* eslint n/no-unsupported-features/node-builtins: ['error', { version: '>=20.19.0', ignores: ['fetch', 'Request', 'ReadableStream'] }] -- experimental by name only in Node 20 */
import { findCircuitOpenError, type AbortSignalLike, type BreakerLike, type CircuitOpenError, type Permit, type RegistryLike, type Verdict } from '../index.js'

/** The part of a `Response` that is always looked at. */
export interface ResponseLike {
  readonly status: number
  readonly headers: { get(name: string): string | null }
}

/** Any function that is called as `fetch` is, of whatever platform. */
export type FetchLike = (...args: never[]) => PromiseLike<ResponseLike>

/** The `fetch` of the platform this is compiled for: a browser's, Node's, a worker's. */
export type PlatformFetch = typeof globalThis extends { fetch: infer Fetch extends FetchLike } ? Fetch : FetchLike

/** The same without what else it may have, which is left to the platform. */
type PlatformCall = (...args: Parameters<PlatformFetch>) => ReturnType<PlatformFetch>

/** The platform's `URL`: found in what its fetch takes, because a global class is no property of `typeof globalThis`. */
export type PlatformUrl = [Extract<Parameters<PlatformFetch>[0], UrlLike>] extends [never] ? UrlLike : Extract<Parameters<PlatformFetch>[0], UrlLike>

interface UrlLike {
  readonly href: string
  readonly origin: string
  readonly protocol: string
  readonly username: string
  readonly password: string
}

interface RequestLike {
  readonly url: string
  readonly method: string
}

/** What a `fetch` resolves with. */
type ResponseOf<Fetch extends FetchLike> = Awaited<ReturnType<Fetch>>

/** The `Request` that a `fetch` takes. */
type RequestOf<Fetch extends FetchLike> = Extract<Parameters<Fetch>[0], RequestLike>

export interface BreakerFetchOptions<Fetch extends FetchLike = PlatformCall, Key = string> {
  /** The fetch to guard. Default: the global one, looked up at each call. */
  readonly fetch?: Fetch | undefined
  /** Which breaker of the registry a request is charged to. Default: the URL's origin. A redirect is charged to the host that was asked. */
  key?(url: PlatformUrl): Key
  /**
   * What a status says about the host, where the default does not suit: 500 and above are failures, 408 and 429 are ignored, all else is
   * success. `undefined` leaves the default. `(status) => (status === 429 ? 'failure' : undefined)` counts 429.
   */
  classify?(status: number, response: ResponseOf<Fetch>): Verdict | undefined
  /**
   * A 429 or 503 with a `Retry-After` trips at once, for as long as that says: at most `max` milliseconds (default 600,000), and never
   * shorter than the breaker's own recovery timeout. A status that `classify` calls success or ignored does not.
   */
  readonly retryAfter?: true | { readonly max?: number | undefined } | undefined
  /**
   * `'settle'`: a response that would be a success is one when its body has been read to the end; a body that errs is a failure, one that
   * is cancelled is ignored. Default, and for what is no web stream: the headers decide. A body that nobody reads is a hung call: it can
   * hold a probe's place up to `probeTimeout`.
   */
  readonly body?: 'settle' | undefined
  /** Answers in the place of a refused call, and only of that; what it throws, the caller gets. */
  fallback?(error: CircuitOpenError, request: RequestOf<Fetch>): ResponseOf<Fetch> | PromiseLike<ResponseOf<Fetch>>
}

/**
 * Guards `fetch`: what it returns can be passed wherever a `fetch` is taken.
 *
 * The request is checked before a permit is taken, so that a caller's mistake is charged to no host, and is handed on as it came, the
 * caller's signal included: that one decides whose an abort is. The response is handed on unread. A refused call rejects with
 * `CircuitOpenError`. What reaches no host (`data:`, `blob:`) is not guarded, unless `key` says where it belongs.
 *
 * @param guards - a registry, or one breaker for all requests. Their own classifiers are not asked.
 * @throws TypeError or RangeError naming the option, the rule and the value got
 *
 * @example
 * ```ts
 * const upstreams = new BreakerRegistry<string>({ slowCallDuration: 5_000 })
 * const guardedFetch = breakerFetch(upstreams, { retryAfter: true })
 * const response = await guardedFetch('https://api.example.com/orders', { signal: AbortSignal.timeout(10_000) })
 * ```
 */
export function breakerFetch(guards: RegistryLike | BreakerLike, options?: BreakerFetchOptions): PlatformFetch
export function breakerFetch<Fetch extends FetchLike>(guards: RegistryLike | BreakerLike, options: BreakerFetchOptions<Fetch> & { readonly fetch: Fetch }): Fetch
export function breakerFetch<Key, Fetch extends FetchLike = PlatformFetch>(
  guards: RegistryLike<Key>,
  options: BreakerFetchOptions<Fetch, Key> & { key(url: PlatformUrl): Key },
): Fetch
export function breakerFetch(guards: RegistryLike<unknown> | BreakerLike, options: BreakerFetchOptions<FetchLike, unknown> = {}): FetchLike {
  const breakerOf = checkGuards(guards)
  const { fetch: given, key, classify, longest, settles, fallback } = checkOptions(options)

  // A method, because it has a `this` that nobody needs and cannot be called with `new`.
  const { fetch } = {
    fetch(...args: unknown[]): Promise<unknown> {
      const [input, init] = args as [unknown, Init | null | undefined]
      let permit: Permit
      let call: AnyFetch | undefined
      try {
        call = given ?? platform.fetch
        if (typeof call !== 'function') throw new TypeError('breakerFetch: this platform has no fetch; give the option fetch')
        const url = urlOf(input)
        checkRequest(input, init)
        const signal = signalOf(input, init)
        if (isAborted(signal)) throw signal?.reason
        if (key === undefined && url.protocol !== 'http:' && url.protocol !== 'https:') return Promise.resolve(call(...args))
        const breaker = breakerOf(key === undefined ? url.origin : key(url as never))
        try {
          permit = signal === undefined ? breaker.acquire() : breaker.acquire({ signal })
        } catch (error) {
          if (fallback === undefined || findCircuitOpenError(error) !== error) throw error
          return Promise.resolve(fallback(error as CircuitOpenError, requestOf(input, init) as never))
        }
        if (isAborted(signal)) {
          // A listener to the transition gave up.
          permit.ignore()
          throw signal?.reason
        }
      } catch (error) {
        return reject(error)
      }
      let answer: Promise<unknown>
      try {
        answer = Promise.resolve(call(...args))
      } catch (error) {
        answer = reject(error)
      }
      return answer.then(
        (response) => {
          const { status } = (response ?? {}) as Partial<ResponseLike>
          const verdict = judge(status, response, classify, longest)
          if (verdict === 'success' && settles && !isHead(input, init)) return settleAtEnd(response as WebResponse | undefined, permit)
          report(permit, verdict, status)
          return response
        },
        (error: unknown) => {
          if (isMistake(error)) permit.ignore()
          else permit.failure(error)
          throw error
        },
      )
    },
  }
  return like(like(fetch, given), platform.fetch) as FetchLike
}

// What is needed of the platform. Looked up when it is used, so that a test, or a polyfill, may replace it.

type AnyFetch = (...args: unknown[]) => unknown

interface Platform {
  readonly fetch?: AnyFetch
  readonly URL: new (url: string) => UrlLike
  readonly Request: new (input: unknown, init?: unknown) => RequestLike
  readonly ReadableStream: new (source?: object, strategy?: object) => WebStream
}

const platform = globalThis as unknown as Platform

interface Init {
  readonly [member: string]: unknown
  readonly signal?: AbortSignalLike | null
}

interface WebRequest extends RequestLike {
  readonly signal?: AbortSignalLike
  readonly body?: unknown
  readonly bodyUsed?: boolean
}

interface WebStream {
  readonly locked: boolean
  getReader(options?: { mode: 'byob' }): WebReader
}

interface WebReader {
  readonly closed: Promise<undefined>
  read(): Promise<{ done: boolean; value?: unknown }>
  cancel(reason?: unknown): Promise<void>
  releaseLock(): void
}

interface WebController {
  readonly byobRequest?: { respond(bytes: number): void } | null
  enqueue(chunk: unknown): void
  close(): void
  error(error: unknown): void
}

interface Dress {
  readonly url: string
  readonly redirected: boolean
  readonly type: string
}

interface WebResponse extends ResponseLike, Dress {
  readonly body?: WebStream | null
  readonly bodyUsed?: boolean
  clone: (this: WebResponse) => WebResponse
}

type WebResponseClass = new (body: WebStream, init: WebResponse) => WebResponse

// The request.

/** A `URL` has no `url`, and a string no properties worth the name. */
function isRequest(input: unknown): input is WebRequest {
  return typeof input === 'object' && input !== null && typeof (input as Partial<RequestLike>).url === 'string'
}

function urlOf(input: unknown): UrlLike {
  const text = isRequest(input) ? input.url : String(input)
  try {
    return new platform.URL(text)
  } catch (error) {
    return new platform.URL(absolute(text, error))
  }
}

/** A URL that does not stand by itself: a browser has a base for it, which its `Request` knows. */
function absolute(text: string, cause: unknown): string {
  try {
    return new platform.Request(text).url
  } catch {
    const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text
    throw new TypeError(`fetch: ${JSON.stringify(shown)} is not an absolute URL, and there is no base to complete it`, { cause })
  }
}

/** The caller's own signal: of `init`, where `null` means none, else of the request. */
function signalOf(input: unknown, init: Init | null | undefined): AbortSignalLike | undefined {
  const signal = init?.signal
  if (signal === undefined && isRequest(input)) return input.signal
  return signal ?? undefined
}

/** Asked twice of one signal, so not by a comparison that the compiler would remember. */
function isAborted(signal: AbortSignalLike | undefined): boolean {
  return signal?.aborted === true
}

/** As `fetch` takes it: `null` is a method by that name. */
function methodOf(input: unknown, init: Init | null | undefined): unknown {
  const method = init?.method
  if (method !== undefined) return method
  return isRequest(input) ? input.method : 'GET'
}

/** What is to be sent: of `init`, else of the request. */
function bodyOf(input: unknown, init: Init): unknown {
  return init.body ?? (isRequest(input) ? input.body : undefined) ?? undefined
}

function isHead(input: unknown, init: Init | null | undefined): boolean {
  return String(methodOf(input, init)).toUpperCase() === 'HEAD'
}

/** What the platform's `Request` makes of it, with everything in it. Only for a call that is not going to be made. */
function requestOf(input: unknown, init: Init | null | undefined): RequestLike {
  return isRequest(input) && (init === undefined || init === null) ? input : new platform.Request(input, init)
}

/**
 * Throws what `fetch` would reject with if the request itself is wrong. To build a `Request` for that would cost as much as a good part of
 * the call, and listen to the caller's signal; so what is plainly right is told at a glance, and only the rest is built, without its signal
 * and its body.
 */
function checkRequest(input: unknown, init: Init | null | undefined): void {
  if (isRequest(input) && input.bodyUsed === true && (init?.body ?? undefined) === undefined) throw new TypeError('fetch: the body of the request is already used')
  if (init === undefined || init === null) return
  if (typeof init !== 'object') {
    new platform.Request('http://localhost', init)
    return
  }
  if (isPlain(input, init)) return
  const method = methodOf(input, init)
  const { headers, duplex, mode, credentials, cache, redirect, referrer, referrerPolicy, integrity, keepalive, priority, window } = init
  const rest = { headers, duplex, mode, credentials, cache, redirect, referrer, referrerPolicy, integrity, keepalive, priority, window }
  const { body, signal } = init
  const shadow = bodyOf(input, init) === undefined ? undefined : !isStream(body) ? '' : body.locked ? body : new platform.ReadableStream()
  new platform.Request('http://localhost', { method, ...rest, body: shadow, ...(!isSignal(signal) && { signal }) })
}

/** What each member of `init` may be without a closer look. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  method: /^(?:get|head|post|put|delete|options|patch)$/i,
  redirect: /^(?:follow|manual)$/,
  duplex: /^half$/,
  keepalive: /^(?:true|false)$/,
}
const LOOKED_AT_CLOSELY = new Set(['mode', 'credentials', 'cache', 'referrer', 'referrerPolicy', 'integrity', 'priority', 'window'])
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
const HEADER_VALUE = /^[\t\u0020-\u007e\u00a0-\u00ff]*$/

function isPlain(input: unknown, init: Init): boolean {
  // Inherited members count too: a `Request` may stand for `init`.
  for (const member in init) {
    const value = init[member]
    if (value === undefined) continue
    if (member === 'headers' ? !arePlain(value) : member === 'signal' ? !isSignal(value) : LOOKED_AT_CLOSELY.has(member)) return false
    if (PLAIN[member]?.test(typeof value === 'boolean' ? String(value) : typeof value === 'string' ? value : '') === false) return false
  }
  const { body, duplex, keepalive } = init
  if (bodyOf(input, init) === undefined) return true
  if (isStream(body) && (duplex !== 'half' || keepalive === true || body.locked)) return false
  return !/^(?:get|head)$/i.test(String(methodOf(input, init)))
}

function arePlain(headers: unknown): boolean {
  if (typeof headers !== 'object' || headers === null) return false
  // A `Headers` has checked them.
  if (typeof (headers as { append?: unknown }).append === 'function') return true
  if (Symbol.iterator in headers) return false
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || !HEADER_VALUE.test(value) || !HEADER_NAME.test(name)) return false
  }
  return true
}

function isSignal(value: unknown): boolean {
  if (value === null) return true
  return typeof value === 'object' && typeof (value as AbortSignalLike).aborted === 'boolean' && 'addEventListener' in value
}

/** A body that is sent as it comes: a web stream, or in Node anything that is iterated asynchronously. */
function isStream(body: unknown): body is WebStream {
  return typeof body === 'object' && body !== null && ('getReader' in body || Symbol.asyncIterator in body)
}

// The verdict.

const LONGEST_WAIT = 600_000

function judge(status: number | undefined, response: unknown, classify: Classify | undefined, longest: number | undefined): Verdict {
  const said = classify === undefined || status === undefined ? undefined : ask(classify, status, response)
  if (longest !== undefined && (status === 429 || status === 503) && (said === undefined || said === 'failure')) {
    const wait = retryAfter((response as Partial<ResponseLike>).headers?.get('retry-after'))
    if (wait !== undefined) return { openFor: Math.min(wait, longest) }
  }
  if (said !== undefined) return said
  if (status === undefined) return 'success'
  return status >= 500 ? 'failure' : status === 408 || status === 429 ? 'ignored' : 'success'
}

const IMF_FIXDATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/

/** Milliseconds that a `Retry-After` (RFC 9110) asks for: delta-seconds, or a date in the one form that may be sent. */
function retryAfter(value: string | null | undefined): number | undefined {
  if (value === null || value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1_000
  if (!IMF_FIXDATE.test(value)) return undefined
  // A server's date is a reading of the wall clock, and becomes a duration at once.
  // eslint-disable-next-line no-restricted-globals -- the one thing that is told by the wall clock
  const ms = Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

function report(permit: Permit, verdict: Verdict, status: number | undefined): void {
  if (verdict === 'success') permit.success()
  else if (verdict === 'ignored') permit.ignore()
  else permit.failure(new Error(`The host answered with status ${String(status)}`), verdict === 'failure' ? undefined : verdict)
}

/**
 * Mistakes of the caller that only the attempt finds, where platforms tell them from a broken network: a blocked port, credentials in the
 * URL, a stream that was read before, headers that contradict the body. The phrases have spaces in them, so that no URL in a message of a
 * network error can be taken for one.
 */
function isMistake(error: unknown): boolean {
  try {
    const { name, message, cause } = error as Partial<Error>
    if (name !== 'TypeError') return false
    const { message: because, code } = (cause ?? {}) as { message?: unknown; code?: unknown }
    if (because === 'bad port' || /\b(?:disturbed or locked|includes credentials)\b/.test(String(message))) return true
    return typeof code === 'string' && /^UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED|REQ_CONTENT_LENGTH_MISMATCH)$/.test(code)
  } catch {
    return false
  }
}

// The body.

/**
 * The same response with a body that tells the permit how it ended. A platform's own `Response` again, neither a proxy nor a subclass,
 * because a worker's `respondWith` and a cache take nothing else. What its constructor does not take over is laid over it.
 */
function settleAtEnd(response: WebResponse | undefined, permit: Permit): WebResponse | undefined {
  const body = response?.body
  if (response?.bodyUsed === false && typeof body?.getReader === 'function' && !body.locked) {
    try {
      const copy = new (response.constructor as WebResponseClass)(watch(response, body, permit), response)
      if (copy.status === response.status) return dress(copy, response)
    } catch {
      // A status that may not be made up, or a class of somebody's own.
    }
  }
  permit.success()
  return response
}

function dress(copy: WebResponse, { url, redirected, type }: Dress): WebResponse {
  const { clone } = copy
  const dressed = { url, redirected, type, clone: () => dress(clone.call(copy), { url, redirected, type }) }
  for (const [name, value] of Object.entries(dressed)) Object.defineProperty(copy, name, { value, configurable: true, writable: true })
  return copy
}

/**
 * A stream of the same kind that hands on `body` piece by piece, as it is asked for them. `body` is locked only when it is first read: Node
 * frees the connection of a response that is collected unread, if nobody has locked its body. So the response must not be collected
 * before this stream is.
 */
function watch(response: WebResponse, body: WebStream, permit: Permit): WebStream {
  let controller!: WebController
  let reader: WebReader | undefined
  let reading: Promise<void> | undefined
  let cancelled = false

  const end = (): void => {
    permit.success()
    if (cancelled) return
    controller.close()
    // A reader that waits with a buffer of its own gets it back.
    controller.byobRequest?.respond(0)
  }
  const err = (error: unknown): void => {
    permit.failure(error)
    controller.error(error)
  }
  const open = (): WebReader => {
    if (reader !== undefined) return reader
    reader = (response.body ?? body).getReader()
    // A stream ends when its last piece is taken, whether or not anybody asks for another; that piece goes first.
    reader.closed.then(() => reading).then(end, err).catch(err)
    return reader
  }

  const source = {
    ...(isOfBytes(body) && { type: 'bytes' }),
    start(own: WebController): void {
      controller = own
    },
    pull(): Promise<void> {
      reading = open()
        .read()
        .then(({ done, value }) => {
          if (!done) controller.enqueue(value)
        }, ignore) // `closed` rejects with the same error
      return reading
    },
    cancel(reason: unknown): Promise<void> {
      cancelled = true
      permit.ignore()
      return open().cancel(reason)
    },
  }
  return new platform.ReadableStream(source, { highWaterMark: 0 })
}

function isOfBytes(body: WebStream): boolean {
  try {
    body.getReader({ mode: 'byob' }).releaseLock()
    return true
  } catch {
    return false
  }
}

// The options.

type Classify = (status: number, response: never) => unknown

interface Checked {
  readonly fetch: AnyFetch | undefined
  readonly key: ((url: never) => unknown) | undefined
  readonly classify: Classify | undefined
  /** The longest `Retry-After` that is followed, in milliseconds, if any is. */
  readonly longest: number | undefined
  readonly settles: boolean
  readonly fallback: ((error: CircuitOpenError, request: never) => unknown) | undefined
}

function checkGuards(guards: unknown): (key: unknown) => BreakerLike {
  const { for: find, acquire } = (guards ?? {}) as { for?: unknown; acquire?: unknown }
  if (typeof find === 'function') return (key) => (guards as RegistryLike<unknown>).for(key)
  if (typeof acquire === 'function') return () => guards as BreakerLike
  throw new TypeError(`breakerFetch: expected a BreakerRegistry or a CircuitBreaker, got ${describe(guards)}`)
}

function checkOptions(options: unknown): Checked {
  checkNames('breakerFetch', options, ['fetch', 'key', 'classify', 'retryAfter', 'body', 'fallback'])
  const { retryAfter, body, ...rest } = options as Record<string, unknown>
  for (const [name, value] of Object.entries(rest)) if (value !== undefined && typeof value !== 'function') refuse(name, 'a function', value)
  if (body !== undefined && body !== 'settle') refuse('body', "'settle'", body)
  return { ...rest, longest: longestOf(retryAfter), settles: body === 'settle' } as unknown as Checked
}

function longestOf(option: unknown): number | undefined {
  if (option === undefined) return undefined
  if (option === true) return LONGEST_WAIT
  if (typeof option !== 'object' || option === null) refuse('retryAfter', 'true or { max }', option)
  checkNames('retryAfter', option, ['max'])
  const { max = LONGEST_WAIT } = option as { max?: unknown }
  if (typeof max === 'number' && max > 0 && max < Infinity) return max
  refuse('retryAfter: max', 'a finite number of milliseconds above 0', max)
}

function checkNames(what: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) refuse(what, 'an object of options', options)
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new TypeError(`${what}: unknown option ${JSON.stringify(name)}; known are ${known.join(', ')}`)
  }
}

function refuse(name: string, rule: string, value: unknown): never {
  const message = `${name}: expected ${rule}, got ${describe(value)}`
  throw typeof value === 'number' ? new RangeError(message) : new TypeError(message)
}

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60))
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/** Asks `classify`. Its fault and its nonsense leave the default. */
function ask(classify: Classify, status: number, response: unknown): Verdict | undefined {
  let said: unknown
  try {
    said = classify(status, response as never)
    if (said === undefined || said === 'success' || said === 'failure' || said === 'ignored') return said
    const { openFor } = (said ?? {}) as { openFor?: unknown }
    if (typeof openFor === 'number' && openFor >= 0 && openFor < Infinity) return { openFor }
  } catch (error) {
    warn(`classify threw: ${error instanceof Error ? `${error.name}: ${error.message}` : describe(error)}`)
    return undefined
  }
  warn(`classify returned ${describe(said)}, which is not a verdict; the default is used`)
  if (typeof (said as PromiseLike<unknown> | null)?.then === 'function') Promise.resolve(said).catch(ignore)
  return undefined
}

const told = new Set<string>()

/** Once for each message, and for a hundred at most. */
function warn(message: string): void {
  if (told.size >= 100 || told.has(message)) return
  told.add(message)
  const { process, console } = globalThis as { process?: { emitWarning?: (message: string, type: string) => void }; console?: { warn(message: string): void } }
  if (typeof process?.emitWarning === 'function') process.emitWarning(message, 'LazybreakerWarning')
  else console?.warn(`LazybreakerWarning: ${message}`)
}

/** A fetch may have more to it than the call (Bun's has `preconnect`): that stays within reach. */
function like(guarded: AnyFetch, original: AnyFetch | undefined): AnyFetch {
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(original ?? {}))) {
    if (!Object.hasOwn(guarded, name) && name !== 'prototype' && name !== 'caller' && name !== 'arguments') Object.defineProperty(guarded, name, property)
  }
  return guarded
}

function reject(error: unknown): Promise<never> {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a signal's reason is not ours to wrap
  return Promise.reject(error)
}

function ignore(): void {
  // What is ignored is seen elsewhere.
}
