import { describe, expect, it } from 'vitest'
import { BreakerRegistry, CircuitBreaker, ManualClock, consecutiveFailures, failureRate, probes, type CircuitBreakerOptions } from '../../src/index.js'
import { chainOf, deferred, fail, manual, rejectionOf, succeed, tripped } from '../support/calls.js'

describe('hosts that are out come back without a call (B28, law 15)', () => {
  it('an outage whose time is over is no reason to leave a host out', () => {
    const clock = new ManualClock()
    const hosts = new BreakerRegistry<string>({ failureThreshold: 1, recoveryTimeout: 1_000, clock })
    fail(hosts.for('a'))
    succeed(hosts.for('b'))
    const usable = () => [...hosts].filter(([, breaker]) => breaker.canExecute).map(([host]) => host)
    clock.advance(999)
    expect(usable()).toEqual(['b'])
    clock.advance(1)
    expect(usable()).toEqual(['a', 'b'])
    expect([...hosts.outages()].map(([host, { state }]) => [host, state])).toEqual([['a', 'half-open']])
  })
})

describe('a snapshot is a value (B47)', () => {
  it('does not change with the breaker, nor the breaker with it', () => {
    const { breaker } = manual({ failureThreshold: 9 })
    fail(breaker, 2)
    const snapshot = breaker.snapshot()
    const copy = structuredClone(snapshot)
    fail(breaker, 3)
    expect(snapshot).toEqual(copy)
    Object.assign(breaker.snapshot(), { failures: 99, state: 'open' })
    expect(breaker.snapshot()).toMatchObject({ failures: 5, state: 'closed' })
  })

  it('survives JSON, in every state', () => {
    const { breaker, clock } = manual({ name: 'host', failureThreshold: 1 })
    const isSafe = () => expect(JSON.parse(JSON.stringify(breaker.snapshot()))).toEqual(breaker.snapshot())
    isSafe()
    fail(breaker, 1, Object.assign(new Error('x'.repeat(100_000)), { code: 'ECONNRESET', socket: { huge: true } }))
    isSafe()
    expect(breaker.snapshot().error).toMatchObject({ name: 'Error', code: 'ECONNRESET' })
    expect(JSON.stringify(breaker.snapshot()).length).toBeLessThan(2_000)
    clock.advance(1_000)
    isSafe()
    breaker.acquire()
    isSafe()
    breaker.forceOpen()
    isSafe()
    breaker.disable()
    isSafe()
  })

  it.each([
    ['a symbol', Symbol('odd')],
    ['a BigInt', 10n],
    [
      'a cycle',
      Object.assign(
        {},
        {
          get self() {
            return this
          },
        },
      ),
    ],
    [
      'an error whose fields throw',
      Object.defineProperties(new Error('x'), {
        message: {
          get() {
            throw new Error('no')
          },
        },
        code: {
          get() {
            throw new Error('no')
          },
        },
      }),
    ],
    ['an error whose code is an object', Object.assign(new Error('x'), { code: { deep: 10n } })],
    ['null', null],
  ])('is safe after somebody threw %s', (_, thrown) => {
    const { breaker } = manual()
    fail(breaker, 1, thrown)
    expect(breaker.state).toBe('open')
    expect(() => JSON.stringify(breaker.snapshot())).not.toThrow()
  })

  it('leaves out what has no meaning now', () => {
    const { breaker, clock } = manual()
    const names = () =>
      Object.entries(breaker.snapshot())
        .filter(([, value]) => value !== undefined)
        .map(([name]) => name)
    expect(names()).not.toEqual(expect.arrayContaining(['trippedAt']))
    for (const absent of ['trippedAt', 'reason', 'error', 'phase', 'relapses']) expect(names()).not.toContain(absent)
    fail(breaker)
    for (const present of ['trippedAt', 'reason', 'error', 'relapses']) expect(names()).toContain(present)
    expect(names()).not.toContain('phase')
    clock.advance(1_000)
    expect(names()).toContain('phase')
    succeed(breaker)
    for (const absent of ['trippedAt', 'reason', 'error', 'phase', 'relapses']) expect(names()).not.toContain(absent)
  })
})

