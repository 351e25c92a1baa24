/** How the machine is set up, in the plainest words. `real.ts` turns this into options of the library. */
export interface ModelOptions {
  readonly trip: TripOptions
  /** ms; absent if nobody looks for slow calls. */
  readonly slowCallDuration?: number
  /** ms to stay open, or a function of how often this recovery was lost. */
  readonly recoveryTimeout: number | ((relapses: number) => number)
  readonly phases: readonly PhaseOptions[]
  /** ms after which a probe may lose its place. */
  readonly probeTimeout: number
}

export type TripOptions =
  | { readonly kind: 'consecutive'; readonly threshold: number }
  | {
      readonly kind: 'rate'
      readonly rate: number
      readonly minimumCalls: number
      readonly slowCallRate?: number
      readonly window: { readonly calls: number } | { readonly ms: number; readonly buckets: number }
    }

export interface PhaseOptions {
  readonly ratio: number
  readonly successThreshold: number
  readonly maxFailures: number
  /** Places; `Infinity` if there is no bound. */
  readonly maxConcurrent: number
  /** ms after the last admission at which an arrival is admitted whatever the ratio. */
  readonly maxGap: number
}

/** One call at a time, one success: what `singleProbe()` is. */
export const single: PhaseOptions = { ratio: 1, successThreshold: 1, maxFailures: 0, maxConcurrent: 1, maxGap: 1_000 }

/** What `probes({ maxConcurrent, successThreshold })` is. */
export const several = (maxConcurrent: number, successThreshold: number): PhaseOptions => ({ ...single, maxConcurrent, successThreshold })

/** ms to stay open after so many relapses. */
export const waitOf = ({ recoveryTimeout }: ModelOptions, relapses: number): number => (typeof recoveryTimeout === 'number' ? recoveryTimeout : recoveryTimeout(relapses))
