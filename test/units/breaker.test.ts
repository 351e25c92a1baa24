import { describe, expect, it, vi } from 'vitest'
import { BreakerRegistry, CircuitBreaker, consecutiveFailures, type Settled, type Transition, type Trip } from '../../src/index.js'
import { fail, ignore, manual, rejectionOf, succeed, tripped } from '../support/calls.js'
import { catchWarnings } from './warnings.js'

const warnings = catchWarnings()

function transitionsOf(breaker: CircuitBreaker): string[] {
  const told: string[] = []
  breaker.observe({ transition: ({ from, to, reason }: Transition) => void told.push(`${from}>${to}: ${reason}`) })
  return told
}

function settledOf(breaker: CircuitBreaker, durations = false): Settled[] {
  const told: Settled[] = []
  breaker.observe({ settled: (event) => void told.push(event), durations })
  return told
}

describe('the name of a breaker', () => {
  it('is what it was given, and if it was given none, there is none, nor a key for it in a snapshot (law 15)', () => {
    expect(manual({ name: 'db' }).breaker.snapshot().name).toBe('db')
    const { breaker } = manual()
    expect(breaker.name).toBeUndefined()
    expect(Object.keys(breaker.snapshot())).not.toContain('name')
  })

  it('is, in a registry, its key as text, whatever that is (law 22)', () => {
    const registry = new BreakerRegistry<unknown>()
    const unprintable = {
      toString: () => {
        throw new Error('no text')
      },
    }
    const keys = ['host', 5, undefined, null, Symbol('s'), ['a', 'b'], unprintable]
    expect(keys.map((key) => registry.for(key).name)).toEqual(['host', '5', 'undefined', 'null', 'Symbol(s)', 'a,b', 'unprintable key'])
    expect(registry.for(undefined).snapshot().name).toBe('undefined')
  })
})

describe('the reasons of transitions', () => {
  it('are told word for word, of an outage that relapses and recovers (law 16)', () => {
    const { breaker, clock } = manual()
    const told = transitionsOf(breaker)
    fail(breaker)
    clock.advance(1_000)
    fail(breaker)
    clock.advance(1_000)
    breaker.acquire().failure(undefined, { openFor: 5_000 })
    clock.advance(5_000)
    succeed(breaker)
    expect(told).toEqual([
      'closed>open: consecutive-failures',
      'open>half-open: timeout-over',
      'half-open>open: probe-failed',
      'open>half-open: timeout-over',
      'half-open>open: open-for',
      'open>half-open: timeout-over',
      'half-open>closed: recovered',
    ])
  })

  it('carry the numbers of the trip that opened', () => {
    const { breaker } = manual({ failureThreshold: 2 })
    const events: Transition[] = []
    breaker.observe({ transition: (event) => void events.push(event) })
    fail(breaker, 2)
    expect(events).toMatchObject([{ failures: 2, relapses: 0 }])
    expect(breaker.snapshot().evidence).toEqual({ reason: 'consecutive-failures', failures: 2 })
  })
})

describe('a probe that says how long to stay open', () => {
  it('has failed, and is counted among those that did, once (law 16)', () => {
    const { breaker, clock } = tripped({ recovery: [{ ratio: 1, successThreshold: 3, maxFailures: 5 }], slowCallDuration: 100 })
    const events: Transition[] = []
    breaker.observe({ transition: (event) => void events.push(event) })
    clock.advance(1_000)
    succeed(breaker)
    breaker.acquire().failure(undefined, { openFor: 2_000 })
    clock.advance(2_000)
    const slow = breaker.acquire()
    clock.advance(100)
    slow.failure(undefined, { openFor: 2_000 })
    expect(events.filter(({ to }) => to === 'open')).toMatchObject([
      { reason: 'open-for', failures: 1, calls: 2 },
      { reason: 'open-for', failures: 1, calls: 1 },
    ])
  })
})