describe('options are the caller’s own (B47, law 18)', () => {
  it('are not kept: changing them later changes nothing', () => {
    const clock = new ManualClock()
    const options: { -readonly [Key in keyof CircuitBreakerOptions]: CircuitBreakerOptions[Key] } = { failureThreshold: 2, recoveryTimeout: 1_000, clock }
    const breaker = new CircuitBreaker(options)
    options.failureThreshold = 1
    options.recoveryTimeout = 0
    fail(breaker)
    expect(breaker.state).toBe('closed')
    fail(breaker)
    expect(breaker.retryAfterMs).toBe(1_000)
  })

  it('are not changed: frozen ones will do', () => {
    const options = Object.freeze({ failureThreshold: 1, clock: Object.freeze({ now: () => 0 }) })
    const before = { ...options }
    fail(new CircuitBreaker(options))
    expect(options).toEqual(before)
  })

  it('may be shared, policies too: two breakers share nothing', () => {
    const clock = new ManualClock()
    for (const trip of [
      consecutiveFailures(2),
      failureRate({ rate: 0.5, window: { calls: 4 }, minimumCalls: 2 }),
      failureRate({ rate: 0.5, window: { ms: 1_000 }, minimumCalls: 2 }),
    ]) {
      const options = { trip, clock }
      const [one, two] = [new CircuitBreaker(options), new CircuitBreaker(options)]
      fail(one)
      fail(two)
      expect([one.state, two.state]).toEqual(['closed', 'closed'])
      fail(one)
      expect([one.state, two.state]).toEqual(['open', 'closed'])
      expect(two.snapshot().failures).toBe(1)
    }
  })
})

describe('disabled (B79)', () => {
  it('admits everything, judges nothing, and touches no result', async () => {
    const { breaker } = manual()
    breaker.disable()
    const error = new Error('as it came')
    expect(await rejectionOf(breaker.execute(() => Promise.reject(error)))).toBe(error)
    fail(breaker, 20)
    expect(await breaker.execute(() => 5)).toBe(5)
    expect(breaker.snapshot()).toMatchObject({ state: 'disabled', retryAfterMs: 0, trips: 0 })
    expect(breaker.canExecute).toBe(true)
  })

  it('ends an outage, and its calls are late when it is enabled again (law 4)', () => {
    const { breaker } = tripped()
    const chain = chainOf(breaker)
    breaker.disable()
    const permit = breaker.acquire()
    breaker.reset()
    expect(permit.failure()).toBe(false)
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 0 })
    expect(chain).toEqual(['open>disabled', 'disabled>closed'])
  })

  it('finds calls of before late', () => {
    const { breaker } = manual()
    const permit = breaker.acquire()
    breaker.disable()
    expect(permit.failure()).toBe(false)
    breaker.reset()
    expect(breaker.snapshot().failures).toBe(0)
  })
})

describe('forced open', () => {
  it('holds whatever time does, until reset', () => {
    const { breaker, clock } = manual()
    breaker.forceOpen()
    clock.advance(1e9)
    expect(breaker.state).toBe('forced-open')
    expect(breaker.canExecute).toBe(false)
    expect(breaker.tryAcquire()).toBeUndefined()
    expect(breaker.retryAfterMs).toBe(1_000)
    breaker.reset()
    succeed(breaker)
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', trips: 0 })
  })

  it('is not ended by a call that was in flight', () => {
    const { breaker, clock } = tripped()
    clock.advance(1_000)
    const probe = breaker.acquire()
    breaker.forceOpen()
    expect(probe.success()).toBe(false)
    expect(breaker.state).toBe('forced-open')
  })

  it('and disabled and reset: the last one said wins', () => {
    const { breaker } = manual()
    breaker.forceOpen()
    breaker.disable()
    expect(breaker.state).toBe('disabled')
    breaker.forceOpen()
    expect(breaker.state).toBe('forced-open')
    breaker.reset()
    expect(breaker.state).toBe('closed')
  })
})

