import type { SteadyClock } from './clock.js'
import type { RefusalReason } from './errors.js'
import type { Flight } from './in-flight.js'
import type { FullPhase } from './recovery/phase.js'
import type { Evidence, Progress } from './snapshot.js'
import { summarise } from './summary.js'
import type { Counts } from './trip/trip.js'

/** What an outage needs of the plan that its breaker runs on. */
export interface RecoveryPlan {
  readonly phases: readonly FullPhase[]
  readonly probeTimeout: number
}

/**
 * What a breaker knows while it is not closed. It waits until its recovery timeout is over; then, once a call asks, it recovers phase by
 * phase. Nobody wakes it: every answer is a function of what is stored here and the time it is asked for.
 */
export class Outage {
  readonly #plan: RecoveryPlan
  /** When the wait is over. Computed once, so that every reader compares with the same number. */
  readonly until: number
  #recovery: Recovering | null = null

  constructor(
    plan: RecoveryPlan,
    readonly trippedAt: number,
    readonly recoveryTimeout: number,
    /** Why it was opened, last. */
    readonly reason: string,
    readonly error: unknown,
    /** Recoveries tried and lost. */
    readonly relapses: number,
    /** Why it was opened first, by the trip. */
    readonly evidence: Evidence,
  ) {
    this.#plan = plan
    this.until = trippedAt + recoveryTimeout
  }

  /** The recovery under way; `null` until somebody calls after the wait is over. */
  get recovery(): Recovering | null {
    return this.#recovery
  }

  beginRecovery(): void {
    this.#recovery = new Recovering(this.#plan)
  }

  /** What it has entered; a read derives from the time what it is (`stateAt`). */
  get state(): 'open' | 'half-open' {
    return this.#recovery === null ? 'open' : 'half-open'
  }

  /** Past its time it is half-open, although nobody has called yet. */
  stateAt(now: number): 'open' | 'half-open' {
    return now < this.until ? 'open' : 'half-open'
  }

  /** Why a call would be refused at `now`, or `undefined` if it would be admitted. */
  refusalAt(now: number): RefusalReason | undefined {
    return now < this.until ? 'open' : this.#recovery?.refusal(now)
  }

  /** Milliseconds, from the last reading of `clock`, after which a call that is refused would not be refused for being early. */
  patience(clock: SteadyClock): number {
    return this.#recovery === null ? clock.until(this.until) : this.#recovery.patience(clock)
  }

  /** For events. */
  get figures(): object {
    const { trippedAt, recoveryTimeout, relapses, error } = this
    return { trippedAt, recoveryTimeout, relapses, ...(error !== undefined && { error }) }
  }

  /** For snapshots. */
  describe(now: number): object {
    const { relapses, trippedAt, reason, error, evidence } = this
    return {
      relapses,
      trippedAt,
      reason,
      ...(error !== undefined && { error: summarise(error) }),
      evidence: { ...evidence },
      ...(now >= this.until && { phase: (this.#recovery ?? new Recovering(this.#plan)).progress }),
    }
  }
}

/** The interpreter of a list of phases. */
export class Recovering {
  readonly #plan: RecoveryPlan
  #phase: FullPhase
  #index = 0
  /** Calls that asked since the phase began, or since the last one admitted by gap, that one included. */
  #arrivals = 0
  /** The shares given out for those, used or not. */
  #shares = 0
  #successes = 0
  #failures = 0
  /** When a call was admitted last. Before that no share is ever refused. */
  #admittedAt = Infinity
  /** Calls that hold a place, oldest first, each with the time at which it may lose it. */
  readonly #places = new Map<Flight, number>()

  constructor(plan: RecoveryPlan) {
    this.#plan = plan
    this.#phase = plan.phases[0]!
  }

  get progress(): Progress {
    const { ratio, maxConcurrent, successThreshold } = this.#phase
    return {
      index: this.#index,
      ratio,
      ...(maxConcurrent !== undefined && { maxConcurrent }),
      inFlight: this.#places.size,
      successes: this.#successes,
      successThreshold,
    }
  }

  /** Of the running phase. */
  get counts(): Counts {
    return { failures: this.#failures, calls: this.#failures + this.#successes }
  }

  /** Why the next call would be refused at `now`, or `undefined` if it would be admitted. */
  refusal(now: number): 'probing' | 'ramping' | undefined {
    if (!this.#isDue(this.#arrivals + 1, now)) return 'ramping'
    return this.#isFull(now) ? 'probing' : undefined
  }

  /** A call asks, and is counted. If it is not refused, it must `take` a place. */
  arrive(now: number): 'probing' | 'ramping' | undefined {
    const refused = this.refusal(now)
    this.#arrivals++
    if (now >= this.#gapEnds()) {
      // Without a free place too: the gap then lasts, and the count begins anew with the one it admits in the end.
      this.#arrivals = this.#shares = 1
    } else if (this.#hasShare(this.#arrivals)) {
      // Also without a free place: a share that finds none is not saved, or a burst would follow when one is freed.
      this.#shares++
    }
    return refused
  }

  take(probe: Flight, now: number): void {
    // With no place free, the oldest that did not settle in time loses its own, not its vote. Where nothing bounds the places, this only
    // forgets those that never settle.
    const enough = this.#phase.maxConcurrent ?? 0
    for (const [oldest, leaseEnds] of this.#places) {
      if (this.#places.size < enough || now < leaseEnds) break
      this.#places.delete(oldest)
    }
    probe.phase = this.#index
    this.#places.set(probe, now + this.#plan.probeTimeout)
    this.#admittedAt = now
  }

  patience(clock: SteadyClock): number {
    const turn = this.#phase.ratio < 1 ? clock.until(this.#gapEnds()) : 0
    return Math.max(turn, clock.until(this.#freeAt()))
  }

  /** Gives the place of a call that has settled to the next one, if it still holds one. */
  release(probe: Flight): void {
    this.#places.delete(probe)
  }

  /** A probe succeeded. Tells whether the last phase is passed. */
  succeed(probe: Flight): boolean {
    if (probe.phase !== this.#index) return false
    this.#successes++
    if (this.#successes < this.#phase.successThreshold) return false
    const next = this.#plan.phases[this.#index + 1]
    if (next === undefined) return true
    this.#index++
    this.#phase = next
    // Places outlive a phase, for the calls are still in flight, and so does the last admission: from it the new phase counts its gap.
    this.#arrivals = this.#shares = this.#successes = this.#failures = 0
    return false
  }

  /** A probe failed, of whatever phase. Tells whether that is more than the running phase tolerates. */
  fail(): boolean {
    this.#failures++
    return this.#failures > this.#phase.maxFailures
  }

  #isDue(arrival: number, now: number): boolean {
    return this.#hasShare(arrival) || now >= this.#gapEnds()
  }

  /** As a quotient: the product `ratio * arrival` would admit an eighth of a hundred at 0.07, where 7 is meant. */
  #hasShare(arrival: number): boolean {
    return this.#shares / arrival < this.#phase.ratio
  }

  /** When the next call is admitted whatever its share. */
  #gapEnds(): number {
    return this.#admittedAt + this.#phase.maxGap
  }

  #isFull(now: number): boolean {
    return now < this.#freeAt()
  }

  /** From when on there is a place: when so many of the oldest have lost theirs that fewer than `maxConcurrent` are left. */
  #freeAt(): number {
    const surplus = this.#places.size - (this.#phase.maxConcurrent ?? Infinity)
    if (surplus < 0) return -Infinity
    const leaseEnds = this.#places.values()
    for (let i = 0; i < surplus; i++) leaseEnds.next()
    return leaseEnds.next().value!
  }
}
