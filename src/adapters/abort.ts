import type { AbortSignalLike } from '../index.js'

/**
 * Whether a call was ended by a deadline that its caller had set, and the host missed: that is evidence. Clients report it as they report a
 * caller that gave up, which is none; the reason of the signal tells them apart.
 */
export function isDeadline(signal: Partial<AbortSignalLike> | null | undefined): boolean {
  return signal?.aborted === true && (signal.reason as { name?: unknown } | null | undefined)?.name === 'TimeoutError'
}

/** Whether the call failed because what its caller uploads broke off: a Node stream keeps the error that destroyed it. */
export function isOfUpload(error: unknown, body: unknown): boolean {
  const errored = (body as { errored?: unknown } | null | undefined)?.errored
  if (errored === undefined || errored === null) return false
  return errored === error || errored === (error as { cause?: unknown } | null | undefined)?.cause
}
