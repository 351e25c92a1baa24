import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BreakerRegistry, CircuitBreaker, ManualClock, type Counts, type Trip } from '../../src/index.js'
import { chainOf, fail, ignore, succeed } from '../support/calls.js'

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each trip has a memory of its own kind
export type AnyTrip = Trip<any>

/** One thing that a trip is told, `wait` milliseconds after the one before. */
interface Told {
  readonly what: 'success' | 'failure' | 'slow success' | 'slow failure'
  readonly wait: number
}

const told: fc.Arbitrary<Told> = fc.record({
  what: fc.constantFrom<Told['what']>('success', 'failure', 'failure', 'slow success', 'slow failure'),
  wait: fc.oneof({ arbitrary: fc.integer({ min: 0, max: 300 }), weight: 8 }, { arbitrary: fc.constantFrom(0.25, 5_000, 2 ** 31), weight: 1 }),
})
const story = fc.array(told, { maxLength: 40 })

export interface TripSettings {
  /** Failures in a row after which it has opened for certain. */
  readonly failures: number
  readonly slowCallDuration?: number
}

/**
 * What every trip must keep, whoever wrote it, so that a breaker can be built on it.
 *
 * @param make - makes the trip anew
 * @param settings - how it is told to open, and what its breaker needs beside it
 */
export function tripLaws(name: string, make: () => AnyTrip, { failures, slowCallDuration }: TripSettings): void {
  const manual = (trip: AnyTrip) => {
    const clock = new ManualClock()
    return { clock, breaker: new CircuitBreaker({ trip, slowCallDuration, recoveryTimeout: 1_000, clock }) }
  }

  describe(`${name} keeps the laws of trips:`, () => {
    it('a memory that has seen nothing is no reason to open, and counts nothing', () => {
      const trip = make()
      expect(trip.trips(trip.fresh(), 0)).toBeUndefined()
      const { failures: none, calls = 0, slowCalls = 0 } = trip.counts(trip.fresh(), 0)
      expect([none, calls, slowCalls]).toEqual([0, 0, 0])
    })

    it('a story is told the same way each time', () => {
      fc.assert(
        fc.property(story, (events) => {
          expect(tell(make(), events)).toEqual(tell(make(), events))
        }),
      )
    })

    it('one trip serves many: a memory is touched by nothing that is folded into another', () => {
      fc.assert(
        fc.property(fc.array(story, { minLength: 2, maxLength: 4 }), fc.infiniteStream(fc.nat({ max: 3 })), (stories, turns) => {
          const trip = make()
          const tellers = stories.map((events) => new Teller(trip, events))
          let open = tellers.filter((teller) => !teller.isDone)
          while (open.length > 0) {
            open[turns.next().value! % open.length]!.next()
            open = open.filter((teller) => !teller.isDone)
          }
          expect(tellers.map((teller) => teller.heard)).toEqual(stories.map((events) => tell(make(), events)))
        }),
      )
    })

    it('asking changes nothing: neither trips() nor counts() moves what is asked next', () => {
      fc.assert(
        fc.property(story, fc.nat({ max: 3 }), (events, times) => {
          const asked = tell(make(), events, times)
          expect(asked.at(-1)).toEqual(tell(make(), events).at(-1))
          const trip = make()
          const memory = trip.fresh()
          expect(views(trip, memory, 0)).toEqual(views(trip, memory, 0))
        }),
      )
    })

    it('asking for a later moment does not forget what an earlier one still needs', () => {
      fc.assert(
        fc.property(story, (events) => {
          const teller = new Teller(make(), events)
          while (!teller.isDone) teller.next()
          const before = teller.view()
          teller.view(1e9)
          expect(teller.view()).toEqual(before)
        }),
      )
    })

    it('counts are finite, never negative, and never more failures than calls', () => {
      fc.assert(
        fc.property(story, (events) => {
          for (const { counts } of tell(make(), events)) {
            const { failures: failed, calls = Infinity, slowCalls = 0 } = counts
            expect(Number.isFinite(failed) && Number.isFinite(slowCalls)).toBe(true)
            expect(Math.min(failed, calls, slowCalls)).toBeGreaterThanOrEqual(0)
            expect(failed).toBeLessThanOrEqual(calls)
          }
        }),
      )
    })

    it('a reason is a word, or several joined by a plus, each once', () => {
      fc.assert(
        fc.property(story, (events) => {
          for (const { reason } of tell(make(), events)) {
            if (reason === undefined) continue
            const words = reason.split('+')
            expect(new Set(words).size).toBe(words.length)
            expect(words.every((word) => word.length > 0)).toBe(true)
          }
        }),
      )
    })

    it('success alone never opens', () => {
      const trip = make()
      let memory = trip.fresh()
      for (let n = 0; n < 500; n++) {
        memory = trip.success(memory, false, n)
        expect(trip.trips(memory, n)).toBeUndefined()
      }
    })

    if (!make().needsTime) {
      it('says that it needs no time, and is the same at any time', () => {
        fc.assert(
          fc.property(story, (events) => {
            const timeless = new Teller(make(), events, NaN)
            while (!timeless.isDone) timeless.next()
            expect(timeless.heard).toEqual(tell(make(), events))
          }),
        )
      })
    }

    if (!make().needsTime && slowCallDuration === undefined) {
      it('never makes the breaker read its clock while closed (law 1)', () => {
        let readings = 0
        const breaker = new CircuitBreaker({ trip: make(), clock: { now: () => ++readings } })
        const atFirst = readings
        succeed(breaker, 50)
        if (failures > 1) fail(breaker)
        succeed(breaker, 50)
        expect([breaker.state, readings]).toEqual(['closed', atFirst])
      })
    }

    it('opens a breaker once, for its own reason, and with the counts that it had', () => {
      const { breaker } = manual(make())
      const chain = chainOf(breaker)
      const reasons: string[] = []
      const counted: unknown[] = []
      breaker.observe({
        transition: ({ reason, failures: failed, calls }) => {
          reasons.push(reason)
          counted.push(failed, calls)
        },
      })
      const teller = new Teller(
        make(),
        Array.from({ length: failures }, (): Told => ({ what: 'failure', wait: 0 })),
      )
      for (let n = 0; n < failures && breaker.state === 'closed'; n++) {
        breaker.acquire().failure()
        teller.next()
      }
      const { reason, counts } = teller.heard.at(-1)!
      expect({ chain, reasons, counted }).toEqual({ chain: ['closed>open'], reasons: [reason], counted: [counts.failures, counts.calls] })
    })

    it('is remembered by nobody over an outage (law 9)', () => {
      const { breaker, clock } = manual(make())
      const { failures: none, calls } = breaker.snapshot()
      for (let n = 0; n < failures; n++) breaker.tryAcquire()?.failure()
      expect(breaker.snapshot()).toMatchObject({ state: 'open', failures: none })
      clock.advance(1_000)
      breaker.acquire().success()
      expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: none })
      expect(breaker.snapshot().calls).toBe(calls)
    })

    it('makes no memory for a breaker that has judged nothing', () => {
      const trip = make()
      let made = 0
      const counting: AnyTrip = { ...trip, fresh: () => (made++, trip.fresh() as unknown) }
      const registry = new BreakerRegistry<number>({ trip: counting, slowCallDuration, clock: new ManualClock() })
      for (let key = 0; key < 100; key++) ignore(registry.for(key))
      expect(made).toBe(0)
      registry.for(0).acquire().success()
      registry.for(0).acquire().success()
      expect(made).toBe(1)
    })

    it('is shared by breakers that know nothing of each other', () => {
      const trip = make()
      const [ill, well] = [manual(trip).breaker, manual(trip).breaker]
      for (let n = 0; n < failures; n++) {
        ill.tryAcquire()?.failure()
        well.acquire().success()
      }
      expect([ill.state, well.state, well.snapshot().failures]).toEqual(['open', 'closed', 0])
    })
  })
}

