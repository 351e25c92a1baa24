import { isWait } from './check.js'
import { findCircuitOpenError } from './errors.js'
import { warnNonsense, warnThrown } from './warn.js'

/**
 * What a call says about the host. `'ignored'` is no verdict: it neither adds to the evidence nor ends a run of failures. `{ openFor }` is
 * a failure that trips at once and stays open for that many milliseconds (a server's `Retry-After`), but never shorter than the ordinary
 * recovery timeout.
 */
export type Verdict = 'success' | 'failure' | 'ignored' | { readonly openFor: number }

/** Says what an error or a result means. Taken as a method is, so that one for a narrower subject may be given. */
export type Classify<Subject> = { of(subject: Subject): Verdict | undefined }['of']

/** The part of an `AbortSignal` that is looked at. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason?: unknown
}

/** Did the caller itself give up? A deadline that the caller set and the host missed is evidence, so a `TimeoutError` is not giving up. */
export function gaveUp(signal: AbortSignalLike | undefined): boolean {
  try {
    return signal?.aborted === true && (signal.reason as { name?: unknown }).name !== 'TimeoutError'
  } catch {
    // There is no reason, or it cannot be read.
    return true
  }
}

/** Law 8: a refusal, and an error of a call that its caller gave up, are never evidence, whoever reports them. */
export function isNoEvidence(error: unknown, signal: AbortSignalLike | undefined): boolean {
  return gaveUp(signal) || findCircuitOpenError(error) !== undefined
}

/** Asks a classifier: the one of errors if its default is a failure. Its fault, its nonsense and its silence all leave the default. */
export function judge(classify: (subject: unknown) => unknown, subject: unknown, fallback: 'success' | 'failure'): Verdict {
  // Not whose breaker it is: in a registry each would warn.
  const name = fallback === 'failure' ? 'classifyError' : 'classifyResult'
  let verdict: unknown
  try {
    verdict = classify(subject)
    if (verdict === 'success' || verdict === 'failure' || verdict === 'ignored') return verdict
    if (verdict === undefined) return fallback
    const { openFor } = (verdict ?? {}) as { openFor?: unknown }
    if (isWait(openFor)) return { openFor }
  } catch (error) {
    warnThrown(name, error)
    return fallback
  }
  warnNonsense(name, verdict, "'success', 'failure', 'ignored' or { openFor: ms }")
  return fallback
}
