import { checkFactor, checkFunction, checkObject, checkPositiveMs, checkUnit, contradiction, isWait } from './check.js'
import { warnNonsense, warnThrown } from './warn.js'

/** What a recovery timeout may depend on. */
export interface Relapse {
  /** Recoveries of this outage that were tried and lost; 0 for the first trip. */
  readonly relapses: number
  /** The error of the call that tripped it, if it had one. */
  readonly error: unknown
}

/** How long to stay open: milliseconds, or a function asked once per trip, and by `forceOpen()`. */
export type RecoveryTimeout = number | ((relapse: Relapse) => number)

/** Used where nothing was said, and where a function gave no usable answer. */
export const DEFAULT_RECOVERY_TIMEOUT = 30_000

export interface BackoffOptions {
  /** Milliseconds of the first wait; above 0. */
  readonly initial: number
  /** Milliseconds that no wait exceeds; default 600,000, or `initial` if that is more. */
  readonly max?: number | undefined
  /** Each relapse multiplies the wait by this; at least 1, default 2. */
  readonly factor?: number | undefined
  /** From 0 (the default) to 1: the share of the wait that chance may take away, so that many instances do not probe as one. */
  readonly jitter?: number | undefined
  /** Gives a number from 0 to below 1; default `Math.random`. */
  readonly random?: (() => number) | undefined
}

/**
 * A wait that grows with each lost recovery: `d * (1 - jitter * random())` with `d = min(initial * factor ** relapses, max)`. Finite for
 * any number of relapses; chance is asked once per trip.
 *
 * @throws TypeError or RangeError naming the option that is wrong
 */
export function exponentialBackoff(options: BackoffOptions): (relapse: Relapse) => number {
  const read = checkObject('exponentialBackoff', options, ['initial', 'max', 'factor', 'jitter', 'random'])
  const initial = checkPositiveMs('initial', read.initial)
  const { max = Math.max(600_000, initial), factor = 2, jitter = 0, random = Math.random } = read
  checkPositiveMs('max', max)
  checkFactor('factor', factor)
  checkUnit('jitter', jitter)
  checkFunction('random', random)
  if (max < initial) contradiction(`max: expected at least initial (${String(initial)}), got ${String(max)}`)
  return ({ relapses }) => {
    const wait = Math.min(initial * factor ** relapses, max)
    return jitter === 0 ? wait : wait * (1 - jitter * draw(random))
  }
}

function draw(random: () => number): number {
  let drawn: unknown
  try {
    drawn = random()
    if (typeof drawn === 'number' && drawn >= 0 && drawn <= 1) return drawn
  } catch (error) {
    warnThrown('random', error)
    return 0
  }
  warnNonsense('random', drawn)
  return 0
}

/** The wait of one trip. A function that throws or gives nonsense gives the default. */
export function waitOf(timeout: RecoveryTimeout, relapses: number, error: unknown): number {
  if (typeof timeout === 'number') return timeout
  let ms: unknown
  try {
    ms = timeout({ relapses, error })
    if (isWait(ms)) return ms
  } catch (thrown) {
    warnThrown('recoveryTimeout', thrown)
    return DEFAULT_RECOVERY_TIMEOUT
  }
  warnNonsense('recoveryTimeout', ms)
  return DEFAULT_RECOVERY_TIMEOUT
}
