import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  BreakerRegistry,
  CircuitBreaker,
  CircuitOpenError,
  ManualClock,
  anyOf,
  consecutiveFailures,
  exponentialBackoff,
  failureRate,
  findCircuitOpenError,
  gradual,
  probes,
  type Observer,
} from '../src/index.js'
import { chainOf, deferred, fail, manual, tripped, unhandledDuring } from './support/calls.js'
import { expectSame, expectSound, settled } from './support/sound.js'
import { fault, faultySignal, revoked, strange, thenables, untouchable, withGetters } from './support/strange.js'

// What is wrong on purpose is reported as a warning; here the warnings are of no interest.
beforeEach(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => {}))
afterEach(() => void vi.restoreAllMocks())

describe('an error or a value that is', () => {
  describe.each(Object.entries(strange))('%s', (_, make) => {
    const isRefusal = (error: unknown) => findCircuitOpenError(error) !== undefined

    it('thrown, rejected or reported, reaches its caller as it is, and counts once (law 17)', async () => {
      for (const options of [{}, { classifyError: () => 'failure' as const }, { slowCallDuration: 1_000 }]) {
        const error = make()
        const { breaker, clock } = manual({ failureThreshold: 3, ...options })
        const chain = chainOf(breaker)
        breaker.observe({ settled: () => {}, rejected: () => {}, durations: true })
        const unhandled = await unhandledDuring(async () => {
          expectSame(await settled(() => breaker.execute(() => fault(error))), error)
          expectSame(await settled(() => breaker.execute(() => Promise.reject(error))), error)
          expectSame(await settled(() => breaker.wrap(() => fault(error))()), error)
          if (isRefusal(error)) for (let n = 0; n < 3; n++) expect(breaker.acquire().failure()).toBe(true)
          expect(chain).toEqual(['closed>open'])
          expectSound(breaker)
          const refusal = (await settled(() => breaker.execute(() => 1))).value as CircuitOpenError
          expect(refusal).toBeInstanceOf(CircuitOpenError)
          if (!isRefusal(error)) expect(Object.is(refusal.cause, error)).toBe(true)
          clock.advance(1_000)
          breaker.acquire().failure(error)
          if (isRefusal(error)) breaker.acquire().failure()
          expect(breaker.snapshot()).toMatchObject({ state: 'open', relapses: 1, trips: 2 })
          expectSound(breaker)
          clock.advance(1_000)
          expect(await breaker.execute(() => 'up again')).toBe('up again')
          expect(breaker.state).toBe('closed')
        })
        expect(unhandled).toEqual([])
      }
    })

    it('returned, reaches its caller as it is, and is a success', async () => {
      // A promise is resolved with what one can look at: of a proxy that throws it takes the throw.
      for (const options of [{}, { classifyResult: () => undefined }]) {
        const value = make()
        const plain: unknown = await Promise.resolve()
          .then(() => value)
          .catch((error: unknown) => error)
        const { breaker } = manual({ failureThreshold: 1, ...options })
        const guarded: unknown = await breaker.execute(() => value).catch((error: unknown) => error)
        if (Object.is(plain, value)) expect(Object.is(guarded, value)).toBe(true)
        else expect(guarded).toBeInstanceOf(Error)
        expect(breaker.state).toBe(Object.is(plain, value) ? 'closed' : 'open')
        expectSound(breaker)
      }
    })

    it('given as what an abort was for, ends the call with it, and is no evidence (law 8)', async () => {
      const reason = make()
      const { breaker } = manual({ failureThreshold: 1 })
      const aborted = { aborted: true, reason }
      expectSame(await settled(() => breaker.execute(() => 'never called', { signal: aborted })), reason)
      const signal: { aborted: boolean; reason?: unknown } = { aborted: false }
      const call = breaker.execute(
        () => {
          Object.assign(signal, aborted)
          return Promise.reject(new Error('aborted'))
        },
        { signal },
      )
      expect(await settled(() => call)).toEqual({ ok: false, value: new Error('aborted') })
      expect(breaker.state).toBe('closed')
    })

    it('as a key is a key like any other (law 22)', async () => {
      const key = make()
      const clock = new ManualClock()
      const registry = new BreakerRegistry<unknown>({ failureThreshold: 1, maxSize: 2, clock })
      const names: unknown[] = []
      registry.observe({ transition: ({ name }) => void names.push(name) })
      fail(registry.for(key))
      const refusal = (await settled(() => registry.execute(key, () => 1))).value as CircuitOpenError
      expect(refusal.code).toBe('ERR_CIRCUIT_OPEN')
      expect(typeof refusal.breaker).toBe('string')
      expect(refusal.message).toContain('refused')
      expect(names.length === 1 && Object.is(names[0], Object.is(key, -0) ? names[0] : key)).toBe(true)
      for (const snapshot of registry.snapshot()) expect(typeof snapshot.name).toBe('string')
      expect(await registry.execute('another', () => 'served')).toBe('served')
      expect(registry.delete(key)).toBe(true)
      expect(await registry.execute(key, () => 'served')).toBe('served')
    })

    it('is looked for refusals in without harm', () => {
      const error = make()
      expect(() => findCircuitOpenError(error)).not.toThrow()
      expect(() => findCircuitOpenError(new Error('outer', { cause: error }))).not.toThrow()
    })
  })
})