interface View {
  readonly reason: string | undefined
  readonly counts: Counts
}

function views(trip: AnyTrip, memory: unknown, now: number): View {
  return { reason: trip.trips(memory, now), counts: { ...trip.counts(memory, now) } }
}

/** Folds a story into a memory, one event at a time, and notes what the trip says after each. */
class Teller {
  readonly heard: View[] = []
  #memory: unknown
  #told = 0
  #now: number

  constructor(
    readonly trip: AnyTrip,
    readonly events: readonly Told[],
    start = 0,
  ) {
    this.#memory = trip.fresh()
    this.#now = start
  }

  get isDone(): boolean {
    return this.#told === this.events.length
  }

  view(later = 0): View {
    return views(this.trip, this.#memory, this.#now + later)
  }

  next(): void {
    const event = this.events[this.#told++]!
    this.#now += event.wait
    this.#memory = fold(this.trip, this.#memory, event.what, this.#now)
    this.heard.push(this.view())
  }
}

/** As a breaker tells it: a slow call once when it becomes slow, and, if the trip weighs slow calls, once when it settles. */
function fold(trip: AnyTrip, memory: unknown, what: Told['what'], now: number): unknown {
  if (what === 'success') return trip.success(memory, false, now) as unknown
  if (what === 'failure') return trip.failure(memory, false, now) as unknown
  if (trip.slow === undefined) return trip.failure(memory, true, now) as unknown
  const slower: unknown = trip.slow(memory, now)
  return (what === 'slow success' ? trip.success(slower, true, now) : trip.failure(slower, true, now)) as unknown
}

function tell(trip: AnyTrip, events: readonly Told[], asks = 0): View[] {
  const teller = new Teller(trip, events)
  while (!teller.isDone) {
    teller.next()
    for (let n = 0; n < asks; n++) teller.view()
  }
  return teller.heard
}
