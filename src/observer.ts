import { checkBoolean, checkFunction, checkObject } from './check.js'
import type { RefusalReason } from './errors.js'
import { defuse, warn, warnNonsense, warnThrown } from './warn.js'

/** What a breaker is to its callers. An `'open'` one whose wait is over is `'half-open'`, whether or not somebody has called since. */
export type State = 'closed' | 'open' | 'half-open' | 'forced-open' | 'disabled'

/** A change of state, with the numbers that caused it. Frozen. */
export interface Transition<Name = unknown> {
  /** The breaker's name; in a registry, the key itself. */
  readonly name: Name
  readonly from: State
  readonly to: State
  /** When: milliseconds of the breaker's clock, of which only differences mean something. */
  readonly at: number
  /** `'consecutive-failures'`, `'failure-rate'`, `'slow-call-rate'` (several joined by `+`), a trip's own, `'open-for'`, `'probe-failed'`, `'timeout-over'`, `'recovered'`, `'forced-open'`, `'disabled'` or `'reset'`. */
  readonly reason: string
  /** Leaving closed: what the trip had counted. Leaving half-open: of the running phase. */
  readonly failures?: number
  readonly calls?: number
  readonly slowCalls?: number
  /** When the outage that begins, goes on or ends was opened last, by the same clock as `at`. */
  readonly trippedAt?: number
  /** Milliseconds that this outage stays open, from `trippedAt`. */
  readonly recoveryTimeout?: number
  /** Recoveries of this outage tried and lost. */
  readonly relapses?: number
  /** The error that tripped it, the object itself. */
  readonly error?: unknown
}

/** A call that was admitted has been judged. */
export interface Settled<Name = unknown> {
  /** The breaker's name; in a registry, the key itself. */
  readonly name: Name
  /** What the call was taken for; a verdict `{ openFor }` is a failure. */
  readonly outcome: 'success' | 'failure' | 'ignored'
  /** Admitted before the last change of state: it changed nothing. */
  readonly late: boolean
  /** It had taken `slowCallDuration` when the breaker looked, and has counted as slow. False without that option. */
  readonly slow: boolean
  /** Milliseconds; present if an observer asked for `durations`, or if calls are timed anyway. */
  readonly duration?: number
  /** What the call threw, or was reported with: the object itself. */
  readonly error?: unknown
}

/** A call was refused. */
export interface Rejected<Name = unknown> {
  /** The breaker's name; in a registry, the key itself. */
  readonly name: Name
  readonly reason: RefusalReason
  /** Milliseconds, above 0, may be fractional, after which a call is not refused for being early; for a timer use `Math.ceil(ms) + 1`. */
  readonly retryAfterMs: number
}

/** Taken as a method is, so that a listener to events of a narrower name may be given. */
type Listener<Event> = { hear(event: Event): void }['hear']

/**
 * Told of what has happened, after it has: nothing that a listener does or throws changes what a caller gets. What it does to the
 * breaker takes effect at once; events of that come after the current one.
 */
export interface Observer<Name = unknown> {
  readonly transition?: Listener<Transition<Name>> | undefined
  readonly settled?: Listener<Settled<Name>> | undefined
  readonly rejected?: Listener<Rejected<Name>> | undefined
  /** Ask for `duration` in `settled`; it makes the breaker read its clock twice per call. Default false. */
  readonly durations?: boolean | undefined
  /** Asked before an event is built: does anybody want it now? For those who pass events on, and may have nobody to pass them to. What throws or gives something else wants nothing. Default: always. */
  readonly wanted?: (() => boolean) | undefined
}

/** What can be heard, as bits, so that a call nobody listens to pays one test. */
export const HEARS = { transition: 1, settled: 2, rejected: 4, durations: 8 } as const
type Kind = Exclude<keyof typeof HEARS, 'durations'>
const KINDS = ['transition', 'settled', 'rejected'] as const

interface Seat {
  readonly observer: Observer<never>
  /** What it listens to; nothing any more once it has left. */
  heard: number
}

/** Those who listen to one breaker, or to all of a registry. */
export class Audience {
  readonly #parent: Audience | null
  #seats: readonly Seat[] = []
  /** What any of them listens to. */
  #heard = 0

