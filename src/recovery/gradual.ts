import { checkPhases, type Phase, type Recovery } from './phase.js'

const RAMP: Recovery = Object.freeze([
  Object.freeze({ ratio: 0.1, successThreshold: 5 }),
  Object.freeze({ ratio: 0.5, successThreshold: 10 }),
  Object.freeze({ ratio: 1, successThreshold: 20 }),
])

/**
 * Traffic comes back in shares: by default 10 % until 5 successes, 50 % until 10 more, all of it until 20 more. Deterministic: no chance
 * decides who is let through.
 *
 * @throws TypeError or RangeError naming what is wrong with a phase
 */
export function gradual(phases: readonly Phase[] = RAMP): Recovery {
  return checkPhases('gradual', phases)
}