describe('what is told of a settled call', () => {
  it('is its outcome, and an error only if it has one', () => {
    const { breaker } = manual({ failureThreshold: 9 })
    const told = settledOf(breaker)
    const error = new Error('it failed')
    succeed(breaker)
    fail(breaker, 1, error)
    ignore(breaker)
    breaker.acquire().failure(error, { openFor: 0 })
    const common = { name: undefined, late: false, slow: false }
    expect(told).toStrictEqual([
      { ...common, outcome: 'success' },
      { ...common, outcome: 'failure', error },
      { ...common, outcome: 'ignored' },
      { ...common, outcome: 'failure', error },
    ])
  })

  it('has a duration if somebody asks for it, to the millisecond, and be it 0', () => {
    const { breaker, clock } = manual()
    const told = settledOf(breaker, true)
    succeed(breaker)
    clock.advance(70)
    const permit = breaker.acquire()
    clock.advance(30)
    permit.success()
    expect(told.map(({ duration }) => duration)).toEqual([0, 30])
  })

  it('has no duration if nobody asks for it, of a call while closed or of a probe', () => {
    const { breaker, clock } = manual()
    const told = settledOf(breaker)
    fail(breaker)
    clock.advance(1_000)
    succeed(breaker)
    expect(told.map((event) => 'duration' in event)).toEqual([false, false])
  })

  it('says of a call that became slow that it did', () => {
    const { breaker, clock } = manual({ failureThreshold: 9, slowCallDuration: 100 })
    const told = settledOf(breaker)
    const [slow, fast] = [breaker.acquire(), breaker.acquire()]
    clock.advance(99)
    fast.success()
    clock.advance(1)
    slow.success()
    expect(told).toMatchObject([
      { outcome: 'success', slow: false, duration: 99 },
      { outcome: 'success', slow: true, duration: 100 },
    ])
  })

  it('is not slow while the breaker is disabled, however long it took (law 8)', () => {
    const { breaker, clock } = manual({ slowCallDuration: 100 })
    const told = settledOf(breaker)
    breaker.disable()
    const [first, second] = [breaker.acquire(), breaker.acquire()]
    clock.advance(100)
    first.success()
    second.failure()
    expect(told).toMatchObject([
      { outcome: 'ignored', slow: false, duration: 100 },
      { outcome: 'ignored', slow: false, duration: 100 },
    ])
  })

  it('is no verdict while the breaker is disabled, and no classifier is asked for one (law 8)', async () => {
    const classifyError = vi.fn(() => 'success' as const)
    const classifyResult = vi.fn(() => 'failure' as const)
    const { breaker } = manual({ classifyError, classifyResult })
    const told = settledOf(breaker)
    breaker.disable()
    await breaker.execute(() => 1)
    await rejectionOf(breaker.execute(() => Promise.reject(new Error('it failed'))))
    expect(told.map(({ outcome }) => outcome)).toEqual(['ignored', 'ignored'])
    expect(classifyError).not.toHaveBeenCalled()
    expect(classifyResult).not.toHaveBeenCalled()
  })
})

describe('a call without a classifier', () => {
  it('is judged without one, and warns nobody', async () => {
    const { breaker } = manual({ failureThreshold: 9 })
    await breaker.execute(() => 1)
    await rejectionOf(breaker.execute(() => Promise.reject(new Error('it failed'))))
    expect(breaker.snapshot().failures).toBe(1)
    expect(warnings()).toEqual([])
  })
})

describe('a call that became slow', () => {
  it('is a failure that knows it is slow, to a trip that does not weigh slow calls (law 10)', () => {
    const failure = vi.fn((memory: number) => memory + 1)
    const trip: Trip<number> = { ...consecutiveFailures(9), failure }
    const { breaker, clock } = manual({ trip, slowCallDuration: 100 })
    breaker.acquire()
    clock.advance(150)
    breaker.tryAcquire()
    expect(failure.mock.calls).toEqual([[0, true, 100]])
  })

  it('does not hide, when it returns, those that hang beside it (law 10)', () => {
    const { breaker, clock } = manual({ failureThreshold: 3, slowCallDuration: 100 })
    const slow = breaker.acquire()
    clock.advance(50)
    breaker.acquire()
    breaker.acquire()
    clock.advance(50)
    slow.success()
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 1 })
    clock.advance(50)
    expect(breaker.tryAcquire()).toBeUndefined()
    expect(breaker.snapshot()).toMatchObject({ state: 'open', trippedAt: 150 })
  })

  it('is one failed probe of those that the phase tolerates (laws 10 and 14)', () => {
    const recovery = [{ ratio: 1, successThreshold: 3, maxFailures: 1 }]
    const { breaker, clock } = tripped({ recovery, slowCallDuration: 100 })
    const told = transitionsOf(breaker)
    clock.advance(1_000)
    breaker.acquire()
    clock.advance(100)
    breaker.acquire()
    expect(breaker.state).toBe('half-open')
    clock.advance(100)
    expect(breaker.tryAcquire()).toBeUndefined()
    expect(breaker.snapshot()).toMatchObject({ state: 'open', relapses: 1, trippedAt: 1_200 })
    expect(told).toEqual(['open>half-open: timeout-over', 'half-open>open: probe-failed'])
  })
})

