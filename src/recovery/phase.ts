import { checkCount, checkObject, checkPositiveMs, checkRate, checkTolerance } from '../check.js'
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
  if (!Array.isArray(recovery)) throw new TypeError(`${name}: expected a list of phases, as probes() gives, got ${describe(recovery)}`)
  if (recovery.length === 0) throw new TypeError(`${name}: expected at least one phase, got none`)
  return Object.freeze(Array.from(recovery as Recovery, (phase, i) => fill(`${name}[${String(i)}]`, phase)))
}

function fill(name: string, phase: Phase): FullPhase {
  const { ratio, successThreshold, maxFailures = 0, maxConcurrent, maxGap = 1_000 } = checkObject(name, phase, FIELDS)
  checkRate(`${name}.ratio`, ratio)
  checkCount(`${name}.successThreshold`, successThreshold)
  checkTolerance(`${name}.maxFailures`, maxFailures)
  if (maxConcurrent !== undefined) checkCount(`${name}.maxConcurrent`, maxConcurrent)
  checkPositiveMs(`${name}.maxGap`, maxGap)
  return Object.freeze({ ratio, successThreshold, maxFailures, maxConcurrent, maxGap })
}

const FIELDS = ['ratio', 'successThreshold', 'maxFailures', 'maxConcurrent', 'maxGap']
