import type { BreakerLike, Permit, RegistryLike, Verdict } from '../index.js'
import { breakersOf } from './guards.js'
import { checkFunctions, checkNames } from './options.js'
import type { CallOptions } from './undici-evidence.js'
import { Exchange, isOld, OldExchange, type OldHandler, type ResponseHandler } from './undici-exchange.js'

/** What is looked at of the options that undici dispatches with. */
export interface DispatchOptionsLike {
  /** Left out by a `Client` or `Pool` of undici 6 and 7, which have but one. */
  readonly origin?: string | { readonly origin: string } | undefined
  readonly path: string
  readonly method: string
}

export interface InterceptorOptions<Key = string> {
  /** Whose breaker takes the call; default: the origin, as a `URL` writes it. What it throws, the caller gets. */
  key?(options: DispatchOptionsLike): Key
  /** What a status says of the host; `undefined` leaves the default: failure from 500 on, 408 and 429 ignored, all else a success. */
  classify?(status: number): Verdict | undefined
}

/** An interceptor of undici 6, 7 and 8: whatever these type it as. */
export type BreakerInterceptor = <Options extends DispatchOptionsLike, Handler extends object>(
  dispatch: (options: Options, handler: Handler) => boolean,
) => (options: Options, handler: Handler) => boolean

/**
 * Guards every call of an undici dispatcher: `new Agent().compose(breakerInterceptor(upstreams))`. The verdict falls when the response has
 * ended, so a body that breaks off or hangs is seen; a call that its caller aborts is ignored. A refused call fails with `CircuitOpenError`
 * (undici's `fetch` hides it in `cause`, where `findCircuitOpenError` finds it).
 *
 * Of composed interceptors the last is the outermost. Give this one first, and it judges what goes over the wire: each attempt of `retry`,
 * each hop of `redirect`, and only what `cache` does not have. Given last, it judges what comes of all that together.
 *
 * @param guards - a registry, or one breaker for all calls. Their own classifiers are not asked.
 * @throws TypeError naming the option, the rule and the value got
 *
 * @example
 * ```ts
 * const dispatcher = new Agent().compose(breakerInterceptor(upstreams), interceptors.retry())
 * const { statusCode, body } = await request('https://api.example.com/orders', { dispatcher })
 * ```
 */
export function breakerInterceptor(guards: RegistryLike | BreakerLike, options?: InterceptorOptions): BreakerInterceptor
export function breakerInterceptor<Key>(
  guards: RegistryLike<Key>,
  options: InterceptorOptions<Key> & Required<Pick<InterceptorOptions<Key>, 'key'>>,
): BreakerInterceptor
export function breakerInterceptor(guards: RegistryLike<unknown> | BreakerLike, options: InterceptorOptions<unknown> = {}): BreakerInterceptor {
  checkNames('breakerInterceptor', options, ['key', 'classify'])
  checkFunctions(options)
  const { key = byOrigin(), classify } = options
  const breakerOf = breakersOf('breakerInterceptor', guards, key)
  // compose() insists on functions that declare exactly two parameters.
  return <Options extends DispatchOptionsLike, Handler extends object>(dispatch: (options: Options, handler: Handler) => boolean) =>
    (options: Options, handler: Handler): boolean => {
      const call: DispatchOptionsLike & CallOptions = options
      // Given up before it began: undici will say so, and no host is asked.
      if (call.signal?.aborted === true) return dispatch(options, handler)
      const breaker = breakerOf(call)
      let permit: Permit
      try {
        permit = breaker.acquire()
      } catch (refusal) {
        return refuse(handler, refusal)
      }
      const exchange = isOld(handler)
        ? new OldExchange(permit, call, classify, handler)
        : new Exchange(permit, call, classify, handler)
      try {
        return dispatch(options, exchange as unknown as Handler)
      } catch (error) {
        // undici tells a host's failures to the handler; what it throws here is about the call.
        permit.ignore()
        throw error
      }
    }
}

/** Tells a handler that its call was not made. */
function refuse(handler: Partial<OldHandler> & ResponseHandler, refusal: unknown): true {
  if (handler.onResponseError !== undefined) handler.onResponseError(null, refusal)
  else if (handler.onError !== undefined) handler.onError(refusal)
  else throw refusal
  return true
}

/** Finds the key of a call: its origin as a `URL` writes it, so that it is the same key wherever the host is called from. */
function byOrigin(): (options: DispatchOptionsLike) => string {
  // Most calls ask for the host that the last one asked for, and reading a URL costs more than all the rest here.
  let given: string | undefined
  let key!: string
  return ({ origin }) => {
    if (origin === undefined) {
      throw new TypeError('breakerInterceptor: the call names no origin (those of a Client or a Pool do not): give one breaker, or the option key')
    }
    // A URL can be changed between two calls.
    if (typeof origin !== 'string') return origin.origin
    // Stryker disable next-line ConditionalExpression: what is read anew gives the same key, only later.
    if (origin !== given) {
      key = canonical(origin)
      given = origin
    }
    return key
  }
}

function canonical(origin: string): string {
  try {
    return new platform.URL(origin).origin
  } catch {
    // undici will say what is wrong with it.
    return origin
  }
}

/** undici is Node's, or of a platform that does as Node does. */
const platform = globalThis as unknown as { readonly URL: new (url: string) => { readonly origin: string } }
