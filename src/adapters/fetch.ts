/* eslint n/no-unsupported-features/node-builtins: ['error', { version: '>=20.19.0', ignores: ['fetch'] }] -- experimental by name only in Node 20 */
import { findCircuitOpenError, type BreakerLike, type CircuitOpenError, type Permit, type RegistryLike, type Verdict } from '../index.js'
import { settleAtEnd, type ResponseLike, type WebResponse } from './fetch-body.js'
import { isAborted, isHead, isOfTheCaller, mistakeIn, requestOf, signalOf, urlOf, type Init, type RequestLike, type UrlLike } from './fetch-request.js'
import { breakersOf, leadsToHost } from './guards.js'
import { checkFunctions, checkNames, refuse } from './options.js'
import { longestWait, retryAfter } from './retry-after.js'
import { classified, defaultVerdict, report, type ClassifyStatus } from './status-verdict.js'

export type { ResponseLike } from './fetch-body.js'

/** Any function that is called as `fetch` is, of whatever platform. */
export type FetchLike = (...args: never[]) => PromiseLike<ResponseLike>

/** The `fetch` of the platform this is compiled for: a browser's, Node's, a worker's. */
export type PlatformFetch = typeof globalThis extends { fetch: infer Fetch extends FetchLike } ? Fetch : FetchLike

/** The same without what else it may have, which is left to the platform. */
type PlatformCall = (...args: Parameters<PlatformFetch>) => ReturnType<PlatformFetch>

/** The platform's `URL`: found in what its fetch takes, because a global class is no property of `typeof globalThis`. */
export type PlatformUrl = [Extract<Parameters<PlatformFetch>[0], UrlLike>] extends [never] ? UrlLike : Extract<Parameters<PlatformFetch>[0], UrlLike>

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
   * shorter than the breaker's own recovery timeout. A status that `classify` calls success or ignored does not. Default `false`.
   */
  readonly retryAfter?: boolean | { readonly max?: number | undefined } | undefined
  /**
   * `'settle'`: a response that would be a success is one when its body has been read to the end; a body that errs is a failure, one that
   * is cancelled is ignored. Default, and for what is no web stream: the headers decide. A body that nobody reads is a hung call: it can
   * hold a probe's place up to `probeTimeout`.
   */
  readonly body?: 'settle' | undefined
  /**
   * Answers in the place of a refused call, and only of that; what it throws, the caller gets. Of what no `Request` can be made, because only
   * another fetch takes it, `request` has the URL, the method, and all else as it was given.
   */
  fallback?(error: CircuitOpenError, request: RequestOf<Fetch>): ResponseOf<Fetch> | PromiseLike<ResponseOf<Fetch>>
}

/**
 * Guards `fetch`: what it returns can be passed wherever a `fetch` is taken.
 *
 * The request is checked before a permit is taken, so that a caller's mistake is charged to no host, and is handed on as it came, the
 * caller's signal included: that one decides whose an abort is. A fetch other than the platform's decides by itself what it takes. The
 * response is handed on unread. A refused call rejects with `CircuitOpenError`. What reaches no host (`data:`, `blob:`) is not guarded,
 * unless `key` says where it belongs.
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
  const { fetch: given, key, classify, longest, settles, fallback } = checkOptions(options)
  const breakerOf = breakersOf('breakerFetch', guards, key ?? originOf)

  // A method, because it has a `this` that nobody needs and cannot be called with `new`.
  const { fetch } = {
    async fetch(...args: unknown[]): Promise<unknown> {
      const [input, init] = args as [unknown, Init]
      const call = given ?? platform.fetch
      if (typeof call !== 'function') throw new TypeError('breakerFetch: this platform has no fetch; give the option fetch')
      const url = urlOf(input)
      const mistake = mistakeIn(input, init)
      const isPlatforms = call === platform.fetch
      // Another fetch may take what the platform's does not.
      if (mistake !== undefined && isPlatforms) throw mistake
      const signal = signalOf(input, init)
      if (isAborted(signal)) throw signal!.reason
      if (key === undefined && !leadsToHost(url)) return call(...args)
      const breaker = breakerOf(url as never)
      let permit: Permit
      try {
        permit = breaker.acquire({ signal })
      } catch (error) {
        if (fallback === undefined || findCircuitOpenError(error) !== error) throw error
        return fallback(error as CircuitOpenError, requestOf(input, init, isPlatforms) as never)
      }
      if (isAborted(signal)) {
        // A listener to the transition gave up.
        permit.ignore()
        throw signal!.reason
      }
      let response: unknown
      try {
        response = await call(...args)
      } catch (error) {
        if (isOfTheCaller(error, input, init, mistake)) permit.ignore()
        else permit.failure(error)
        throw error
      }
      const verdict = judge(response ?? {}, classify, longest)
      if (verdict === 'success' && settles && !isHead(input, init)) return settleAtEnd(response as WebResponse | undefined, permit)
      report(permit, verdict, (response as Partial<ResponseLike> | null | undefined)?.status)
      return response
    },
  }
  return like(like(fetch, given), platform.fetch) as FetchLike
}

function originOf(url: UrlLike): string {
  return url.origin
}

function judge(response: Partial<ResponseLike>, classify: ClassifyStatus | undefined, longest: number | undefined): Verdict {
  const { status } = response
  const said = classified(classify, status, response)
  if (longest !== undefined && (status === 429 || status === 503) && (said === undefined || said === 'failure')) {
    const wait = waitOf(response)
    if (wait !== undefined) return { openFor: Math.min(wait, longest) }
  }
  return said ?? defaultVerdict(status)
}

function waitOf(response: Partial<ResponseLike>): number | undefined {
  try {
    return retryAfter(response.headers!.get('retry-after'))
  } catch {
    // A foreign fetch may have headers of another kind, or none.
  }
  return undefined
}

/** A fetch may have more to it than the call (Bun's has `preconnect`): that stays within reach. */
function like(guarded: AnyFetch, original: AnyFetch | undefined): AnyFetch {
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(original ?? {}))) {
    if (!Object.hasOwn(guarded, name) && name !== 'prototype' && name !== 'caller' && name !== 'arguments') Object.defineProperty(guarded, name, property)
  }
  return guarded
}

type AnyFetch = (...args: unknown[]) => unknown

interface Checked {
  readonly fetch: AnyFetch | undefined
  readonly key: ((url: never) => unknown) | undefined
  readonly classify: ClassifyStatus | undefined
  /** The longest `Retry-After` that is followed, in milliseconds, if any is. */
  readonly longest: number | undefined
  readonly settles: boolean
  readonly fallback: ((error: CircuitOpenError, request: never) => unknown) | undefined
}

function checkOptions(options: unknown): Checked {
  checkNames('breakerFetch', options, ['fetch', 'key', 'classify', 'retryAfter', 'body', 'fallback'])
  const { retryAfter, body, ...functions } = options as Record<string, unknown>
  checkFunctions(functions)
  if (body !== undefined && body !== 'settle') refuse('body', "'settle'", body)
  return { ...functions, longest: longestWait(retryAfter), settles: body === 'settle' } as unknown as Checked
}

// Looked up when it is used, so that a test, or a polyfill, may replace it.
const platform = globalThis as unknown as { readonly fetch?: AnyFetch }
