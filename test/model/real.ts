import {
  CircuitBreaker,
  ManualClock,
  consecutiveFailures,
  failureRate,
  gradual,
  probes,
  singleProbe,
  type CircuitBreakerOptions,
  type Permit,
  type Recovery,
  type Rejected,
  type Settled,
  type Transition,
  type Verdict,
} from '../../src/index.js'
import { type ModelOptions, type PhaseOptions, type TripOptions, single } from './options.js'
import { type Outcome, type Refusal } from './state.js'

/** What an error or a value says about itself: the classifiers of the breaker believe it. */
interface Judged {
  readonly verdict: Verdict
}

const isJudged = (value: unknown): value is Judged => typeof value === 'object' && value !== null && 'verdict' in value

/** An error as the downstream would throw it, that knows how it wants to be judged. */
class Reported extends Error {
  constructor(readonly verdict: Verdict) {
    super('the downstream failed')
  }
}

/** A call that was admitted: by a permit, or by `execute`, whose function has not returned yet. */
interface InFlight {
  settle(outcome: Outcome, openFor?: number): boolean | undefined
  /** Resolves when the caller of `execute` has its answer. */
  readonly done?: Promise<unknown>
}

/** Whether a call was admitted, and if not, why not. */
export type Asked = { readonly admitted: true } | { readonly admitted: false; readonly refusal?: Refusal; readonly retryAfterMs?: number }

/** The library's breaker under test, with its clock, the calls in flight and everything it told. */
export class Real {
  readonly clock = new ManualClock()
  readonly breaker: CircuitBreaker
  readonly transitions: Transition[] = []
  #settled: Settled[] = []
  #rejected: Rejected[] = []
  readonly #observed: 'transitions' | 'everything'
  readonly #calls = new Map<number, InFlight>()

  constructor(options: ModelOptions, { observed = 'transitions' }: { observed?: 'transitions' | 'everything' } = {}) {
    this.breaker = new CircuitBreaker({ ...optionsOf(options), clock: this.clock })
    this.breaker.observe({ transition: (event) => void this.transitions.push(event) })
    this.#observed = observed
    if (observed === 'everything') {
      this.breaker.observe({
        settled: (event) => void this.#settled.push(event),
        rejected: (event) => void this.#rejected.push(event),
      })
    }
  }

  /** Of settled calls exactly these were told since the last time. */
  expectSettled(...expected: readonly Pick<Settled, 'outcome' | 'late' | 'slow' | 'duration'>[]): void {
    const told = this.#settled.map(({ outcome, late, slow, duration }) => ({ outcome, late, slow, duration }))
    this.#settled = []
    this.#expectTold('settled', told, expected)
  }

  /** Of refusals exactly these were told since the last time. */
  expectRejected(expected: readonly Pick<Rejected, 'reason' | 'retryAfterMs'>[]): void {
    const told = this.#rejected.map(({ reason, retryAfterMs }) => ({ reason, retryAfterMs }))
    this.#rejected = []
    this.#expectTold('rejected', told, expected)
  }

  #expectTold(what: string, told: readonly object[], expected: readonly object[]): void {
    if (this.#observed === 'transitions' || JSON.stringify(told) === JSON.stringify(expected)) return
    throw new Error(`told of ${what}: ${JSON.stringify(told)}, must be ${JSON.stringify(expected)}`)
  }

  /** Asks for a permit, and builds nothing when refused. */
  tryStart(id: number): boolean {
    const permit = this.breaker.tryAcquire()
    if (permit !== undefined) this.#calls.set(id, { settle: (outcome, openFor) => report(permit, outcome, openFor) })
    return permit !== undefined
  }

  /** Asks for a permit, and is told why not. */
  start(id: number): Asked {
    try {
      const permit = this.breaker.acquire()
      this.#calls.set(id, { settle: (outcome, openFor) => report(permit, outcome, openFor) })
      return { admitted: true }
    } catch (error) {
      return refusalOf(error)
    }
  }