describe('reset', () => {
  it('closes with an empty memory, and what was in flight is late', () => {
    const { breaker } = manual({ failureThreshold: 2 })
    const before = breaker.acquire()
    fail(breaker)
    breaker.reset()
    expect(breaker.snapshot().failures).toBe(0)
    expect(before.failure()).toBe(false)
    fail(breaker)
    expect(breaker.state).toBe('closed')
    fail(breaker)
    expect(breaker.state).toBe('open')
  })

  it('ends an outage at once, and the next one starts from no relapses', () => {
    const { breaker, clock } = manual({ recoveryTimeout: ({ relapses }) => 1_000 * (relapses + 1) })
    fail(breaker)
    clock.advance(1_000)
    fail(breaker)
    expect(breaker.snapshot()).toMatchObject({ relapses: 1, retryAfterMs: 2_000 })
    breaker.reset()
    fail(breaker)
    expect(breaker.snapshot()).toMatchObject({ relapses: 0, retryAfterMs: 1_000, trips: 3 })
  })
})

describe('a permit (law 5)', () => {
  it('settles once: the first report wins', () => {
    const { breaker } = manual({ failureThreshold: 2 })
    const permit = breaker.acquire()
    expect([permit.failure(), permit.failure(), permit.success(), permit.ignore()]).toEqual([true, false, false, false])
    expect(breaker.snapshot().failures).toBe(1)
  })

  it('that was settled in time is not in time again after a reset', () => {
    const { breaker } = manual()
    const permit = breaker.acquire()
    permit.success()
    breaker.reset()
    expect(permit.failure()).toBe(false)
    expect(breaker.state).toBe('closed')
  })

  it('left by its block unsettled is ignored, settled is left alone', () => {
    const { breaker, clock } = tripped()
    clock.advance(1_000)
    const probe = breaker.acquire()
    probe[Symbol.dispose]()
    expect(breaker.snapshot()).toMatchObject({ state: 'half-open', phase: { inFlight: 0 } })
    const next = breaker.acquire()
    next.success()
    next[Symbol.dispose]()
    expect(breaker.state).toBe('closed')
  })
})

describe('execute counts what it is told by its function, in the epoch in which it was admitted (law 4)', () => {
  it('and a failure from before the trip does nothing after it', async () => {
    const { breaker, clock } = manual()
    const call = deferred()
    const answer = breaker.execute(() => call.promise)
    fail(breaker)
    clock.advance(1_000)
    succeed(breaker)
    const own = new Error('from another time')
    call.reject(own)
    expect(await rejectionOf(answer)).toBe(own)
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 0, trips: 1 })
  })
})

describe('a change of state begins anew (law 9)', () => {
  const slow = { failureThreshold: 2, slowCallDuration: 100 }

  it('opening empties the memory, and forgets the calls in flight: those that hang on count no more', () => {
    const { breaker, clock } = manual(slow)
    breaker.acquire()
    breaker.acquire()
    fail(breaker, 2)
    expect(breaker.snapshot()).toMatchObject({ state: 'open', failures: 0, trips: 1 })
    clock.advance(1_000)
    succeed(breaker)
    clock.advance(1_000)
    succeed(breaker)
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 0, trips: 1 })
  })

  it('closing forgets the probes in flight, and there is no memory of what tripped', () => {
    const { breaker, clock } = manual({ ...slow, recovery: probes({ maxConcurrent: 3, successThreshold: 1 }) })
    fail(breaker, 2)
    clock.advance(1_000)
    breaker.acquire()
    breaker.acquire()
    succeed(breaker)
    clock.advance(1_000)
    breaker.acquire().ignore()
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 0 })
    fail(breaker)
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 1 })
  })

  it('entering half-open zeroes the phase, after each relapse too', () => {
    const { breaker, clock } = tripped({ recovery: probes({ maxConcurrent: 2, successThreshold: 2 }) })
    for (let relapses = 0; relapses < 3; relapses++) {
      clock.advance(1_000)
      breaker.acquire().ignore()
      expect(breaker.snapshot()).toMatchObject({ state: 'half-open', relapses, phase: { index: 0, inFlight: 0, successes: 0 } })
      breaker.acquire()
      succeed(breaker)
      expect(breaker.snapshot()).toMatchObject({ phase: { index: 0, inFlight: 1, successes: 1 } })
      fail(breaker)
    }
  })
})
