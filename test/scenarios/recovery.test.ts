import { describe, expect, it } from 'vitest'
import { CircuitOpenError, exponentialBackoff, gradual, probes, type CircuitBreaker, type Permit } from '../../src/index.js'
import { chainOf, fail, ignore, succeed, tripped } from '../support/calls.js'

/** So many arrivals at one moment: the numbers of those that were admitted, from 1. */
function arrivals(breaker: CircuitBreaker, times: number): number[] {
  const admitted: number[] = []
  for (let n = 1; n <= times; n++) if (breaker.tryAcquire() !== undefined) admitted.push(n)
  return admitted
}

const ramp = gradual([
  { ratio: 0.1, successThreshold: 5 },
  { ratio: 0.5, successThreshold: 10 },
  { ratio: 1, successThreshold: 20 },
])

/** Half-open, at the first moment at which it can be. */
function recovering(options: Parameters<typeof tripped>[0] = {}) {
  const made = tripped(options)
  made.clock.advance(made.breaker.retryAfterMs)
  return made
}

describe('a probe that is lost does not wedge (B04, law 12)', () => {
  it('gives its place to the next caller, one after another, however many hang', () => {
    const { breaker, clock } = recovering({ probeTimeout: 5_000 })
    for (let n = 0; n < 100; n++) {
      expect(breaker.tryAcquire()).toBeDefined()
      expect(breaker.tryAcquire()).toBeUndefined()
      expect(breaker.retryAfterMs).toBe(5_000)
      clock.advance(4_999)
      expect(breaker.canExecute).toBe(false)
      clock.advance(1)
      expect(breaker.canExecute).toBe(true)
    }
    succeed(breaker)
    expect(breaker.state).toBe('closed')
  })

  it('keeps its vote: a late success closes, a late failure reopens', () => {
    for (const good of [true, false]) {
      const { breaker, clock } = recovering({ probeTimeout: 5_000 })
      const lost = breaker.acquire()
      clock.advance(5_000)
      breaker.acquire()
      expect(good ? lost.success() : lost.failure()).toBe(true)
      expect(breaker.state).toBe(good ? 'closed' : 'open')
    }
  })

  it('frees no place twice: its own is somebody else’s', () => {
    const { breaker, clock } = recovering({ recovery: probes({ maxConcurrent: 2, successThreshold: 9 }), probeTimeout: 5_000 })
    const lost = [breaker.acquire(), breaker.acquire()]
    clock.advance(5_000)
    const next = [breaker.acquire(), breaker.acquire()]
    for (const permit of lost) permit.success()
    expect(breaker.snapshot().phase).toMatchObject({ inFlight: 2, successes: 2 })
    expect(breaker.canExecute).toBe(false)
    next[0]!.success()
    expect(breaker.snapshot().phase).toMatchObject({ inFlight: 1, successes: 3 })
  })

  it('frees its own place if nobody has taken it', () => {
    const { breaker, clock } = recovering({ recovery: probes({ maxConcurrent: 2, successThreshold: 9 }), probeTimeout: 5_000 })
    const lost = breaker.acquire()
    clock.advance(5_000)
    expect(breaker.snapshot().phase?.inFlight).toBe(1)
    lost.success()
    expect(breaker.snapshot().phase).toMatchObject({ inFlight: 0, successes: 1 })
  })

  it('gives up its place only when no other is free, the oldest first', () => {
    const { breaker, clock } = recovering({ recovery: probes({ maxConcurrent: 2, successThreshold: 9 }), probeTimeout: 5_000 })
    const first = breaker.acquire()
    clock.advance(1_000)
    const second = breaker.acquire()
    clock.advance(4_000)
    breaker.acquire()
    expect(breaker.canExecute).toBe(false)
    expect(breaker.retryAfterMs).toBe(1_000)
    first.ignore()
    expect(breaker.snapshot().phase?.inFlight).toBe(2)
    second.ignore()
    expect(breaker.snapshot().phase?.inFlight).toBe(1)
  })

  it('is not wedged by a clock that steps back while it holds its place (B09)', () => {
    const { breaker, clock } = recovering({ probeTimeout: 5_000 })
    breaker.acquire()
    clock.advance(-1e9)
    expect(breaker.canExecute).toBe(false)
    expect(breaker.retryAfterMs).toBe(5_000)
    clock.advance(5_000)
    expect(breaker.tryAcquire()).toBeDefined()
  })

  it('is no wedge when the probe of one outage settles in the next', () => {
    const { breaker, clock } = recovering({ recovery: probes({ maxConcurrent: 2, successThreshold: 2 }) })
    const [one, two] = [breaker.acquire(), breaker.acquire()]
    one.failure()
    clock.advance(1_000)
    const next = breaker.acquire()
    expect(two.success()).toBe(false)
    expect(breaker.snapshot().phase).toMatchObject({ inFlight: 1, successes: 0 })
    next.success()
    succeed(breaker)
    expect(breaker.state).toBe('closed')
  })
})

