import type { AbortSignalLike, Permit } from '../index.js'
import type { ClassifyStatus } from './status-verdict.js'
import { Evidence, type CallOptions } from './undici-evidence.js'

type Abort = (reason?: unknown) => void

/** The handlers of undici 6, which it hands to those of undici 7 too. */
export interface OldHandler {
  /** By this it is known. */
  onConnect(abort: Abort, context?: unknown): unknown
  onUpgrade?(status: number | null, headers: unknown, socket: unknown): unknown
  onResponseStarted?(): unknown
  onHeaders?(status: number, headers: unknown, resume: unknown, statusText: unknown, parsed?: unknown): unknown
  onData?(chunk: unknown): unknown
  onComplete?(trailers: unknown): unknown
  onError?(error: unknown): unknown
  onBodySent?(chunk: unknown): unknown
  onRequestSent?(): unknown
}

type Controller = Partial<AbortSignalLike>

/** The handlers of undici 7 and 8. */
export interface ResponseHandler {
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
export function isOld(handler: object): handler is OldHandler {
  return typeof (handler as Partial<OldHandler>).onConnect === 'function'
}

/** Stands between undici 7 or 8 and a handler. The controller goes through untouched, and with it all pausing and resuming. */
export class Exchange extends Evidence implements Required<ResponseHandler> {
  readonly #handler: ResponseHandler

  constructor(permit: Permit, call: CallOptions, classify: ClassifyStatus | undefined, handler: ResponseHandler) {
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
    return this.told(() => this.#handler.onResponseStart?.(controller, status, headers, statusText))
  }

  onResponseData(controller: Controller | null, chunk: unknown): unknown {
    return this.told(() => this.#handler.onResponseData?.(controller, chunk))
  }

  onResponseEnd(controller: Controller | null, trailers: unknown): unknown {
    this.ended()
    return this.#handler.onResponseEnd?.(controller, trailers)
  }

  onResponseError(controller: Controller | null, error: unknown): unknown {
    if (controller?.aborted === true) this.aborted(controller)
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
export class OldExchange extends Evidence implements Required<OldHandler> {
  readonly #handler: OldHandler

  constructor(permit: Permit, call: CallOptions, classify: ClassifyStatus | undefined, handler: OldHandler) {
    super(permit, call, classify)
    this.#handler = handler
  }

  onConnect(abort: Abort, context?: unknown): unknown {
    const giveUp: Abort = (reason) => {
      this.aborted({ aborted: true, reason })
      abort(reason)
    }
    return this.#handler.onConnect(giveUp, context)
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
    return this.told(() => this.#handler.onHeaders?.(status, headers, resume, statusText, parsed))
  }

  onData(chunk: unknown): unknown {
    return this.told(() => this.#handler.onData?.(chunk))
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