describe('a thenable that', () => {
  it.each(Object.entries(thenables))('%s, gives its caller what a plain await would, and counts once (law 19)', async (_, make) => {
    const plain = await settled(async () => await make())
    for (const options of [{}, { slowCallDuration: 100 }]) {
      const { breaker } = manual({ failureThreshold: 10, ...options })
      const outcomes: string[] = []
      breaker.observe({ settled: ({ outcome }) => void outcomes.push(outcome) })
      let guarded: unknown
      const unhandled = await unhandledDuring(async () => {
        let promise: Promise<unknown> = Promise.resolve()
        expect(() => (promise = breaker.execute(make))).not.toThrow()
        expect(promise).toBeInstanceOf(Promise)
        guarded = await settled(() => promise)
      })
      expect(guarded).toEqual(plain)
      expect(unhandled).toEqual([])
      expect(outcomes).toEqual([(plain as { ok: boolean }).ok ? 'success' : 'failure'])
    }
  })

  it('never calls back, holds its place no longer than probeTimeout (laws 5 and 12)', async () => {
    const { breaker, clock } = tripped({ probeTimeout: 500 })
    clock.advance(1_000)
    void breaker.execute(() => ({ then: () => {} }))
    expect(breaker.canExecute).toBe(false)
    clock.advance(500)
    expect(await breaker.execute(() => 'up again')).toBe('up again')
    expect(breaker.state).toBe('closed')
  })
})