describe('ignored probes (B05, law 8)', () => {
  it('decide nothing, however many there are', () => {
    const { breaker } = recovering()
    ignore(breaker, 50)
    expect(breaker.snapshot()).toMatchObject({ state: 'half-open', trips: 1, phase: { inFlight: 0, successes: 0 } })
    succeed(breaker)
    expect(breaker.state).toBe('closed')
  })
})

describe('the share of a phase (B76, law 13)', () => {
  it('of a tenth is the first call and every tenth after it: ten of a hundred', () => {
    const { breaker } = recovering({ recovery: ramp })
    const admitted = arrivals(breaker, 100)
    expect(admitted).toEqual([1, 11, 21, 31, 41, 51, 61, 71, 81, 91])
  })

  it.each([
    [0.1, 1_000, 100],
    [0.25, 1_000, 250],
    [0.3, 1_000, 300],
    [0.5, 1_000, 500],
    [0.9, 1_000, 900],
    [1, 1_000, 1_000],
    [0.001, 1_000, 1],
  ])('of %d admits of %d calls %d', (ratio, calls, share) => {
    const { breaker } = recovering({ recovery: gradual([{ ratio, successThreshold: 10_000 }]) })
    expect(arrivals(breaker, calls)).toHaveLength(share)
  })

  it('passes from phase to phase on successes alone, and closes at the end', () => {
    const { breaker, clock } = recovering({ recovery: ramp })
    const phases: number[] = []
    let calls = 0
    while (breaker.state !== 'closed') {
      phases.push(breaker.snapshot().phase!.index)
      const permit = breaker.tryAcquire()
      if (permit === undefined) clock.advance(breaker.retryAfterMs)
      else {
        calls++
        permit.success()
      }
    }
    expect(calls).toBe(5 + 10 + 20)
    expect([...new Set(phases)]).toEqual([0, 1, 2])
  })

  it('is lost with one failure, and the next recovery starts at the first phase', () => {
    const { breaker, clock } = recovering({ recovery: ramp })
    for (let n = 0; n < 5; n++) {
      succeed(breaker)
      clock.advance(1_000)
    }
    expect(breaker.snapshot().phase).toMatchObject({ index: 1, ratio: 0.5, successes: 0 })
    fail(breaker)
    expect(breaker.snapshot()).toMatchObject({ state: 'open', trippedAt: clock.now(), relapses: 1, trips: 2 })
    clock.advance(1_000)
    expect(breaker.snapshot().phase).toMatchObject({ index: 0, ratio: 0.1, successes: 0 })
    expect(arrivals(breaker, 20)).toEqual([1, 11])
  })

  it('is not moved on by the clock: without traffic for an hour it stands where it stood', () => {
    const { breaker, clock } = recovering({
      recovery: gradual([
        { ratio: 0.001, successThreshold: 2 },
        { ratio: 1, successThreshold: 1 },
      ]),
    })
    succeed(breaker)
    clock.advance(3_600_000)
    expect(breaker.snapshot().phase).toMatchObject({ index: 0, successes: 1 })
    expect(arrivals(breaker, 10)).toEqual([1])
  })

  it('is no reason to wait longer than the maxGap of the phase that runs, whatever that of an earlier one was', () => {
    const phases = [
      { ratio: 1, successThreshold: 1, maxGap: 3_600_000 },
      { ratio: 0.01, successThreshold: 2, maxConcurrent: 1, maxGap: 1_000 },
    ]
    const { breaker, clock } = recovering({ recovery: gradual(phases) })
    const [passes, stays] = [breaker.acquire(), breaker.acquire()]
    passes.success()
    // The share of the new phase goes to a call that finds no place.
    expect(breaker.tryAcquire()).toBeUndefined()
    stays.ignore()
    expect(breaker.retryAfterMs).toBe(1_000)
    clock.advance(999)
    expect(breaker.tryAcquire()).toBeUndefined()
    clock.advance(1)
    expect(breaker.tryAcquire()).toBeDefined()
  })

  it('is no reason to wait longer than maxGap: low traffic recovers too', () => {
    const { breaker, clock } = recovering({ recovery: gradual([{ ratio: 0.1, successThreshold: 3, maxGap: 2_000 }]) })
    succeed(breaker)
    expect(breaker.tryAcquire()).toBeUndefined()
    expect(breaker.retryAfterMs).toBe(2_000)
    clock.advance(1_999)
    expect(breaker.tryAcquire()).toBeUndefined()
    clock.advance(1)
    succeed(breaker)
    expect(arrivals(breaker, 9)).toEqual([])
    expect(arrivals(breaker, 1)).toEqual([1])
  })

  it('names ramping as the reason of a refusal', () => {
    const { breaker } = recovering({ recovery: ramp })
    breaker.acquire()
    let error: unknown
    try {
      breaker.acquire()
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(CircuitOpenError)
    expect(error).toMatchObject({ reason: 'ramping', retryAfterMs: 1_000 })
  })

  it('that finds no place is not saved up', () => {
    const { breaker } = recovering({ recovery: gradual([{ ratio: 0.5, successThreshold: 100, maxConcurrent: 1, maxGap: 60_000 }]) })
    const holder = breaker.acquire()
    expect(arrivals(breaker, 99)).toEqual([])
    holder.ignore()
    const later: boolean[] = []
    for (let n = 0; n < 20; n++) {
      const permit = breaker.tryAcquire()
      later.push(permit !== undefined)
      permit?.ignore()
    }
    expect(later.filter(Boolean)).toHaveLength(10)
  })
})

describe('whose success and failure count in a ramp (B03, law 14)', () => {
  const twoPhases = gradual([
    { ratio: 1, successThreshold: 1 },
    { ratio: 1, successThreshold: 2, maxFailures: 1 },
  ])

  it('a success counts in the phase that admitted it, and in no other', () => {
    const { breaker } = recovering({ recovery: twoPhases })
    const early = [breaker.acquire(), breaker.acquire(), breaker.acquire()]
    early[0]!.success()
    expect(breaker.snapshot().phase).toMatchObject({ index: 1, successes: 0 })
    expect(early[1]!.success()).toBe(true)
    early[2]!.success()
    expect(breaker.snapshot().phase).toMatchObject({ index: 1, successes: 0 })
    succeed(breaker, 2)
    expect(breaker.state).toBe('closed')
  })

  it('a failure counts in the phase that runs, whichever admitted it', () => {
    const { breaker } = recovering({ recovery: twoPhases })
    const early: Permit[] = [breaker.acquire(), breaker.acquire(), breaker.acquire()]
    early[0]!.success()
    early[1]!.failure()
    expect(breaker.state).toBe('half-open')
    early[2]!.failure()
    expect(breaker.snapshot()).toMatchObject({ state: 'open', relapses: 1, reason: 'probe-failed' })
  })

  it('tolerates as many failures as a phase says, anew in each', () => {
    const { breaker } = recovering({
      recovery: gradual([
        { ratio: 1, successThreshold: 2, maxFailures: 1 },
        { ratio: 1, successThreshold: 2, maxFailures: 1 },
      ]),
    })
    fail(breaker)
    succeed(breaker, 2)
    fail(breaker)
    expect(breaker.snapshot()).toMatchObject({ state: 'half-open', phase: { index: 1 } })
    fail(breaker)
    expect(breaker.state).toBe('open')
  })
})

describe('backoff over relapses (B48)', () => {
  it('starts anew with the next outage', () => {
    const { breaker, clock } = tripped({ recoveryTimeout: exponentialBackoff({ initial: 1_000, max: 8_000 }) })
    const waits: number[] = []
    for (let n = 0; n < 5; n++) {
      waits.push(breaker.retryAfterMs)
      clock.advance(breaker.retryAfterMs)
      fail(breaker)
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 8_000])
    clock.advance(breaker.retryAfterMs)
    succeed(breaker)
    fail(breaker)
    expect(breaker.retryAfterMs).toBe(1_000)
  })

  it('tells the function of the timeout how often and by which error it was lost', () => {
    const asked: [number, unknown][] = []
    const { breaker, clock } = tripped({
      recoveryTimeout: ({ relapses, error }) => {
        asked.push([relapses, (error as Error).message])
        return 10
      },
    })
    clock.advance(10)
    fail(breaker, 1, new Error('again'))
    breaker.snapshot()
    expect(asked).toEqual([
      [0, 'the downstream failed'],
      [1, 'again'],
    ])
  })
})

