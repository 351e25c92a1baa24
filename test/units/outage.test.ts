import { describe, expect, it } from 'vitest'
import { gradual, probes, type Transition } from '../../src/index.js'
import { fail, succeed, tripped } from '../support/calls.js'

describe('what an outage tells of itself', () => {
  it('has an error only if there was one: neither a snapshot nor an event has an empty one (law 15)', () => {
    const { breaker, clock } = tripped()
    expect(breaker.snapshot().error).toMatchObject({ message: 'the downstream failed' })
    const events: Transition[] = []
    breaker.observe({ transition: (event) => void events.push(event) })
    clock.advance(1_000)
    breaker.acquire().failure()
    expect(Object.keys(breaker.snapshot())).not.toContain('error')
    expect(events.map((event) => 'error' in event)).toEqual([true, false])
  })

  it('keeps the numbers that began it, through every relapse (law 16)', () => {
    const { breaker, clock } = tripped()
    const evidence = { reason: 'consecutive-failures', failures: 1 }
    expect(breaker.snapshot().evidence).toEqual(evidence)
    clock.advance(1_000)
    fail(breaker)
    expect(breaker.snapshot()).toMatchObject({ reason: 'probe-failed', relapses: 1, failures: 0 })
    expect(breaker.snapshot().evidence).toEqual(evidence)
  })

  it('hands out a copy of those numbers, which nobody can change (law 15)', () => {
    const { breaker } = tripped()
    Object.assign(breaker.snapshot().evidence!, { failures: 99 })
    expect(breaker.snapshot().evidence).toMatchObject({ failures: 1 })
  })

  it('shows a bound on its places only where there is one (law 15)', () => {
    const bounded = tripped({ recovery: probes({ maxConcurrent: 4 }) })
    const unbounded = tripped({ recovery: gradual() })
    for (const { clock } of [bounded, unbounded]) clock.advance(1_000)
    expect(bounded.breaker.snapshot().phase).toStrictEqual({ index: 0, ratio: 1, maxConcurrent: 4, inFlight: 0, successes: 0, successThreshold: 2 })
    expect(unbounded.breaker.snapshot().phase).toStrictEqual({ index: 0, ratio: 0.1, inFlight: 0, successes: 0, successThreshold: 5 })
  })

  it('counts the probes of the phase that ended it, well or not (law 14)', () => {
    const recovery = [{ ratio: 1, successThreshold: 3, maxFailures: 1 }]
    const { breaker, clock } = tripped({ recovery })
    const events: Transition[] = []
    breaker.observe({ transition: (event) => void events.push(event) })
    clock.advance(1_000)
    succeed(breaker)
    fail(breaker, 2)
    clock.advance(1_000)
    fail(breaker)
    succeed(breaker, 3)
    expect(events.map(({ to, reason, failures, calls }) => [to, reason, failures, calls])).toEqual([
      ['half-open', 'timeout-over', undefined, undefined],
      ['open', 'probe-failed', 2, 3],
      ['half-open', 'timeout-over', undefined, undefined],
      ['closed', 'recovered', 1, 4],
    ])
  })
})

describe('how long a call refused by a recovery is told to wait', () => {
  it('is until a place is free, where every call has a share: the gap is no concern of it (law 1)', () => {
    const { breaker, clock } = tripped({ recovery: probes({ maxConcurrent: 1 }), probeTimeout: 500 })
    clock.advance(1_000)
    breaker.acquire()
    clock.advance(200)
    expect(breaker.retryAfterMs).toBe(300)
  })

  it('is until the gap is over, where its share is not yet due (law 13)', () => {
    const { breaker, clock } = tripped({ recovery: [{ ratio: 0.5, successThreshold: 9, maxGap: 800 }] })
    clock.advance(1_000)
    succeed(breaker)
    clock.advance(300)
    expect(breaker.retryAfterMs).toBe(500)
    clock.advance(499)
    expect(breaker.canExecute).toBe(false)
    clock.advance(1)
    expect(breaker.retryAfterMs).toBe(0)
    expect(breaker.tryAcquire()).toBeDefined()
    expect(breaker.tryAcquire()).toBeUndefined()
  })

  it('is the longer of the two, where neither share nor place is to be had', () => {
    const { breaker, clock } = tripped({ recovery: [{ ratio: 0.5, successThreshold: 9, maxGap: 300, maxConcurrent: 1 }], probeTimeout: 700 })
    clock.advance(1_000)
    breaker.acquire()
    expect(breaker.retryAfterMs).toBe(700)
    clock.advance(650)
    expect(breaker.retryAfterMs).toBe(50)
  })

  it('is until so many have lost their places that one is free, where a phase has fewer than the one before (law 12)', () => {
    const recovery = [
      { ratio: 1, successThreshold: 1, maxConcurrent: 3 },
      { ratio: 1, successThreshold: 1, maxConcurrent: 1 },
    ]
    const { breaker, clock } = tripped({ recovery, probeTimeout: 500 })
    clock.advance(1_000)
    breaker.acquire()
    clock.advance(100)
    breaker.acquire()
    clock.advance(100)
    succeed(breaker)
    expect(breaker.snapshot().phase).toMatchObject({ index: 1, inFlight: 2 })
    expect(breaker.retryAfterMs).toBe(400)
    clock.advance(300)
    expect(breaker.tryAcquire()).toBeUndefined()
    clock.advance(100)
    expect(breaker.tryAcquire()).toBeDefined()
    expect(breaker.snapshot().phase).toMatchObject({ inFlight: 1 })
  })
})

describe('a ramp', () => {
  it('whose calls found no place admits the first that finds one once the gap is over, and counts shares from that one (law 13)', () => {
    const { breaker, clock } = tripped({ recovery: [{ ratio: 0.5, successThreshold: 9, maxGap: 100, maxConcurrent: 1 }], probeTimeout: 10_000 })
    clock.advance(1_000)
    const held = breaker.acquire()
    clock.advance(100)
    for (let n = 0; n < 4; n++) expect(breaker.tryAcquire()).toBeUndefined()
    held.ignore()
    const admitted = Array.from({ length: 4 }, () => {
      const permit = breaker.tryAcquire()
      permit?.ignore()
      return permit !== undefined
    })
    expect(admitted).toEqual([true, false, true, false])
  })
})

describe('a place', () => {
  it('is kept by a probe that hangs for as long as another is free (law 12)', () => {
    const { breaker, clock } = tripped({ recovery: probes({ maxConcurrent: 2 }), probeTimeout: 500 })
    clock.advance(1_000)
    breaker.acquire()
    clock.advance(500)
    breaker.acquire()
    expect(breaker.snapshot().phase).toMatchObject({ inFlight: 2 })
    breaker.acquire()
    expect(breaker.snapshot().phase).toMatchObject({ inFlight: 2 })
    expect(breaker.tryAcquire()).toBeUndefined()
  })

  it('is held where nothing bounds them until its call settles or its time is over (law 12)', () => {
    const { breaker, clock } = tripped({ recovery: [{ ratio: 1, successThreshold: 9 }], probeTimeout: 500 })
    clock.advance(1_000)
    breaker.acquire()
    clock.advance(300)
    breaker.acquire()
    expect(breaker.snapshot().phase).toMatchObject({ inFlight: 2 })
    clock.advance(200)
    breaker.acquire()
    expect(breaker.snapshot().phase).toMatchObject({ inFlight: 2 })
  })
})
