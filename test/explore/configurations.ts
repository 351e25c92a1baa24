import { type ModelOptions, type PhaseOptions, type TripOptions, several, single } from '../model/options.js'

export interface Configuration {
  readonly name: string
  readonly options: ModelOptions
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
  { ratio: 0.6, successThreshold: 2, maxFailures: 1, maxConcurrent: 2, maxGap: 4 },
  { ratio: 1, successThreshold: 2, maxFailures: 0, maxConcurrent: Infinity, maxGap: 4 },
]

const recoveries: Record<string, readonly PhaseOptions[]> = {
  singleProbe: [single],
  'probes 2/2': [several(2, 2)],
  'probes 3/2': [several(3, 2)],
  'gradual of three': ramp,
}

/** Until there is nothing further to find, where the bounded state space is small enough to be known whole in a second or two. */
function depthOf(trip: TripOptions, recovery: string, isSlow: boolean): number {
  if (recovery === 'gradual of three') return 7
  const isSmall = trip.kind === 'consecutive' || (!isSlow && 'calls' in trip.window)
  return isSmall ? Infinity : 6
}

/** Every trip with every recovery, with and without slow calls. */
export const configurations: readonly Configuration[] = Object.entries(recoveries).flatMap(([recovery, phases]) => [
  ...Object.entries(trips).map(([name, trip]) => ({
    name: `${name}, ${recovery}`,
    options: { trip, phases, recoveryTimeout, probeTimeout },
    depth: depthOf(trip, recovery, false),
  })),
  ...Object.entries({ ...trips, ...slowRates }).map(([name, trip]) => ({
    name: `${name}, ${recovery}, slow calls`,
    options: { trip, phases, recoveryTimeout, probeTimeout, slowCallDuration },
    depth: depthOf(trip, recovery, true),
  })),
])