describe('what a server asks for (openFor)', () => {
  it('trips at once and stays open that long', () => {
    const { breaker, clock } = tripped({ failureThreshold: 1 })
    clock.advance(1_000)
    succeed(breaker)
    breaker.acquire().failure(new Error('slow down'), { openFor: 5_000 })
    expect(breaker.snapshot()).toMatchObject({ state: 'open', retryAfterMs: 5_000, reason: 'open-for' })
  })

  it('is never shorter than the ordinary wait, of a relapse too', () => {
    const { breaker, clock } = tripped({ recoveryTimeout: ({ relapses }) => 1_000 * (relapses + 1) })
    clock.advance(1_000)
    breaker.acquire().failure(new Error('slow down'), { openFor: 5 })
    expect(breaker.snapshot()).toMatchObject({ relapses: 1, retryAfterMs: 2_000 })
  })

  it('reopens though the phase would tolerate a failure', () => {
    const { breaker } = recovering({ recovery: gradual([{ ratio: 1, successThreshold: 2, maxFailures: 5 }]) })
    breaker.acquire().failure(new Error('slow down'), { openFor: 60_000 })
    expect(breaker.snapshot()).toMatchObject({ state: 'open', retryAfterMs: 60_000, trips: 2 })
  })

  it('of a late report is nothing (law 4)', () => {
    const { breaker, clock } = recovering({ recovery: probes() })
    const [late, bad] = [breaker.acquire(), breaker.acquire()]
    bad.failure()
    clock.advance(10)
    expect(late.failure(new Error('slow down'), { openFor: 60_000 })).toBe(false)
    expect(breaker.retryAfterMs).toBe(990)
  })

  it('can be the verdict of a classifier, about an error or a result', async () => {
    for (const way of ['error', 'result'] as const) {
      const { breaker, clock } = tripped({
        classifyError: () => ({ openFor: 7_000 }),
        classifyResult: (value) => (value === 'later' ? { openFor: 7_000 } : 'success'),
      })
      clock.advance(1_000)
      if (way === 'error') await breaker.execute(() => Promise.reject(new Error('later'))).catch(() => {})
      else await breaker.execute(() => 'later')
      expect(breaker.snapshot()).toMatchObject({ state: 'open', retryAfterMs: 7_000 })
    }
  })
})

