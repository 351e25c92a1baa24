import type { Permit, Verdict } from '../index.js'
import { describe, warn } from './warning.js'

/** The option of that name: what a status says about the host. */
export type ClassifyStatus = (status: number, response: never) => unknown

/** The verdict on an answer: `classify`'s, or if that has none, the default. */
export function statusVerdict(classify: ClassifyStatus | undefined, status: number | undefined): Verdict {
  return classified(classify, status) ?? defaultVerdict(status)
}

/** From 500 on the host has failed; 408 and 429 say nothing about it; all else shows that it answers, even an answer without a status. */
export function defaultVerdict(status = 0): Verdict {
  if (status >= 500) return 'failure'
  return status === 408 || status === 429 ? 'ignored' : 'success'
}

/** Asks `classify`. If it throws, or says nonsense, that is told once, and is as if it had said nothing. */
export function classified(classify: ClassifyStatus | undefined, status: number | undefined, response?: unknown): Verdict | undefined {
  if (classify === undefined || status === undefined) return undefined
  try {
    const said = classify(status, response as never)
    if (said === undefined || said === 'success' || said === 'failure' || said === 'ignored') return said
    const { openFor } = (said ?? {}) as { openFor?: unknown }
    if (typeof openFor === 'number' && openFor >= 0 && openFor < Infinity) return { openFor }
    warn(`classify returned ${describe(said)}; expected 'success', 'failure', 'ignored' or { openFor: ms }, so its default is used`)
    // Were it a promise that rejects, nobody else would know.
    void Promise.resolve(said).catch(() => undefined)
  } catch (error) {
    warn(`classify threw: ${describe(error)}`)
  }
  return undefined
}

/** Settles a permit with the verdict on an answer. What went wrong is `error`, or else that the host answered with this status. */
export function report(permit: Permit, verdict: Verdict, status: number | undefined, error?: unknown): void {
  if (verdict === 'success') permit.success()
  else if (verdict === 'ignored') permit.ignore()
  else {
    // That of a plain failure is undefined.
    const { openFor } = verdict as { readonly openFor?: number }
    permit.failure(error ?? new Error(`The host answered with status ${String(status)}`), { openFor })
  }
}