describe('options', () => {
  const known = ['name', 'failureThreshold', 'trip', 'slowCallDuration', 'recoveryTimeout', 'recovery', 'probeTimeout', 'classifyError', 'classifyResult', 'clock']
  // Made within the property: fast-check looks at what it generates, and some of these let nobody look.
  const anything = fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true }).map((value) => () => value)
  const oddity = fc.oneof(anything, fc.constantFrom(...Object.values(strange)))

  it('of any kind make a sound breaker, or an error that names what is wrong; they are not changed (law 18)', () => {
    let made = 0
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...known), oddity, { maxKeys: 2 }), (given) => {
        const options = Object.freeze(Object.fromEntries(Object.entries(given).map(([name, make]) => [name, make()])))
        let breaker: CircuitBreaker
        try {
          breaker = new CircuitBreaker(options)
        } catch (error) {
          if (/do not touch|proxy that has been revoked/.test((error as Error).message)) return
          expect(error instanceof TypeError || error instanceof RangeError, String(error)).toBe(true)
          expect((error as Error).message).toMatch(new RegExp(`^(${known.join('|')})`))
          return
        }
        made++
        for (let n = 0; n < 3; n++) breaker.tryAcquire()?.failure()
        expectSound(breaker)
      }),
      { numRuns: 1_000 },
    )
    expect(made).toBeGreaterThan(10)
  })

  it.each<[string, (value: unknown) => unknown]>([
    ['a breaker', (value) => new CircuitBreaker(value as object)],
    ['a registry', (value) => new BreakerRegistry(value as object)],
    ['a registry, its size', (value) => new BreakerRegistry({ maxSize: value as never })],
    ['a registry, its configure', (value) => new BreakerRegistry({ configure: value as never })],
    ['a key', (value) => new BreakerRegistry({ configure: () => value as never }).for('a')],
    ['anyOf', (value) => anyOf(value as never)],
    ['failureRate', (value) => failureRate(value as never)],
    ['a window', (value) => failureRate({ rate: 1, window: value as never })],
    ['consecutiveFailures', (value) => consecutiveFailures(value as never)],
    ['probes', (value) => probes(value as never)],
    ['gradual', (value) => gradual(value as never)],
    ['a phase', (value) => gradual([value as never])],
    ['exponentialBackoff', (value) => exponentialBackoff(value as never)],
    ['observe', (value) => new CircuitBreaker().observe(value as never)],
    ['observe, of a registry', (value) => new BreakerRegistry().observe(value as never)],
    ['wrap', (value) => new CircuitBreaker().wrap(() => 1, value as never)],
    ['wrap, of a registry', (value) => new BreakerRegistry().wrap(value as never, () => 1)],
    ['ManualClock', (value) => new ManualClock(value as never)],
    ['advance', (value) => new ManualClock().advance(value as never)],
  ])('of %s: whatever is given in their place is taken, or refused by an error that says what was expected (law 18)', (_, use) => {
    fc.assert(
      fc.property(oddity, (make) => {
        try {
          use(make())
        } catch (error) {
          const { message } = error as Error
          // What it threw itself when it was looked at.
          if (/do not touch|proxy that has been revoked/.test(message)) return
          expect(error instanceof TypeError || error instanceof RangeError, String(error)).toBe(true)
          expect(message).toMatch(/expected |unknown (?:option|listener) |got an AbortSignal/)
        }
      }),
    )
  })

  it('of a call, whatever they are, reject and never throw (law 19)', async () => {
    for (const make of Object.values(strange)) {
      const { breaker } = manual()
      for (const options of [make(), { signal: make() }, { fallback: make() }]) {
        let promise: Promise<unknown> = Promise.resolve()
        expect(() => (promise = breaker.execute(() => 1, options as object))).not.toThrow()
        const { ok, value } = await settled(() => promise)
        expect(ok ? value === 1 : value instanceof Error).toBe(true)
      }
      expectSound(breaker)
      expect(breaker.state).toBe('closed')
    }
  })
})

describe('a signal that', () => {
  it.each([1, 2, 3, 4, 5, 6])('breaks the %dth time that it is looked at never makes execute throw, nor keeps a place (law 19)', async (nth) => {
    for (const says of [false, true]) {
      for (const isIll of [false, true]) {
        const { breaker, clock } = isIll ? tripped() : manual()
        clock.advance(1_000)
        for (const fn of [() => 'value', () => Promise.reject(new Error('its own')), () => fault(new Error('its own'))] as (() => unknown)[]) {
          let promise: Promise<unknown> = Promise.resolve()
          expect(() => (promise = breaker.execute(fn, { signal: faultySignal(nth, says) }))).not.toThrow()
          const { ok, value } = await settled(() => promise)
          expect(ok ? value : (value as Error).message).toMatch(/value|its own|a broken|refused/)
          expect(breaker.snapshot().phase?.inFlight ?? 0).toBe(0)
          breaker.reset()
        }
        expectSound(breaker)
      }
    }
  })
})