describe('slow calls (law 10)', () => {
  it('trip while they hang, at the moment at which they became slow', () => {
    const { breaker, clock } = tripped({ failureThreshold: 2, slowCallDuration: 100 })
    breaker.reset()
    breaker.acquire()
    clock.advance(10)
    breaker.acquire()
    clock.advance(500)
    expect(breaker.state).toBe('closed')
    expect(breaker.tryAcquire()).toBeUndefined()
    expect(breaker.snapshot()).toMatchObject({ state: 'open', trippedAt: 110, retryAfterMs: 600 })
  })

  it('fail a probe while it hangs, so that the next caller meets a breaker open since then', () => {
    const { breaker, clock } = recovering({ slowCallDuration: 100 })
    const chain = chainOf(breaker)
    const probe = breaker.acquire()
    clock.advance(99)
    expect(breaker.tryAcquire()).toBeUndefined()
    expect(breaker.state).toBe('half-open')
    clock.advance(1)
    expect(breaker.tryAcquire()).toBeUndefined()
    expect(breaker.snapshot()).toMatchObject({ state: 'open', trippedAt: 1_100, relapses: 1 })
    expect(probe.success()).toBe(false)
    expect(chain).toEqual(['open>half-open', 'half-open>open'])
  })

  it('count once, whatever they return at last', () => {
    for (const ending of ['success', 'failure', 'ignore'] as const) {
      const { breaker, clock } = tripped({ failureThreshold: 3, slowCallDuration: 100 })
      breaker.reset()
      const permit = breaker.acquire()
      clock.advance(100)
      succeed(breaker)
      fail(breaker)
      expect(breaker.snapshot().failures).toBe(1)
      permit[ending]()
      expect(breaker.snapshot().failures).toBe(1)
    }
  })
})
