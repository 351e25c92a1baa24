import { describe, expect, it } from 'vitest'
import { Flight, InFlight } from '../src/in-flight.js'

describe('calls in flight, in start order (law 10)', () => {
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
})
