import { type ModelOptions, type PhaseOptions, type TripOptions, several, single } from '../model/options.js'

/** What is done and told apart beyond the ordinary, where the state space bears it. */
export type Extra =
  /** Counters of openings and relapses are told apart up to 3 or 4, not only 0 and more. */
  | 'counters'
  | 'disable'
  /** A reading is a move. */
  | 'read'
  /** The clock steps back between two looks of the breaker, with no reader to see it. */
  | 'slip'

/** How a breaker is set up, and what is done with it. */
export interface Setting {
  readonly options: ModelOptions
  readonly extras: readonly Extra[]
}

export interface Configuration extends Setting {
  readonly name: string
  /** How many moves the ordinary run makes. */
  readonly depth: number
}

// Small and different numbers, so that every boundary is near and no two are crossed by the same step.
const probeTimeout = 3
const recoveryTimeout = 5
const slowCallDuration = 2

const trips: Record<string, TripOptions> = {
  'consecutiveFailures(1)': { kind: 'consecutive', threshold: 1 },
  'consecutiveFailures(2)': { kind: 'consecutive', threshold: 2 },
  'failureRate 2 of 3 calls': { kind: 'rate', rate: 0.5, minimumCalls: 2, window: { calls: 3 } },
  'failureRate in 4 ms': { kind: 'rate', rate: 0.5, minimumCalls: 2, window: { ms: 4, buckets: 2 } },
}

/** What a rate also counts when somebody looks for slow calls. */
const slowRates: Record<string, TripOptions> = {
  'failureRate and slowCallRate of 3 calls': { kind: 'rate', rate: 0.5, minimumCalls: 2, slowCallRate: 0.6, window: { calls: 3 } },
  'failureRate and slowCallRate in 4 ms': { kind: 'rate', rate: 1, minimumCalls: 2, slowCallRate: 0.5, window: { ms: 4, buckets: 2 } },
}

const ramp: readonly PhaseOptions[] = [
  { ratio: 0.5, successThreshold: 1, maxFailures: 0, maxConcurrent: Infinity, maxGap: 4 },
  { ratio: 0.6, successThreshold: 2, maxFailures: 1, maxConcurrent: 2, maxGap: 6 },
  { ratio: 1, successThreshold: 2, maxFailures: 0, maxConcurrent: Infinity, maxGap: 4 },
]

/** The second phase has fewer places than the first leaves taken, and a gap of its own. */
const narrowing: readonly PhaseOptions[] = [
  { ratio: 1, successThreshold: 1, maxFailures: 1, maxConcurrent: 3, maxGap: 4 },
  { ratio: 0.5, successThreshold: 2, maxFailures: 0, maxConcurrent: 1, maxGap: 6 },
]

const recoveries: Record<string, readonly PhaseOptions[]> = {
  singleProbe: [single],
  'probes 2/2': [several(2, 2)],
  'probes 3/2': [several(3, 2)],
  'gradual of three': ramp,
}

/**
 * Until there is nothing further to find, where that takes a second; else as deep as some fifteen seconds for all of them go. What a trip does while
 * closed is the same before each recovery, so it is seen in depth before the smallest.
 */
function depthOf(trip: TripOptions, recovery: string, isSlow: boolean): number {
  const isSmallest = recovery === 'singleProbe'
  if (isSmallest && !isSlow) return trip.kind === 'consecutive' || 'calls' in trip.window ? Infinity : 6
  return isSlow && trip.kind === 'rate' && !isSmallest ? 4 : 5
}

/** Every trip with every recovery, with and without slow calls. */
const combinations: readonly Configuration[] = Object.entries(recoveries).flatMap(([recovery, phases]) => [
  ...Object.entries(trips).map(([name, trip]) => ({
    name: `${name}, ${recovery}`,
    options: { trip, phases, recoveryTimeout, probeTimeout },
    extras: [],
    depth: depthOf(trip, recovery, false),
  })),
  ...Object.entries({ ...trips, ...slowRates }).map(([name, trip]) => ({
    name: `${name}, ${recovery}, slow calls`,
    options: { trip, phases, recoveryTimeout, probeTimeout, slowCallDuration },
    extras: [],
    depth: depthOf(trip, recovery, true),
  })),
])

const first: TripOptions = { kind: 'consecutive', threshold: 1 }
const growing = (relapses: number) => recoveryTimeout + 2 * Math.min(relapses, 2)

/** Every recovery with a wait that grows, and with all that may be done to a breaker and told apart. */
const thorough: readonly Configuration[] = Object.entries({ ...recoveries, 'gradual that narrows': narrowing }).flatMap(([recovery, phases]) => [
  {
    name: `${recovery}, everything`,
    options: { trip: first, phases, recoveryTimeout: growing, probeTimeout },
    extras: ['counters', 'disable', 'read'],
    depth: phases === narrowing ? 4 : 5,
  },
  {
    name: `${recovery}, everything, slow calls`,
    options: { trip: first, phases, recoveryTimeout: growing, probeTimeout, slowCallDuration },
    extras: ['counters', 'disable', 'read', 'slip'],
    depth: 4,
  },
])

export const configurations: readonly Configuration[] = [...combinations, ...thorough]
