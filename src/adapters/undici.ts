import type { BreakerLike, Permit, RegistryLike, Verdict } from '../index.js'

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
  const { key = byOrigin(), classify } = checkOptions(options)
  const breakerOf = checkGuards(guards, key)
  // compose() insists on functions that declare exactly two parameters.
  return <Options extends DispatchOptionsLike, Handler extends object>(dispatch: (options: Options, handler: Handler) => boolean) =>
    (options: Options, handler: Handler): boolean => {
      const call: CallOptions = options
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

/** What undici also hands on, though it does not say so in the types of `dispatch`. */
interface CallOptions extends DispatchOptionsLike {
  readonly signal?: { readonly aborted?: boolean; readonly reason?: unknown } | null
  readonly body?: unknown
}

type Classify = ((status: number) => Verdict | undefined) | undefined
type Abort = (reason?: unknown) => void

/** The handlers of undici 6, which it hands to those of undici 7 too. */
interface OldHandler {
  onConnect?(abort: Abort, context?: unknown): unknown
  onUpgrade?(status: number | null, headers: unknown, socket: unknown): unknown
  onResponseStarted?(): unknown
  onHeaders?(status: number, headers: unknown, resume: unknown, statusText: unknown, parsed?: unknown): unknown
  onData?(chunk: unknown): unknown
  onComplete?(trailers: unknown): unknown
  onError?(error: unknown): unknown
  onBodySent?(chunk: unknown): unknown
  onRequestSent?(): unknown
}

interface Controller {
  readonly aborted?: boolean
  readonly reason?: unknown
}

/** The handlers of undici 7 and 8. */
interface ResponseHandler {
  onRequestStart?(controller: Controller | null, context: unknown): unknown
  onRequestUpgrade?(controller: Controller | null, status: number | null, headers: unknown, socket: unknown): unknown
  onResponseStarted?(): unknown
  onResponseStart?(controller: Controller | null, status: number, headers: unknown, statusText: unknown): unknown
  onResponseData?(controller: Controller | null, chunk: unknown): unknown
  onResponseEnd?(controller: Controller | null, trailers: unknown): unknown
  onResponseError?(controller: Controller | null, error: unknown): unknown
  onBodySent?(chunk: unknown): unknown
  onRequestSent?(): unknown
}

/** undici 7 wraps old handlers so that they answer to both kinds of names; handled as what they are, they cost two translations less. */
function isOld(handler: object): handler is OldHandler {
  return typeof (handler as OldHandler).onConnect === 'function'
}

/** Tells a handler that its call was not made. */
function refuse(handler: OldHandler | ResponseHandler, refusal: unknown): true {
  if ('onResponseError' in handler && handler.onResponseError !== undefined) handler.onResponseError(null, refusal)
  else if ('onError' in handler && handler.onError !== undefined) handler.onError(refusal)
  else throw refusal
  return true
}

/** What one call has shown of its host so far, and the report on it. */
class Evidence {
  readonly #permit: Permit
  readonly #call: CallOptions
  readonly #classify: Classify
  /** The status of the response, once there is one: those below 200 are interim. */
  #status = 0
  /** The caller hung up, or its handler threw. */
  #givenUp = false

  constructor(permit: Permit, call: CallOptions, classify: Classify) {
    this.#permit = permit
    this.#call = call
    this.#classify = classify
  }

  protected started(status: number): void {
    if (status >= 200) this.#status = status
  }

  protected aborted(reason: unknown): void {
    if (!isDeadline(reason)) this.#givenUp = true
  }

  /** The caller's handler threw, of which undici makes an error of the call. */
  protected brokenOff(): void {
    this.#givenUp = true
  }

  protected ended(): void {
    this.#report(this.#status === 0 ? 'success' : judge(this.#classify, this.#status), undefined)
  }

  protected failed(error: unknown): void {
    const status = this.#status === 0 ? statusIn(error) : 0
    if (status !== 0) {
      this.#report(judge(this.#classify, status), error)
      return
    }
    if (this.#status !== 0) {
      // The host had answered: a bad answer stays one, whatever became of its body.
      const verdict = judge(this.#classify, this.#status)
      if (verdict !== 'success' && verdict !== 'ignored') {
        this.#report(verdict, undefined)
        return
      }
    }
    const { signal, body } = this.#call
    // Once a body is being read, undici does not say why it was aborted; the signal does.
    if (signal?.aborted === true && isDeadline(signal.reason)) this.#permit.failure(signal.reason)
    else if (signal?.aborted === true || this.#givenUp || isOfTheCaller(error, body)) this.#permit.ignore()
    else this.#permit.failure(error)
  }

  #report(verdict: Verdict, error: unknown): void {
    if (verdict === 'success') this.#permit.success()
    else if (verdict === 'ignored') this.#permit.ignore()
    else {
      const reason = error ?? new Error(`The host answered with status ${String(this.#status)}`)
      this.#permit.failure(reason, verdict === 'failure' ? undefined : verdict)
    }
  }
}

/** Stands between undici 7 or 8 and a handler. The controller goes through untouched, and with it all pausing and resuming. */
class Exchange extends Evidence implements Required<ResponseHandler> {
  readonly #handler: ResponseHandler

  constructor(permit: Permit, call: CallOptions, classify: Classify, handler: ResponseHandler) {
    super(permit, call, classify)
    this.#handler = handler
  }

  onRequestStart(controller: Controller | null, context: unknown): unknown {
    return this.#handler.onRequestStart?.(controller, context)
  }

  onRequestUpgrade(controller: Controller | null, status: number | null, headers: unknown, socket: unknown): unknown {
    this.started(status ?? 0)
    this.ended()
    return this.#handler.onRequestUpgrade?.(controller, status, headers, socket)
  }

  onResponseStarted(): unknown {
    return this.#handler.onResponseStarted?.()
  }

  onResponseStart(controller: Controller | null, status: number, headers: unknown, statusText: unknown): unknown {
    this.started(status)
    try {
      return this.#handler.onResponseStart?.(controller, status, headers, statusText)
    } catch (error) {
      this.brokenOff()
      throw error
    }
  }

  onResponseData(controller: Controller | null, chunk: unknown): unknown {
    try {
      return this.#handler.onResponseData?.(controller, chunk)
    } catch (error) {
      this.brokenOff()
      throw error
    }
  }

  onResponseEnd(controller: Controller | null, trailers: unknown): unknown {
    this.ended()
    return this.#handler.onResponseEnd?.(controller, trailers)
  }

  onResponseError(controller: Controller | null, error: unknown): unknown {
    if (controller?.aborted === true) this.aborted(controller.reason)
    this.failed(error)
    return this.#handler.onResponseError?.(controller, error)
  }

  onBodySent(chunk: unknown): unknown {
    return this.#handler.onBodySent?.(chunk)
  }

  onRequestSent(): unknown {
    return this.#handler.onRequestSent?.()
  }
}

/** Stands between undici 6 or 7 and a handler. What a handler returns is `false` to pause, so it is handed back. */
class OldExchange extends Evidence implements Required<OldHandler> {
  readonly #handler: OldHandler

  constructor(permit: Permit, call: CallOptions, classify: Classify, handler: OldHandler) {
    super(permit, call, classify)
    this.#handler = handler
  }

  onConnect(abort: Abort, context?: unknown): unknown {
    const giveUp: Abort = (reason) => {
      this.aborted(reason)
      abort(reason)
    }
    return this.#handler.onConnect?.(giveUp, context)
  }

  onUpgrade(status: number | null, headers: unknown, socket: unknown): unknown {
    this.started(status ?? 0)
    this.ended()
    return this.#handler.onUpgrade?.(status, headers, socket)
  }

  onResponseStarted(): unknown {
    return this.#handler.onResponseStarted?.()
  }

  onHeaders(status: number, headers: unknown, resume: unknown, statusText: unknown, parsed?: unknown): unknown {
    this.started(status)
    try {
      return this.#handler.onHeaders?.(status, headers, resume, statusText, parsed)
    } catch (error) {
      this.brokenOff()
      throw error
    }
  }

  onData(chunk: unknown): unknown {
    try {
      return this.#handler.onData?.(chunk)
    } catch (error) {
      this.brokenOff()
      throw error
    }
  }

  onComplete(trailers: unknown): unknown {
    this.ended()
    return this.#handler.onComplete?.(trailers)
  }

  onError(error: unknown): unknown {
    this.failed(error)
    return this.#handler.onError?.(error)
  }

  onBodySent(chunk: unknown): unknown {
    return this.#handler.onBodySent?.(chunk)
  }

  onRequestSent(): unknown {
    return this.#handler.onRequestSent?.()
  }
}

/** The status by which an interceptor below this one (`responseError`, `retry`) replaced an answer with an error; 0 if that is not what it is. */
function statusIn(error: unknown): number {
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown }
  return (code === 'UND_ERR_RESPONSE' || code === 'UND_ERR_REQ_RETRY') && typeof statusCode === 'number' && statusCode >= 400 ? statusCode : 0
}

/** A deadline that the host missed is no giving up. */
function isDeadline(reason: unknown): boolean {
  return (reason as { name?: unknown } | null | undefined)?.name === 'TimeoutError'
}

/** Errors that are of the caller's making: wrong arguments, a limit it has set, a client it has closed or destroyed. */
const OF_THE_CALLER = new Set<unknown>([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_INVALID_RETURN_VALUE',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  'UND_ERR_MAX_ORIGINS_REACHED',
  'UND_ERR_BPL_MISSING_UPSTREAM',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
])

function isOfTheCaller(error: unknown, body: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (OF_THE_CALLER.has(code)) return true
  // By this code undici 6 and 7 also report that a proxy could not reach the host.
  if (code === 'UND_ERR_ABORTED') return !String(message).startsWith('Proxy response (5')
  // What the caller uploads broke off. If the host breaks off, undici tells the handler first, and destroys the body then.
  return error !== undefined && error !== null && (body as { errored?: unknown } | null | undefined)?.errored === error
}

/** Finds the key of a call: its origin as a `URL` writes it, so that it is the same key wherever the host is called from. */
function byOrigin(): (options: DispatchOptionsLike) => string {
  // Most calls ask for the host that the last one asked for, and reading a URL costs more than all the rest here.
  let given: unknown
  let key = ''
  return ({ origin }) => {
    if (origin === undefined) {
      throw new TypeError('breakerInterceptor: the call names no origin (those of a Client or a Pool do not): give one breaker, or the option key')
    }
    if (origin !== given) {
      key = typeof origin === 'string' ? canonical(origin) : origin.origin
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

function checkGuards(guards: unknown, key: (options: DispatchOptionsLike) => unknown): (options: DispatchOptionsLike) => BreakerLike {
  const given = (guards ?? {}) as Partial<RegistryLike<unknown> & BreakerLike>
  if (typeof given.for === 'function') return (options) => (guards as RegistryLike<unknown>).for(key(options))
  if (typeof given.acquire === 'function') return () => guards as BreakerLike
  throw new TypeError(`breakerInterceptor: expected a registry or a breaker, got ${shown(guards)}`)
}

const known = ['key', 'classify']

function checkOptions(options: InterceptorOptions<unknown>): InterceptorOptions<unknown> {
  if (typeof options !== 'object' || (options as unknown) === null) throw new TypeError(`breakerInterceptor: expected options, got ${shown(options)}`)
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (!known.includes(name)) throw new TypeError(`breakerInterceptor: unknown option ${JSON.stringify(name)}; known are ${known.join(', ')}`)
    if (value !== undefined && typeof value !== 'function') throw new TypeError(`breakerInterceptor: ${name}: expected a function, got ${shown(value)}`)
  }
  return options
}

/** The verdict on an answer: `classify`'s, or if that has none, throws or says nonsense, the default. */
function judge(classify: Classify, status: number): Verdict {
  let verdict: unknown
  try {
    verdict = classify?.(status)
    if (isVerdict(verdict)) return verdict
    if (verdict !== undefined) {
      // Were it a promise that rejects, nobody else would know.
      void Promise.resolve(verdict).catch(() => undefined)
      warn(`breakerInterceptor: classify returned ${shown(verdict)}, which is not a valid answer; its default is used`)
    }
  } catch (error) {
    warn(`breakerInterceptor: classify threw: ${String(error)}`)
  }
  return status >= 500 ? 'failure' : status === 408 || status === 429 ? 'ignored' : 'success'
}

function isVerdict(value: unknown): value is Verdict {
  if (value === 'success' || value === 'failure' || value === 'ignored') return true
  const openFor = (value as { openFor?: unknown } | null | undefined)?.openFor
  return typeof openFor === 'number' && openFor >= 0 && openFor < Infinity
}

/** A value as a message shows it. */
function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/** What is used of the platform, which for undici is Node or one that does as Node does. */
const platform = globalThis as unknown as {
  readonly URL: new (url: string) => { readonly origin: string }
  readonly process?: { emitWarning?(message: string, type: string): void }
}

const told = new Set<string>()

/** Says once that a classifier misbehaved, and a hundred different things at most. */
function warn(message: string): void {
  if (told.size >= 100 || told.has(message)) return
  told.add(message)
  platform.process?.emitWarning?.(message, 'LazybreakerWarning')
}