describe("what somebody decides while the breaker asks the user's code", () => {
  /** A trip at whose `part` somebody forces the breaker open. */
  const forcingAt = (part: 'failure' | 'trips') => {
    const plain = consecutiveFailures(1)
    const force = () => {
      made.breaker.forceOpen()
    }
    const trip: Trip<number> = {
      ...plain,
      failure: (memory, slow, now) => {
        if (part === 'failure') force()
        return plain.failure(memory, slow, now)
      },
      trips: (memory, now) => {
        if (part === 'trips') force()
        return plain.trips(memory, now)
      },
    }
    const made = manual({ trip, slowCallDuration: 100 })
    return made
  }
  const forced = { state: 'forced-open', reason: 'forced-open', failures: 0, trips: 0 }

  it.each(['failure', 'trips'] as const)('is not undone by the answer, given by the trip in %s (law 17)', (part) => {
    const settled = forcingAt(part).breaker
    fail(settled)
    expect(settled.snapshot()).toMatchObject(forced)
    const asking = forcingAt(part).breaker
    asking.acquire().failure(undefined, { openFor: 5_000 })
    expect(asking.snapshot()).toMatchObject(forced)
    const { breaker, clock } = forcingAt(part)
    breaker.acquire()
    clock.advance(100)
    expect(breaker.tryAcquire()).toBeUndefined()
    expect(breaker.snapshot()).toMatchObject(forced)
  })

  it('is not undone by the wait that the recovery timeout gives (law 17)', () => {
    let once = true
    const { breaker } = manual({
      recoveryTimeout: () => {
        if (once) breaker.disable()
        once = false
        return 1_000
      },
    })
    fail(breaker)
    expect(breaker.snapshot()).toMatchObject({ state: 'disabled', trips: 0 })
  })

  it('is not undone by a recovery that the clock is read for (law 17)', () => {
    let now = 0
    let reading = () => {}
    const breaker = new CircuitBreaker({
      failureThreshold: 1,
      recoveryTimeout: 1_000,
      clock: {
        now: () => {
          reading()
          return now
        },
      },
    })
    fail(breaker)
    now = 1_000
    const probe = breaker.acquire()
    reading = () => {
      reading = () => {}
      breaker.forceOpen()
    }
    probe.success()
    expect(breaker.state).toBe('forced-open')
  })
})

describe('a full registry', () => {
  const full = (options = {}) => {
    const registry = new BreakerRegistry({ maxSize: 2, ...options })
    return { registry, a: registry.for('a'), b: registry.for('b') }
  }
  const keys = (registry: BreakerRegistry) => Array.from(registry, ([key]) => key)

  it('keeps the older of two that has a call in flight, timed or not (law 20)', () => {
    for (const options of [{}, { slowCallDuration: 1e6 }]) {
      const { registry, a } = full(options)
      const permit = a.acquire()
      registry.for('c')
      expect(keys(registry)).toEqual(['a', 'c'])
      permit.success()
    }
  })

  it('forgets the older of two whose call has settled, timed or not (law 20)', () => {
    for (const options of [{}, { slowCallDuration: 1e6 }]) {
      const { registry, a } = full(options)
      succeed(a)
      registry.for('c')
      expect(keys(registry)).toEqual(['b', 'c'])
    }
  })

  it('keeps the older of two that has a failure, also while somebody listens to all of it (law 20)', () => {
    const { registry, a } = full()
    registry.observe({ settled: () => {} })
    fail(a)
    registry.for('c')
    expect(keys(registry)).toEqual(['a', 'c'])
  })

  it('forgets the older of two that know nothing, though it was reset and has been used since (law 20)', async () => {
    const { registry, a } = full()
    a.forceOpen()
    a.reset()
    await a.execute(() => 1)
    registry.for('c')
    expect(keys(registry)).toEqual(['b', 'c'])
  })

  it('forgets one that was closed again, when its turn comes (law 20)', () => {
    const registry = new BreakerRegistry({ maxSize: 1 })
    registry.for('a')
    const b = registry.for('b')
    b.forceOpen()
    b.reset()
    registry.for('c')
    expect(keys(registry)).toEqual(['c'])
  })
})
