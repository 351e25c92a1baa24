import { checkCount, checkObject } from '../check.js'
import type { Recovery } from './phase.js'

export interface ProbesOptions {
  /** Probes in flight at once; at least 1, default 3. */
  readonly maxConcurrent?: number | undefined
  /** Successes that close; at least 1, default 2. May exceed `maxConcurrent`: probes then follow one another. */
  readonly successThreshold?: number | undefined
}

/**
 * A few calls at a time are let through, and `successThreshold` successes close. One failure reopens.
 *
 * @throws TypeError or RangeError naming the option that is wrong
 */
export function probes(options: ProbesOptions = {}): Recovery {
  const { maxConcurrent = 3, successThreshold = 2 } = checkObject('probes', options, ['maxConcurrent', 'successThreshold'])
  checkCount('maxConcurrent', maxConcurrent)
  checkCount('successThreshold', successThreshold)
  return Object.freeze([Object.freeze({ ratio: 1, successThreshold, maxConcurrent })])
}
