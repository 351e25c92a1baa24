import type { SteadyClock } from './clock.js'
import { refusal, type CircuitOpenError, type RefusalReason } from './errors.js'
import { Flight, InFlight } from './in-flight.js'
import { Audience, deliver, HEARS, type Observer, type State } from './observer.js'
import { Outage } from './outage.js'
import { DISABLED, FORGOTTEN, type Override } from './override.js'
import type { Plan } from './plan.js'
import { waitOf } from './recovery-timeout.js'
import type { Snapshot } from './snapshot.js'
import { countsOf, fold, isFresh, reasonToOpen } from './trip/fold.js'
import type { Counts } from './trip/trip.js'
import { judge, isNoEvidence, type AbortSignalLike, type Verdict } from './verdict.js'

/** The registry that a breaker lives in, as far as the breaker knows it. */
export interface Home {
  /** Those who listen to all of it. */
  readonly audience: Audience
  /** The breaker of a key now, made if need be. */
  for(key: unknown): Circuit
  get(key: unknown): Circuit | undefined
  /** Told after each change of a breaker's state, and of who listens to it alone. */
  moved(circuit: Circuit): void
  /** Told when a call of a watched breaker has settled. */
  settled(circuit: Circuit, now: number): void
}

/** What a breaker stands on: its plan, those who listen, and the registry it is in. Shared by all breakers of which all three are the same. */
export class Ground {
  constructor(
    readonly plan: Plan,
    readonly audience: Audience,
    readonly home: Home | null,
  ) {}
}

/** How closely a registry that is full looks at a breaker: not at all, until it is used, or it has been used since. */
export type Watch = 0 | 1 | 2

/**
 * One circuit: who may call, whose report counts, and the one place where its state changes.
 *
 * While closed it has no outage, so the closed path is one null test. Every transition begins an epoch, and a report from another epoch is
 * late: it changes nothing. A clock, a trip, a recovery timeout and an observer's `wanted` are the user's code and may call back into the
 * breaker, so each is asked before the state is read, or the epoch is compared after.
 *
 * Its fields are few because there may be a million of it (and a private method would add one).
 */
export class Circuit {
  #ground: Ground
  readonly #key: unknown
  #epoch = 0
  #outage: Outage | Override | null = null
  /** The trip's memory, made on first use. */
  #memory: unknown = undefined
  #trips = 0
  /** Calls admitted while closed that have not settled. */
  #inFlight = 0
  /** Those of them, or of the probes, that may still become slow; made on first use. */
  #flights: InFlight | null = null
  #watch: Watch = 0

  /** @internal */
  constructor(ground: Ground, key: unknown) {
    this.#ground = ground
    this.#key = key
  }

