import { checkCount, checkObject, checkPositiveMs, checkRate } from '../check.js'
import { describe } from '../warn.js'

/** One step of a recovery: who may call while it runs, and what ends it. */
export interface Phase {
  /** Share of the calls that are admitted; above 0, at most 1. The first call of a phase always is, if there is a free place. */
  readonly ratio: number
  /** Successes of calls admitted in this phase that end it; at least 1. */
  readonly successThreshold: number
  /** Failed calls tolerated; one more reopens. Default 0. */
  readonly maxFailures?: number | undefined
  /** Calls in flight at once; at least 1. Default: no bound. */
  readonly maxConcurrent?: number | undefined
  /** Milliseconds, above 0, after which a call is admitted whatever its share, so that low traffic recovers too. Default 1,000. */
  readonly maxGap?: number | undefined
}

/** How to come back: phases, run one after the other. The last one passed closes; a lost one reopens and starts anew at the first. */
export type Recovery = readonly Phase[]

/** A phase with every choice made; `maxConcurrent` stays `undefined` if nothing bounds it. */
export interface FullPhase extends Phase {
  readonly maxFailures: number
  readonly maxGap: number
}

/** @throws TypeError or RangeError naming what is wrong */
export function checkPhases(name: string, recovery: Recovery): readonly FullPhase[] {
  if (!Array.isArray(recovery) || recovery.length === 0) {
    const hint = typeof recovery === 'function' ? ' (call the function: it gives the list)' : ''
    throw new TypeError(`${name}: expected singleProbe(), probes(), gradual() or a list of phases, got ${describe(recovery)}${hint}`)
  }
  return Object.freeze(recovery.map((phase: Phase, i) => fill(`${name}[${String(i)}]`, phase)))
}

function fill(name: string, phase: Phase): FullPhase {
  const known = ['ratio', 'successThreshold', 'maxFailures', 'maxConcurrent', 'maxGap']
  const { ratio, successThreshold, maxFailures = 0, maxConcurrent, maxGap = 1_000 } = checkObject(name, phase, known)
  return Object.freeze({
    ratio: checkRate(`${name}.ratio`, ratio),
    successThreshold: checkCount(`${name}.successThreshold`, successThreshold),
    maxFailures: checkCount(`${name}.maxFailures`, maxFailures, 0),
    maxConcurrent: maxConcurrent === undefined ? undefined : checkCount(`${name}.maxConcurrent`, maxConcurrent),
    maxGap: checkPositiveMs(`${name}.maxGap`, maxGap),
  })
}
