import { type TripOptions } from './options.js'

/**
 * What a trip remembers, as lists. The two rates have two populations: calls that settled, and calls of which it is
 * known whether they are slow (those that hang among them).
 */
export interface Memory {
  readonly settled: readonly Entry[]
  readonly timed: readonly Entry[]
}

interface Entry {
  /** A failure, in `settled`; a slow call, in `timed`. */
  readonly bad: boolean
  readonly at: number
}

export interface Counts {
  readonly failures: number
  readonly calls?: number
  readonly slowCalls?: number
}

export const empty: Memory = { settled: [], timed: [] }

/** Whether slowness is the trip's own business; if not, a slow call is a failure. */
export const countsSlow = (trip: TripOptions): boolean => trip.kind === 'rate' && trip.slowCallRate !== undefined

/** A call became slow. */
export function slow(trip: TripOptions, memory: Memory, at: number): Memory {
  if (!countsSlow(trip)) return remember(trip, { ...memory, settled: [...memory.settled, { bad: true, at }] }, at)
  return remember(trip, { ...memory, timed: [...memory.timed, { bad: true, at }] }, at)
}

/** A call settled; `wasSlow`: it was counted by `slow` before. */
export function settled(trip: TripOptions, memory: Memory, bad: boolean, wasSlow: boolean, at: number): Memory {
  if (wasSlow && !countsSlow(trip)) return memory
  if (trip.kind === 'consecutive' && !bad) return empty
  const timed = wasSlow ? memory.timed : [...memory.timed, { bad: false, at }]
  return remember(trip, { settled: [...memory.settled, { bad, at }], timed }, at)
}

/** Leaves out what the trip can no longer remember at this moment. */
export function remember(trip: TripOptions, memory: Memory, now: number): Memory {
  if (trip.kind === 'consecutive') return { settled: memory.settled, timed: [] }
  const { window } = trip
  const kept = (entries: readonly Entry[]): readonly Entry[] => {
    if ('calls' in window) return entries.slice(-window.calls)
    const bucketOf = (time: number) => Math.floor(time / (window.ms / window.buckets))
    return entries.filter(({ at }) => bucketOf(now) - bucketOf(at) < window.buckets)
  }
  return { settled: kept(memory.settled), timed: countsSlow(trip) ? kept(memory.timed) : [] }
}

export function counts(trip: TripOptions, memory: Memory, now: number): Counts {
  const { settled: all, timed } = remember(trip, memory, now)
  const bad = (entries: readonly Entry[]) => entries.filter((entry) => entry.bad).length
  if (trip.kind === 'consecutive') return { failures: all.length }
  if (!countsSlow(trip)) return { failures: bad(all), calls: all.length }
  return { failures: bad(all), calls: all.length, slowCalls: bad(timed) }
}

/** Why to open, or nothing. */
export function reasonToTrip(trip: TripOptions, memory: Memory, now: number): string | undefined {
  const { settled: all, timed } = remember(trip, memory, now)
  if (trip.kind === 'consecutive') return all.length >= trip.threshold ? 'consecutive-failures' : undefined
  const over = (entries: readonly Entry[], rate: number) => entries.length >= trip.minimumCalls && entries.filter(({ bad }) => bad).length / entries.length >= rate
  const reasons: string[] = []
  if (over(all, trip.rate)) reasons.push('failure-rate')
  if (trip.slowCallRate !== undefined && over(timed, trip.slowCallRate)) reasons.push('slow-call-rate')
  return reasons.length > 0 ? reasons.join('+') : undefined
}