describe('a clock that', () => {
  const reading = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: -1_000, max: 5_000 }).map((by) => ({ by })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom<unknown>(NaN, Infinity, -Infinity, 5n, '12', null, undefined, {}, true, 1e300, -1e300, Number.MAX_VALUE, -Number.MAX_VALUE, 2 ** 53, -0)
        .map((says) => ({ says })),
    },
    { weight: 1, arbitrary: fc.constant({ throws: true }) },
  )

  it('gives nonsense, steps back, jumps or throws, makes no reader disagree, and wedges nothing (law 2)', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(reading, fc.constantFrom('call', 'fail', 'hang', 'read')), { maxLength: 40 }), (steps) => {
        let time = 1_000
        let now = (): unknown => time
        const breaker = new CircuitBreaker({
          trip: failureRate({ rate: 0.5, window: { calls: 4 }, minimumCalls: 2 }),
          slowCallDuration: 500,
          recoveryTimeout: 1_000,
          probeTimeout: 700,
          clock: { now: () => now() as number },
        })
        let last = -Infinity
        for (const [moved, deed] of steps) {
          if ('by' in moved) {
            time += moved.by
            now = () => time
          } else if ('says' in moved) now = () => moved.says
          else now = () => fault(new Error('a broken clock'))
          if (deed === 'call') breaker.tryAcquire()?.success()
          else if (deed === 'fail') breaker.tryAcquire()?.failure()
          else if (deed === 'hang') breaker.tryAcquire()
          expectSound(breaker)
          const { at } = breaker.snapshot()
          expect(at).toBeGreaterThanOrEqual(last)
          last = at
        }
        // The clock is mended, and the host is well.
        now = () => time
        for (let n = 0; n < 12 && breaker.state !== 'closed'; n++) {
          time += breaker.retryAfterMs + 1_000
          breaker.tryAcquire()?.success()
        }
        expect(breaker.state).toBe('closed')
      }),
      { numRuns: 300 },
    )
  })

  it.each([1e300, 1e308, Number.MAX_VALUE, -Number.MAX_VALUE])(
    'reads %d is refused when the breaker is made, or gives a finite time to wait, however long the wait',
    (start) => {
      for (const recoveryTimeout of [30_000, 1e308, Number.MAX_VALUE]) {
        const options = { failureThreshold: 1, recoveryTimeout, clock: new ManualClock(start) }
        try {
          new CircuitBreaker(options)
        } catch (error) {
          expect((error as Error).message).toMatch(/^clock\.now\(\): expected/)
          continue
        }
        const breaker = new CircuitBreaker(options)
        fail(breaker)
        expectSound(breaker)
      }
    },
  )

  it.each<[string, unknown]>([
    ['NaN', NaN],
    ['Infinity', Infinity],
    ['a BigInt', 5n],
    ['a string', '5'],
    ['a Date', new Date(0)],
    ['a promise', Promise.resolve(5)],
    ['nothing', undefined],
  ])('gives %s at once is refused when the breaker is made (law 18)', (_, value) => {
    expect(() => new CircuitBreaker({ clock: { now: () => value as number } })).toThrow(/clock\.now\(\): expected a finite number/)
  })

  it('throws at once is not taken', () => {
    expect(() => new CircuitBreaker({ clock: { now: () => fault(new Error('a broken clock')) } })).toThrow('a broken clock')
  })
})

/** What a callback may do that it should not. */
const misdeeds: Record<string, () => unknown> = {
  throws: () => fault(new Error('a broken callback')),
  'throws what cannot be looked at': () => fault(untouchable()),
  rejects: () => Promise.reject(new Error('a broken callback')),
  'rejects with what cannot be looked at': () => Promise.reject(revoked()),
  ...Object.fromEntries(Object.entries(strange).map(([name, make]) => [`returns ${name}`, make])),
  'returns a verdict that cannot be read': () => withGetters('openFor', 'then'),
  'returns a verdict of nonsense': () => ({ openFor: NaN }),
  'returns a negative time': () => -1,
  'returns an infinite time': () => Infinity,
}

