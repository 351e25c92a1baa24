import type { Recovery } from './phase.js'

/** One call at a time is let through, and one success closes. */
export function singleProbe(): Recovery {
  return SINGLE
}

const SINGLE: Recovery = Object.freeze([Object.freeze({ ratio: 1, successThreshold: 1, maxConcurrent: 1 })])