  /** Calls through `execute`; the function returns when the call is settled. */
  async execute(id: number): Promise<Asked> {
    let settle: InFlight['settle'] | undefined
    const done = this.breaker.execute(
      () =>
        new Promise<unknown>((resolve, reject) => {
          settle = (outcome, openFor) => {
            if (outcome === 'failure') reject(new Reported(openFor === undefined ? 'failure' : { openFor }))
            else resolve({ verdict: outcome } satisfies Judged)
            return undefined
          }
        }),
    )
    if (settle === undefined) {
      return done.then(
        () => {
          throw new Error('execute resolved, but its function was not called')
        },
        (error: unknown) => refusalOf(error),
      )
    }
    done.catch(() => {})
    this.#calls.set(id, { settle, done })
    return { admitted: true }
  }

  /** Settles a call; a permit says whether it was the first report and in time, `execute` does not. */
  settle(id: number, outcome: Outcome, openFor?: number): boolean | undefined {
    return this.#calls.get(id)!.settle(outcome, openFor)
  }

  /** When the caller of `execute` has its answer, the breaker has had it too. */
  async answered(id: number): Promise<void> {
    await this.#calls.get(id)?.done?.catch(() => {})
  }

  /** A step back of the clock that somebody sees, on both sides of it; what nobody sees has not happened (law 2). */
  stepBack(ms: number): void {
    this.breaker.snapshot()
    this.clock.advance(-ms)
    this.breaker.snapshot()
  }
}

const failed = new Reported('failure')

function report(permit: Permit, outcome: Outcome, openFor?: number): boolean {
  if (outcome === 'success') return permit.success()
  if (outcome === 'ignored') return permit.ignore()
  return permit.failure(failed, openFor === undefined ? undefined : { openFor })
}

function refusalOf(error: unknown): Asked {
  const { code, reason, retryAfterMs } = error as { code: unknown; reason: Refusal; retryAfterMs: number }
  if (code !== 'ERR_CIRCUIT_OPEN') throw error
  return { admitted: false, refusal: reason, retryAfterMs }
}

/** Policies own no state, so that one set of options serves every breaker of a run. */
const optionsOf = (options: ModelOptions): CircuitBreakerOptions => {
  const known = made.get(options) ?? makeOptions(options)
  made.set(options, known)
  return known
}

const made = new WeakMap<ModelOptions, CircuitBreakerOptions>()

function makeOptions({ trip, slowCallDuration, recoveryTimeout, phases, probeTimeout }: ModelOptions): CircuitBreakerOptions {
  return {
    trip: tripOf(trip),
    slowCallDuration,
    recoveryTimeout: typeof recoveryTimeout === 'number' ? recoveryTimeout : ({ relapses }) => recoveryTimeout(relapses),
    recovery: recoveryOf(phases),
    probeTimeout,
    classifyError: (error) => (isJudged(error) ? error.verdict : 'failure'),
    classifyResult: (value) => (isJudged(value) ? value.verdict : 'success'),
  }
}

function tripOf(trip: TripOptions): CircuitBreakerOptions['trip'] {
  if (trip.kind === 'consecutive') return consecutiveFailures(trip.threshold)
  const { rate, minimumCalls, slowCallRate, window } = trip
  return failureRate({ rate, minimumCalls, slowCallRate, window })
}

/** The shortest way to say it, so that each of the three ways is used. */
function recoveryOf(phases: readonly PhaseOptions[]): Recovery {
  const [first] = phases
  if (first !== undefined && phases.length === 1 && first.maxGap === single.maxGap && first.ratio === 1 && first.maxFailures === 0) {
    const { maxConcurrent, successThreshold } = first
    if (maxConcurrent === 1 && successThreshold === 1) return singleProbe()
    if (Number.isFinite(maxConcurrent)) return probes({ maxConcurrent, successThreshold })
  }
  return gradual(phases.map(({ maxConcurrent, ...phase }) => ({ ...phase, maxConcurrent: Number.isFinite(maxConcurrent) ? maxConcurrent : undefined })))
}