  /** @param parent - an audience that hears all that this one does */
  constructor(parent: Audience | null = null) {
    this.#parent = parent
  }

  /** Has it listeners of its own? */
  get isEmpty(): boolean {
    return this.#seats.length === 0
  }

  /** Is there surely nobody who hears this? Asks nobody. */
  isDeafTo(what: number): boolean {
    return (this.#heard & what) === 0 && this.#parent === null
  }

  /** Does anybody listen to this, or ask for durations? */
  hears(what: number): boolean {
    // Small enough to be inlined: this is what a call pays where nobody listens.
    // Stryker disable next-line ConditionalExpression: to look for one who hears finds the same, in more time
    return this.isDeafTo(what) ? false : this.#isHeard(what)
  }

  #isHeard(what: number): boolean {
    for (const seat of this.#seats) if ((seat.heard & what) !== 0 && isWanted(seat.observer)) return true
    return this.#parent?.hears(what) ?? false
  }

  /** @throws TypeError if `observer` is not one */
  add(observer: Observer<never>): () => void {
    const { durations = false } = checkObject('observe', observer, [...KINDS, 'durations', 'wanted'], 'listener')
    if (observer.wanted !== undefined) checkFunction('wanted', observer.wanted)
    const seat = { observer, heard: checkBoolean('durations', durations) ? HEARS.durations : 0 }
    for (const kind of KINDS) {
      if (observer[kind] === undefined) continue
      checkFunction(kind, observer[kind])
      seat.heard |= HEARS[kind]
    }
    this.#seat([...this.#seats, seat])
    return () => {
      seat.heard = 0
      this.#seat(this.#seats.filter((other) => other !== seat))
    }
  }

  /** Keeps `event` for all who listen now. It is told by `deliver`, when the state is final. */
  post(kind: Kind, event: object): void {
    this.#parent?.post(kind, event)
    outbox.push({ seats: this.#seats, kind, event, depth })
  }

  #seat(seats: readonly Seat[]): void {
    this.#seats = seats
    this.#heard = seats.reduce((all, { heard }) => all | heard, 0)
  }
}

function isWanted(observer: Observer<never>): boolean {
  if (observer.wanted === undefined) return true
  try {
    const wanted: unknown = observer.wanted()
    if (typeof wanted === 'boolean') return wanted
    warnNonsense('wanted', wanted, 'true or false', 'false is taken')
  } catch (error) {
    warnThrown('wanted', error)
  }
  return false
}

/**
 * What a listener causes is told, however much it is: it may reset a million breakers. But of what took more than so many listeners in a
 * row, only so much is told at once: there one goes on causing what it listens to.
 */
const DEEP = 3
const MOST_OF_DEEP = 10_000

interface Entry {
  readonly seats: readonly Seat[]
  readonly kind: Kind
  readonly event: object
  /** How many listeners it took, one after the other, to cause it. */
  readonly depth: number
}

// One queue for all breakers: events are told in the order in which they happened, also those that a listener causes elsewhere.
const outbox: Entry[] = []
/** Of what happens now; above 0 while events are told. */
let depth = 0

/** Tells what was posted. Called within a delivery it leaves that to the one under way. */
export function deliver(): void {
  // Stryker disable next-line ConditionalExpression: to deliver nothing does nothing, in more time
  if (outbox.length !== 0 && depth === 0) deliverAll()
}

function deliverAll(): void {
  try {
    let deep = 0
    // Those that a listener causes come after all that happened before, so none is less deep than the one before it.
    for (const entry of outbox) {
      if (entry.depth > DEEP && ++deep > MOST_OF_DEEP) {
        warn('a listener goes on causing what it listens to; the rest is not told')
        break
      }
      depth = entry.depth + 1
      for (const seat of entry.seats) tell(seat, entry.kind, entry.event)
    }
  } finally {
    outbox.length = 0
    depth = 0
  }
}

function tell({ heard, observer }: Seat, kind: Kind, event: object): void {
  if ((heard & HEARS[kind]) === 0 || !isWanted(observer)) return
  try {
    defuse(`a listener to ${kind}`, observer[kind]?.(event as never))
  } catch (error) {
    warnThrown(`a listener to ${kind}`, error)
  }
}
