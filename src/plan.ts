import { checkCount, checkFunction, checkMs, checkObject, checkPositiveMs, checkReading, contradiction } from './check.js'
import { SteadyClock, systemClock, type Clock } from './clock.js'
import { checkPhases, type FullPhase, type Recovery } from './recovery/phase.js'
import { singleProbe } from './recovery/single-probe.js'
import { DEFAULT_RECOVERY_TIMEOUT, type RecoveryTimeout } from './recovery-timeout.js'
import { consecutiveFailures } from './trip/consecutive-failures.js'
import { checkTrip, type AnyTrip } from './trip/trip.js'
import type { Classify } from './verdict.js'

/** The options that a breaker and a registry share. `undefined` means the default; anything else is checked, never repaired. */
export interface SharedOptions {
  /** Consecutive failures that trip; short for `trip: consecutiveFailures(n)`. Default 5. */
  readonly failureThreshold?: number | undefined
  /** When to open. Default `consecutiveFailures(5)`. */
  readonly trip?: AnyTrip | undefined
  /** Milliseconds, above 0: a call that takes at least this long is slow, whether or not it has returned. Default: none is. */
  readonly slowCallDuration?: number | undefined
  /** How long to stay open, in milliseconds (0 or more), or what to ask once per trip. Default 30,000. */
  readonly recoveryTimeout?: RecoveryTimeout | undefined
  /** Who may call while half-open, and when to close. Default `singleProbe()`. */
  readonly recovery?: Recovery | undefined
  /** Milliseconds, above 0, after which an unsettled probe gives its place to the next caller; it cancels nothing. Default 30,000. */
  readonly probeTimeout?: number | undefined
  /** What an error says about the host; not asked about refusals and calls that their caller gave up. Default `'failure'`. */
  readonly classifyError?: Classify<unknown> | undefined
  /** What a result says about the host. Default `'success'`. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a classifier of one type of result may be given to a breaker of many
  readonly classifyResult?: Classify<any> | undefined
  /** Default `performance.now()`, looked up at each call. */
  readonly clock?: Clock | undefined
}

const SHARED = ['failureThreshold', 'trip', 'slowCallDuration', 'recoveryTimeout', 'recovery', 'probeTimeout', 'classifyError', 'classifyResult', 'clock'] as const

/** The options with every choice made, checked once and frozen; shared by all breakers that are made from them. */
export interface Plan {
  readonly trip: AnyTrip
  /** `Infinity` if no call is slow. */
  readonly slowCallDuration: number
  /** Must calls be timed, to see those that hang? */
  readonly seesSlowCalls: boolean
  /** Must the clock be read for the report on a call that was not timed? */
  readonly timesReports: boolean
  readonly recoveryTimeout: RecoveryTimeout
  readonly phases: readonly FullPhase[]
  readonly probeTimeout: number
  readonly classifyError: ((error: unknown) => unknown) | undefined
  readonly classifyResult: ((value: unknown) => unknown) | undefined
  readonly clock: SteadyClock
}

/** Refuses options whose names are neither shared ones nor among `own`. */
export function checkNames<T extends object>(options: T, own: readonly string[]): T {
  return checkObject('options', options, [...own, ...SHARED])
}

/** The shared ones, each read once: neither the caller's object is kept nor what else is in it. */
export function copyShared(options: SharedOptions): SharedOptions {
  return Object.fromEntries(SHARED.map((name) => [name, options[name]]))
}

/**
 * One key's options laid over a registry's. `undefined` leaves what the registry says; of `trip` and `failureThreshold` either replaces
 * both.
 */
export function overlay(base: SharedOptions, over: Omit<SharedOptions, 'clock'>): SharedOptions {
  const known = SHARED.filter((name) => name !== 'clock')
  const said = Object.entries(checkObject('options', over, known)).filter(([, value]: [string, unknown]) => value !== undefined)
  const { trip, failureThreshold, ...rest } = base
  return { ...(over.trip === undefined && over.failureThreshold === undefined && { trip, failureThreshold }), ...rest, ...Object.fromEntries(said) }
}

/**
 * @param clock - a clock that is shared with other plans, in place of the one of the options
 * @throws TypeError or RangeError naming the option, the rule and the value got
 */
export function makePlan(options: SharedOptions, clock?: SteadyClock): Plan {
  const { failureThreshold, trip, slowCallDuration, recoveryTimeout = DEFAULT_RECOVERY_TIMEOUT, recovery = singleProbe(), probeTimeout = 30_000 } = options
  const { classifyError, classifyResult, clock: source = systemClock } = options
  if (failureThreshold !== undefined && trip !== undefined) contradiction('failureThreshold: it is short for trip: consecutiveFailures(n); give one of them, not both')
  const chosen = trip === undefined ? consecutiveFailures(failureThreshold === undefined ? 5 : checkCount('failureThreshold', failureThreshold)) : checkTrip('trip', trip)
  if (slowCallDuration !== undefined) checkPositiveMs('slowCallDuration', slowCallDuration)
  else if (chosen.slow !== undefined) contradiction('slowCallDuration: expected a number, since the trip weighs slow calls (slowCallRate), got undefined')
  if (typeof recoveryTimeout !== 'function') checkMs('recoveryTimeout', recoveryTimeout)
  if (classifyError !== undefined) checkFunction('classifyError', classifyError)
  if (classifyResult !== undefined) checkFunction('classifyResult', classifyResult)
  return Object.freeze<Plan>({
    trip: chosen,
    slowCallDuration: slowCallDuration ?? Infinity,
    seesSlowCalls: slowCallDuration !== undefined,
    timesReports: chosen.needsTime,
    recoveryTimeout,
    phases: checkPhases('recovery', recovery),
    probeTimeout: checkPositiveMs('probeTimeout', probeTimeout),
    classifyError,
    classifyResult,
    clock: clock ?? steady(source),
  })
}

function steady(clock: Clock): SteadyClock {
  checkFunction('clock.now', (clock as Partial<Clock> | null)?.now)
  return new SteadyClock(clock, checkReading('clock.now()', clock.now()))
}
