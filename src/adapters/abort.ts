import type { AbortSignalLike } from '../index.js'

/**
 * Whether a call was ended by a deadline that its caller had set, and the host missed: that is evidence. Clients report it as they report a
 * caller that gave up, which is none; the reason of the signal tells them apart.
 */
export function isDeadline(signal: Partial<AbortSignalLike> | null | undefined): boolean {
  return signal?.aborted === true && (signal.reason as { name?: unknown } | null | undefined)?.name === 'TimeoutError'
}

/**
 * Whether the call failed because what its caller uploads broke off. A Node stream keeps the error that destroyed it, and if there was none,
 * its reader makes one; a web stream says that it erred, by a name that Node and Bun know. One whose reader gave up has been cancelled.
 */
export function isOfUpload(error: unknown, body: unknown): boolean {
  const { errored, readableAborted, [ERRED]: erred } = (body ?? {}) as { errored?: unknown; readableAborted?: unknown; [ERRED]?: unknown }
  if (erred === true) return true
  for (const one of [error, (error as { cause?: unknown } | null | undefined)?.cause]) {
    if ((one ?? undefined) === undefined) continue
    if (one === errored || (readableAborted === true && (one as Partial<Error>).message === 'Premature close')) return true
  }
  return false
}

const ERRED = Symbol.for('nodejs.stream.errored')

/** Whether it was fetch that refused, in Node's words: to ask at such a port, or, as its caller had ordered, to take such an answer. */
export function refusedByFetch(because: unknown): boolean {
  return because === 'bad port' || because === 'unexpected redirect' || because === 'integrity mismatch'
}