describe.each(Object.entries(misdeeds))('a callback that %s (law 17)', (_, misdeed) => {
  it.each(['classifyError', 'classifyResult', 'recoveryTimeout', 'random', 'transition', 'settled', 'rejected'] as const)(
    'as %s, takes no caller’s result away, breaks no chain of events, and wedges nothing',
    async (which) => {
      const clock = new ManualClock()
      const bad = misdeed as () => never
      const breaker = new CircuitBreaker({
        failureThreshold: 2,
        clock,
        recoveryTimeout: which === 'recoveryTimeout' ? bad : exponentialBackoff({ initial: 1_000, jitter: 0.5, random: which === 'random' ? bad : () => 0 }),
        ...(which === 'classifyError' && { classifyError: bad }),
        ...(which === 'classifyResult' && { classifyResult: bad }),
      })
      if (which === 'transition' || which === 'settled' || which === 'rejected') breaker.observe({ [which]: bad })
      const chain = chainOf(breaker)
      const unhandled = await unhandledDuring(async () => {
        const own = new Error('its own')
        expect(await breaker.execute(() => 'value')).toBe('value')
        expectSame(await settled(() => breaker.execute(() => fault(own))), own)
        expectSame(await settled(() => breaker.execute(() => Promise.reject(own))), own)
        expectSound(breaker)
        if (breaker.state === 'closed') fail(breaker, 2)
        expect(breaker.state).toBe(breaker.retryAfterMs === 0 ? 'half-open' : 'open')
        breaker.tryAcquire()
        clock.advance(breaker.retryAfterMs)
        for (let n = 0; n < 3 && breaker.state !== 'closed'; n++) {
          clock.advance(breaker.retryAfterMs)
          breaker.acquire().success()
        }
        expect(breaker.state).toBe('closed')
      })
      expect(unhandled).toEqual([])
      const broken = chain.slice(1).filter((step, index) => step.split('>')[0] !== chain[index]!.split('>')[1])
      expect(broken).toEqual([])
    },
  )
})

describe('what else may be broken', () => {
  it('an observer whose listeners cannot be read when they are to be told', () => {
    const { breaker } = manual({ failureThreshold: 1 })
    let isBroken = false
    const observer: Observer = {
      get transition() {
        return isBroken ? fault() : () => {}
      },
    }
    const heard = chainOf(breaker)
    breaker.observe(observer)
    isBroken = true
    fail(breaker)
    expect([breaker.state, heard]).toEqual(['open', ['closed>open']])
  })

  it('a trip whose memory cannot be made, in a registry that is full', async () => {
    const good = consecutiveFailures(3)
    let isBroken = false
    const trip = { ...good, fresh: () => (isBroken ? fault() : good.fresh()) }
    const registry = new BreakerRegistry({ trip, maxSize: 2, clock: new ManualClock() })
    for (const key of ['a', 'b', 'c']) fail(registry.for(key))
    const hanging = deferred<string>()
    const call = registry.execute('b', () => hanging.promise)
    isBroken = true
    hanging.resolve('its own')
    expect(await call).toBe('its own')
    for (const key of ['d', 'e', 'f']) expect(await registry.execute(key, () => key)).toBe(key)
    expect(registry.size).toBe(2)
  })

  it('an Error that lets nobody set how much of a stack is kept', async () => {
    const { breaker } = tripped()
    const was = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')!
    Object.defineProperty(Error, 'stackTraceLimit', { value: 7, writable: false, configurable: true })
    try {
      await expect(breaker.execute(() => 1)).rejects.toBeInstanceOf(CircuitOpenError)
      expect(Error.stackTraceLimit).toBe(7)
    } finally {
      Object.defineProperty(Error, 'stackTraceLimit', was)
    }
    await expect(breaker.execute(() => 1)).rejects.toBeInstanceOf(CircuitOpenError)
    expect(Error.stackTraceLimit).toBe(was.value)
  })

  it('a place where warnings go that is broken itself', async () => {
    vi.spyOn(process, 'emitWarning').mockImplementation(() => fault())
    const { breaker } = manual({ classifyResult: () => fault(new Error(`broken, ${String(Math.random())}`)) })
    expect(await breaker.execute(() => 'value')).toBe('value')
  })
})
