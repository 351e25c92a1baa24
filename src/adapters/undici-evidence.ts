import type { AbortSignalLike, Permit } from '../index.js'
import { isDeadline, isOfUpload } from './abort.js'
import { report, statusVerdict, type ClassifyStatus } from './status-verdict.js'

/** What undici also hands on with a call, though it does not say so in the types of `dispatch`. */
export interface CallOptions {
  readonly signal?: Partial<AbortSignalLike> | null
  readonly body?: unknown
}

/** What one call has shown of its host so far, and the report on it. */
export class Evidence {
  readonly #permit: Permit
  readonly #call: CallOptions
  readonly #classify: ClassifyStatus | undefined
  /** The status of the response, once there is one. */
  #status: number | undefined
  /** The caller hung up, or its handler threw. */
  #givenUp = false

  constructor(permit: Permit, call: CallOptions, classify: ClassifyStatus | undefined) {
    this.#permit = permit
    this.#call = call
    this.#classify = classify
  }

  /** Those below 200 are interim. */
  protected started(status: number): void {
    if (status >= 200) this.#status = status
  }

  protected aborted(by: Partial<AbortSignalLike>): void {
    if (!isDeadline(by)) this.#givenUp = true
  }

  /** Hands a piece of the response on to the caller's handler. Of what that throws, undici makes an error of the call. */
  protected told<Answer>(tell: () => Answer): Answer {
    try {
      return tell()
    } catch (error) {
      this.#givenUp = true
      throw error
    }
  }

  protected ended(): void {
    report(this.#permit, statusVerdict(this.#classify, this.#status), this.#status)
  }

  protected failed(error: unknown): void {
    const isReplaced = this.#status === undefined && statusIn(error) !== undefined
    const status = this.#status ?? statusIn(error)
    const verdict = statusVerdict(this.#classify, status)
    // A bad answer stays one, whatever became of its body.
    if (isReplaced || (verdict !== 'success' && verdict !== 'ignored')) report(this.#permit, verdict, status, isReplaced ? error : undefined)
    else this.#interrupted(error)
  }

  #interrupted(error: unknown): void {
    const { signal, body } = this.#call
    // Once a body is being read, undici does not say why it was aborted; the signal does.
    if (isDeadline(signal)) this.#permit.failure(signal!.reason)
    // If the host breaks off an upload, undici tells the handler first, and destroys what is uploaded then.
    else if (signal?.aborted === true || this.#givenUp || isOfTheCaller(error) || isOfUpload(error, body)) this.#permit.ignore()
    else this.#permit.failure(error)
  }
}

/** The status by which an interceptor below this one (`responseError`, `retry`) replaced an answer with an error, if that is what it is. */
function statusIn(error: unknown): number | undefined {
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown }
  if (code !== 'UND_ERR_RESPONSE' && code !== 'UND_ERR_REQ_RETRY') return undefined
  return typeof statusCode === 'number' && statusCode >= 400 ? statusCode : undefined
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

function isOfTheCaller(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  // By this code undici 6 and 7 also report that a proxy could not reach the host.
  return OF_THE_CALLER.has(code) || (code === 'UND_ERR_ABORTED' && !String(message).startsWith('Proxy response (5'))
}