  /** As given; of a registry, the key as a string. */
  get name(): string | undefined {
    const key = this.#key
    if (key === undefined && this.#ground.home === null) return undefined
    try {
      return String(key)
    } catch {
      return 'unprintable key'
    }
  }

  /** Who takes a call or a command: after this one was forgotten, the registry's breaker of this key. @internal */
  owner(): Circuit {
    return this.#outage === FORGOTTEN ? this.#ground.home!.for(this.#key) : this
  }

  /** The state as all readers see it: of one reading of the clock. @internal */
  look(): { outage: Outage | Override | null; now: number; clock: SteadyClock } {
    const self = this.answerer()
    const { clock } = self.#ground.plan
    // The clock may call back, so it is read before the state. While closed nothing depends on it.
    const now = self.#outage === null ? NaN : clock.now()
    return { outage: self.#outage, now, clock }
  }

  /** @internal */
  describe(): Snapshot {
    // The clock may call back, so it is read before anything else. All breakers of a registry have the same.
    const at = this.#ground.plan.clock.now()
    const self = this.answerer()
    const { clock, trip } = self.#ground.plan
    const outage = self.#outage
    const { name } = self
    return {
      ...(name !== undefined && { name }),
      state: outage === null ? 'closed' : outage.stateAt(at),
      at,
      retryAfterMs: outage?.refusalAt(at) === undefined ? 0 : outage.patience(clock),
      trips: self.#trips,
      ...countsOf(trip, self.#memory, at),
      ...outage?.describe(at),
    }
  }

  /** Does what somebody decided by hand. @internal */
  command(next: Override | null, reason: string): void {
    const at = this.#ground.plan.clock.now()
    const self = this.owner()
    self.become(next, { to: next === null ? 'closed' : next.state, at, reason })
    deliver()
  }

  /** The wait of an outage that nothing has tripped. @internal */
  plainWait(): number {
    return waitOf(this.owner().#ground.plan.recoveryTimeout, 0, undefined)
  }

  /** @internal */
  listen(observer: Observer<never>): () => void {
    const self = this.owner()
    const { plan, audience, home } = self.#ground
    // On shared ground the registry's audience hears it: a breaker with listeners of its own moves to ground of its own.
    if (audience === home?.audience) self.#ground = new Ground(plan, new Audience(audience), home)
    const leave = self.#ground.audience.add(observer)
    home?.moved(self)
    return () => {
      leave()
      home?.moved(self)
    }
  }

  /** Admits a call on a circuit that is closed and times nothing: its epoch, or -1 where `admit` must decide. @internal */
  enter(): number {
    const { plan, audience } = this.#ground
    if (plan.seesSlowCalls || audience.hears(HEARS.durations) || this.#outage !== null) return -1
    this.#inFlight++
    if (this.#watch === 1) this.#watch = 2
    return this.#epoch
  }

  /** Admits a call, or refuses it: with the error to give to the caller if `explain`, else with nothing. Asked of the owner. @internal */
  admit(explain: boolean): Flight | CircuitOpenError | undefined {
    const { plan, audience } = this.#ground
    const timed = plan.seesSlowCalls || audience.hears(HEARS.durations)
    const now = this.tick()
    let outage = this.#outage
    if (outage !== null && outage.recovery === null && now >= outage.until) {
      this.become(outage, { to: 'half-open', at: now, reason: 'timeout-over' })
      // Who was asked whether it wants to hear this may have decided otherwise.
      outage = this.#outage
    }
    if (outage !== null) {
      const reason = outage.recovery === null ? outage.refusalAt(now) : outage.recovery.arrive(now)
      if (reason !== undefined) return this.refuse(outage, reason, explain)
    }
    const flight = new Flight(this.#epoch, timed ? now : NaN)
    if (plan.seesSlowCalls && outage !== DISABLED) (this.#flights ??= new InFlight(plan.slowCallDuration)).add(flight)
    if (outage === null) {
      this.#inFlight++
      if (this.#watch === 1) this.#watch = 2
    } else {
      outage.recovery?.take(flight, now)
    }
    deliver()
    return flight
  }

  /** Judges a call by what it returned. @internal */
  returned(epoch: number, flight: Flight | null, value: unknown): void {
    const { classifyResult } = this.#ground.plan
    this.report(epoch, flight, classifyResult === undefined || this.#outage === DISABLED ? 'success' : judge(classifyResult, value, 'success'), undefined)
  }

  /** Judges a call by what it threw. @internal */
  threw(epoch: number, flight: Flight | null, error: unknown, signal: AbortSignalLike | undefined): void {
    const { classifyError } = this.#ground.plan
    let verdict: Verdict = 'failure'
    if (isNoEvidence(error, signal)) verdict = 'ignored'
    else if (classifyError !== undefined && this.#outage !== DISABLED) verdict = judge(classifyError, error, 'failure')
    this.report(epoch, flight, verdict, error)
  }

  /** Takes the report on a call; tells whether it was in time. @internal */
  report(epoch: number, flight: Flight | null, verdict: Verdict, error: unknown): boolean {
    const { plan, audience, home } = this.#ground
    const now = plan.timesReports || (flight !== null && !Number.isNaN(flight.startedAt)) ? this.tick() : NaN
    const heard = audience.hears(HEARS.settled)
    const inTime = epoch === this.#epoch
    const slow = flight?.slow === true
    if (heard) this.tellSettled(flight, verdict, error, now, !inTime)
    if (inTime) {
      const outage = this.#outage
      if (!slow) this.#flights?.remove(flight!)
      if (outage === null) {
        this.#inFlight--
        if (verdict !== 'ignored') this.count(verdict, slow, now, error)
        if (this.#watch !== 0) home!.settled(this, now)
      } else if (outage.recovery !== null) {
        this.judgeProbe(outage, flight!, verdict, now, error)
      }
    } else {
      // Nobody asks its list any more, but those that still hang are linked to it.
      flight?.unlink()
    }
    deliver()
    return inTime
  }

  /** Of one that is closed: nothing to remember, nothing in flight, so not to be told from a new one. @internal */
  isBlank(now: number): boolean {
    return this.#inFlight === 0 && isFresh(this.#ground.plan.trip, this.#memory, now)
  }

  /** Does somebody listen to it alone, who would hear nothing of the next breaker of its key? @internal */
  get isObserved(): boolean {
    const { audience, home } = this.#ground
    return audience !== home!.audience && !audience.isEmpty
  }

  /** @internal */
  get key(): unknown {
    return this.#key
  }

  /** @internal */
  get isClosed(): boolean {
    return this.#outage === null
  }

  /** Of one that is not closed: is it past its wait, whether or not recovery has begun? @internal */
  isRecoverable(now: number): boolean {
    return now >= this.#outage!.until
  }

  /** @internal */
  get watch(): Watch {
    return this.#watch
  }

  /** @internal */
  set watch(watch: Watch) {
    this.#watch = watch
  }

  /** From now on the registry answers for this breaker. @internal */
  forget(): void {
    this.become(FORGOTTEN, undefined)
    this.#trips = 0
  }

  /** Who answers a question: the registry's breaker of this key, if this one was forgotten and there is one. @internal */
  private answerer(): Circuit {
    return this.#outage === FORGOTTEN ? (this.#ground.home!.get(this.#key) ?? this) : this
  }

  /** Reads the clock, and counts the calls that became slow since somebody looked last, each as if somebody had looked at that moment. @internal */
  private tick(): number {
    const { clock, trip } = this.#ground.plan
    const now = clock.now()
    for (;;) {
      // Read anew each time round: to open forgets the calls in flight.
      const slowAt = this.#flights?.takeSlow(now)
      if (slowAt === undefined) return now
      const outage = this.#outage
      if (outage === null) {
        // Stryker disable next-line StringLiteral: what is neither a success nor slow is folded as a failure
        const reason = this.remember(trip.slow === undefined ? 'failure' : 'slow', true, slowAt)
        if (reason !== undefined) this.open(slowAt, reason, undefined, 0, null)
      } else if (outage instanceof Outage && outage.recovery!.fail()) {
        this.open(slowAt, 'probe-failed', undefined, 0, outage)
      }
    }
  }

  /** Counts the outcome of a call that was admitted while closed. @internal */
  private count(verdict: Exclude<Verdict, 'ignored'>, slow: boolean, now: number, error: unknown): void {
    const epoch = this.#epoch
    // A trip without slow() took a slow call as a failure when it became slow; what it returns changes nothing more.
    const counted = slow && this.#ground.plan.trip.slow === undefined
    const reason = counted ? undefined : this.remember(verdict, slow, now)
    if (epoch !== this.#epoch) return
    if (typeof verdict === 'object') this.open(now, 'open-for', error, verdict.openFor, null)
    else if (reason !== undefined) this.open(now, reason, error, 0, null)
  }

  /** Folds one thing into the trip's memory; gives the reason to open now, if there is one. @internal */
  private remember(what: Exclude<Verdict, 'ignored'> | 'slow', slow: boolean, now: number): string | undefined {
    const { trip } = this.#ground.plan
    const epoch = this.#epoch
    const memory = fold(trip, this.#memory, what, slow, now)
    if (epoch !== this.#epoch) return undefined
    this.#memory = memory
    const reason = reasonToOpen(trip, memory, now)
    return epoch === this.#epoch ? reason : undefined
  }

  /** Hears a probe that is in time. @internal */
  private judgeProbe(outage: Outage, probe: Flight, verdict: Verdict, now: number, error: unknown): void {
    const recovery = outage.recovery!
    recovery.release(probe)
    if (typeof verdict === 'object') {
      if (!probe.slow) recovery.fail()
      this.open(now, 'open-for', error, verdict.openFor, outage)
    } else if (probe.slow || verdict === 'ignored') {
      // A slow probe has failed already, when it became slow.
    } else if (verdict === 'failure') {
      if (recovery.fail()) this.open(now, 'probe-failed', error, 0, outage)
    } else if (recovery.succeed(probe)) {
      const at = Number.isNaN(now) ? this.#ground.plan.clock.now() : now
      if (this.#outage === outage) this.become(null, { to: 'closed', at, reason: 'recovered', counts: recovery.counts })
    }
  }

  /** Opens at `at` (`NaN`: now), for the first time or, after a recovery that was lost, anew. @internal */
  private open(at: number, reason: string, error: unknown, openFor: number, lost: Outage | null): void {
    const { plan } = this.#ground
    const epoch = this.#epoch
    const relapses = lost === null ? 0 : lost.relapses + 1
    const counts = lost === null ? countsOf(plan.trip, this.#memory, at) : lost.recovery!.counts
    const wait = Math.max(openFor, waitOf(plan.recoveryTimeout, relapses, error))
    const trippedAt = Number.isNaN(at) ? plan.clock.now() : at
    if (epoch !== this.#epoch) return
    const evidence = lost === null ? { reason, ...counts } : lost.evidence
    this.become(new Outage(plan, trippedAt, wait, reason, error, relapses, evidence), { to: 'open', at: trippedAt, reason, counts })
  }

  /** @internal */
  private refuse(outage: Outage | Override, reason: RefusalReason, explain: boolean): CircuitOpenError | undefined {
    const { plan, audience } = this.#ground
    // Before anyone is asked: the clock that goes on meanwhile is not to take back that this call was refused.
    // Stryker disable next-line ConditionalExpression: what nobody is told need not be reckoned, and the time to do so is all it costs
    const retryAfterMs = explain || !audience.isDeafTo(HEARS.rejected) ? outage.patience(plan.clock) : 0
    if (audience.hears(HEARS.rejected)) audience.post('rejected', { name: this.#key, reason, retryAfterMs })
    deliver()
    return explain ? refusal(this.name, reason, retryAfterMs, outage.error) : undefined
  }

  /** @internal */
  private tellSettled(flight: Flight | null, verdict: Verdict, error: unknown, now: number, late: boolean): void {
    const outcome = this.#outage === DISABLED ? 'ignored' : typeof verdict === 'object' ? 'failure' : verdict
    const duration = flight === null ? NaN : now - flight.startedAt
    this.#ground.audience.post('settled', {
      name: this.#key,
      outcome,
      late,
      slow: flight?.slow === true,
      ...(duration >= 0 && { duration }),
      ...(error !== undefined && { error }),
    })
  }

  /** The one place where the state changes; it does not if those who are asked whether they want to hear of it have decided otherwise. @internal */
  private become(next: Outage | Override | null, change: Change | undefined): void {
    const { audience, home } = this.#ground
    const epoch = this.#epoch
    const heard = change !== undefined && audience.hears(HEARS.transition)
    if (epoch !== this.#epoch) return
    const was = this.#outage
    const from = was === null ? 'closed' : was.state
    this.#outage = next
    this.#epoch++
    this.#memory = undefined
    this.#inFlight = 0
    this.#flights = null
    this.#watch = 0
    if (change === undefined) return
    const { to, at, reason, counts } = change
    if (to === 'open') this.#trips++
    if (to === 'half-open' && next instanceof Outage) next.beginRecovery()
    home?.moved(this)
    if (from === to || !heard) return
    audience.post('transition', Object.freeze({ name: this.#key, from, to, at, reason, ...counts, ...(next?.figures ?? was?.figures) }))
  }
}

/** What is told of a change of state. */
interface Change {
  readonly to: State
  readonly at: number
  readonly reason: string
  readonly counts?: Counts
}
