import { describe, expect, it } from 'vitest'
import { Circuit, Ground } from '../src/breaker.js'
import { ManualClock } from '../src/clock.js'
import { Flight, InFlight } from '../src/in-flight.js'
import { Audience } from '../src/observer.js'
import { makePlan } from '../src/plan.js'

describe('calls in flight, in start order (law 10)', () => {
  it('cost one look at one of them, however many they are, and one more for each that became slow', () => {
    let looks = 0
    const watched = () => Object.defineProperty(new Flight(0, 0), 'startedAt', { get: () => (looks++, 0) })
    const inFlight = new InFlight(100)
    for (let n = 0; n < 1_000; n++) inFlight.add(watched())
    for (let now = 0; now < 100; now++) inFlight.takeSlow(now)
    expect(looks).toBe(100)
    for (let n = 0; n < 1_000; n++) expect(inFlight.takeSlow(100)).toBe(100)
    expect(looks).toBe(1_100)
  })

  it('become slow oldest first, each once, at its own moment', () => {
    const inFlight = new InFlight(100)
    for (const startedAt of [0, 30, 60]) inFlight.add(new Flight(0, startedAt))
    expect(inFlight.takeSlow(99)).toBeUndefined()
    expect(inFlight.takeSlow(145)).toBe(100)
    expect(inFlight.takeSlow(145)).toBe(130)
    expect(inFlight.takeSlow(145)).toBeUndefined()
    expect(inFlight.takeSlow(160)).toBe(160)
    expect(inFlight.takeSlow(1e15)).toBeUndefined()
  })

  it.each([0, 1, 2, 3])('forget the one that settles, wherever it stands (%i of 4)', (which) => {
    const inFlight = new InFlight(100)
    const flights = [0, 1, 2, 3].map((startedAt) => new Flight(0, startedAt))
    for (const flight of flights) inFlight.add(flight)
    inFlight.remove(flights[which]!)
    const slow: (number | undefined)[] = []
    for (let at = inFlight.takeSlow(1e3); at !== undefined; at = inFlight.takeSlow(1e3)) slow.push(at)
    expect(slow).toEqual([100, 101, 102, 103].filter((at) => at !== 100 + which))
  })

  it('are not kept alive by one that hangs: it holds on to nobody', () => {
    const inFlight = new InFlight(100)
    const [hanging, next] = [new Flight(0, 0), new Flight(0, 1)]
    inFlight.add(hanging)
    inFlight.add(next)
    inFlight.takeSlow(100)
    inFlight.remove(next)
    expect([hanging.next, hanging.previous, next.next, next.previous]).toEqual([null, null, null, null])
  })

  it('are not kept alive by it either, if they are late, for the circuit opened meanwhile', () => {
    const circuit = new Circuit(new Ground(makePlan({ failureThreshold: 1, slowCallDuration: 100, clock: new ManualClock() }), new Audience(), null), 'a')
    const [hanging, failing, late, last] = Array.from({ length: 4 }, () => circuit.admit(false) as Flight) as [Flight, Flight, Flight, Flight]
    circuit.report(failing.epoch, failing, 'failure', undefined)
    for (const flight of [late, last]) expect(circuit.report(flight.epoch, flight, 'success', undefined)).toBe(false)
    expect([late.next, late.previous, last.next, last.previous]).toEqual([null, null, null, null])
    // Only the next one can still hang on to it.
    expect(hanging.next).toBe(late)
  })
})
