import { describe, expect, it } from 'vitest'
import { BreakerRegistry, CircuitBreaker, ManualClock, anyOf, consecutiveFailures, exponentialBackoff, failureRate, gradual, probes } from '../../src/index.js'
import { fail, manual } from '../support/calls.js'

type Make = (value: unknown) => unknown

const build = (options: Record<string, unknown>) => new CircuitBreaker({ clock: new ManualClock(), ...options })
const rate = (parameters: Record<string, unknown>) => build({ trip: failureRate({ rate: 0.5, window: { calls: 10 }, ...parameters }) })
const timeWindow = (window: Record<string, unknown>) => rate({ window: { ms: 1_000, ...window } })
const phase = (more: Record<string, unknown>) => build({ recovery: gradual([{ ratio: 0.5, successThreshold: 1, ...more }]) })
const backoff = (more: Record<string, unknown>) => build({ recoveryTimeout: exponentialBackoff({ initial: 100, ...more }) })

const never = [NaN, -1, '10', null, {}, [], true, Symbol('5'), 10n]
const count = [...never, 0, -0, 0.5, 1.5, Infinity, 2 ** 53]
const above = [...never, 0, -0, Infinity]
const share = [...never.filter((value) => value !== true), 0, -0, 1.01, 50, Infinity]

/** Option, how to give it, what is wrong, and a value that is right. */
const table: [option: string, make: Make, wrong: unknown[], right: unknown[]][] = [
  ['failureThreshold', (value) => build({ failureThreshold: value }), count, [1, 5, 1_000]],
  ['consecutiveFailures', (value) => build({ trip: consecutiveFailures(value as number) }), count, [1, 5]],
  ['slowCallDuration', (value) => build({ slowCallDuration: value }), [...never, Infinity], [0.5, 100, undefined]],
  ['recoveryTimeout', (value) => build({ recoveryTimeout: value }), [...never.filter((given) => typeof given !== 'object'), Infinity, null], [0, 0.5, 30_000, undefined]],
  ['probeTimeout', (value) => build({ probeTimeout: value }), above, [0.5, 30_000, undefined]],
  ['rate', (value) => rate({ rate: value }), share, [0.01, 1]],
  [
    'slowCallRate',
    (value) => build({ slowCallDuration: 5, trip: failureRate({ rate: 0.5, window: { calls: 10 }, slowCallRate: value as number }) }),
    share,
    [0.01, 1, undefined],
  ],
  ['minimumCalls', (value) => rate({ minimumCalls: value }), [...count, 11], [1, 10, undefined]],
  ['calls', (value) => rate({ window: { calls: value } }), count, [1, 100]],
  ['ms', (value) => timeWindow({ ms: value }), above, [10, 60_000]],
  ['buckets', (value) => timeWindow({ buckets: value }), count, [1, 10, undefined]],
  ['maxConcurrent', (value) => build({ recovery: probes({ maxConcurrent: value as number }) }), count, [1, 3, undefined]],
  ['successThreshold', (value) => build({ recovery: probes({ successThreshold: value as number }) }), count, [1, 3, undefined]],
  ['ratio', (value) => phase({ ratio: value }), share, [0.001, 1]],
  ['successThreshold', (value) => phase({ successThreshold: value }), count, [1, 20]],
  ['maxFailures', (value) => phase({ maxFailures: value }), [...never, 0.5, Infinity], [0, 3, undefined]],
  ['maxConcurrent', (value) => phase({ maxConcurrent: value }), count, [1, undefined]],
  ['maxGap', (value) => phase({ maxGap: value }), [...never, Infinity], [1, 1_000, undefined]],
  ['initial', (value) => backoff({ initial: value }), [...never, Infinity], [1, 1_000]],
  ['max', (value) => backoff({ max: value }), [...never, Infinity], [100, 1e6, undefined]],
  ['factor', (value) => backoff({ factor: value }), [...never, Infinity], [1, 2, 1.5, undefined]],
  ['jitter', (value) => backoff({ jitter: value }), [...never.filter((given) => given !== true), 1.01, Infinity], [0, 0.5, 1, undefined]],
  ['random', (value) => backoff({ random: value }), [5, 'x', null, {}], [Math.random, undefined]],
  ['classifyError', (value) => build({ classifyError: value }), [5, 'x', null, {}], [() => 'failure', undefined]],
  ['classifyResult', (value) => build({ classifyResult: value }), [5, 'x', null, {}], [() => 'success', undefined]],
  ['clock', (value) => build({ clock: value }), [5, 'x', null, {}, { now: 5 }], [new ManualClock(), { now: () => 0 }, undefined]],
  ['trip', (value) => build({ trip: value }), [5, 'x', null, {}, () => {}], [consecutiveFailures(2), undefined]],
  ['recovery', (value) => build({ recovery: value }), [5, 'x', null, () => {}], [probes(), undefined]],
  ['name', (value) => build({ name: value }), [null], ['host', undefined]],
  ['maxSize', (value) => new BreakerRegistry({ maxSize: value as number }), count, [1, 100_000, undefined]],
  ['configure', (value) => new BreakerRegistry({ configure: value as undefined }), [5, 'x', null, {}], [() => undefined, undefined]],
]

const show = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : typeof value === 'bigint' ? `${value}n` : Object.is(value, -0) ? '-0' : String(value)

describe.each(table)('%s (B16, B55, law 18)', (option, make, wrong, right) => {
  it.each(wrong.map((value) => [`${typeof value} ${show(value)}`, value]))('cannot be %s: the error names it', (_, value) => {
    let error: unknown
    try {
      make(value)
    } catch (thrown) {
      error = thrown
    }
    expect(error instanceof TypeError || error instanceof RangeError, `${option} was accepted`).toBe(true)
    expect((error as Error).message).toContain(option)
    expect((error as Error).message).toMatch(/expected .+got /s)
  })

  it.each(right.map((value) => [`${typeof value} ${show(value)}`, value]))('can be %s', (_, value) => {
    expect(() => make(value)).not.toThrow()
  })
})

describe('messages (law 18)', () => {
  it('say the rule and what was got', () => {
    expect(() => build({ recoveryTimeout: NaN })).toThrow(new RangeError('recoveryTimeout: expected a finite number of at least 0, got NaN'))
  })

  it('hint at a fraction when a rate looks like per cent', () => {
    expect(() => rate({ rate: 50 })).toThrow(/0\.5/)
  })

  it.each([
    [{ failureTreshold: 5 }, 'failureThreshold'],
    [{ recoverytimeout: 5 }, 'recoveryTimeout'],
    [{ probeTimeOut: 5 }, 'probeTimeout'],
    [{ resetTimeout: 5 }, 'recoveryTimeout'],
    [{ halfOpenAfter: 5 }, 'recoveryTimeout'],
    [{ errorFilter: () => true }, 'classifyError'],
  ])('hint at the name that was meant: %o', (options, name) => {
    expect(() => build(options)).toThrow(TypeError)
    expect(() => build(options)).toThrow(name)
  })

  it('refuse an unknown name wherever options are taken', () => {
    const wrong = { colour: 'red' }
    expect(() => build(wrong)).toThrow(/colour/)
    expect(() => rate(wrong)).toThrow(/colour/)
    expect(() => timeWindow(wrong)).toThrow(/colour/)
    expect(() => phase(wrong)).toThrow(/colour/)
    expect(() => backoff(wrong)).toThrow(/colour/)
    expect(() => build({ recovery: probes(wrong as object) })).toThrow(/colour/)
    expect(() => new BreakerRegistry(wrong as object)).toThrow(/colour/)
    expect(() => new BreakerRegistry({ name: 'x' } as object)).toThrow(/name/)
  })

  it('refuse what is no object', () => {
    for (const options of [null, 5, 'x', () => {}]) expect(() => new CircuitBreaker(options as object)).toThrow(/expected an object, got/)
  })
})

describe('contradictions (B54, law 18)', () => {
  it.each([
    ['more calls before judging than the window holds', () => failureRate({ rate: 0.5, window: { calls: 5 }, minimumCalls: 10 })],
    ['both kinds of window', () => failureRate({ rate: 0.5, window: { calls: 5, ms: 5 } })],
    ['neither kind of window', () => failureRate({ rate: 0.5, window: {} as { calls: number } })],
    ['no window', () => failureRate({ rate: 0.5 } as { rate: number; window: { calls: number } })],
    ['no rate', () => failureRate({ window: { calls: 5 } } as { rate: number; window: { calls: number } })],
    ['a trip and its short form', () => build({ failureThreshold: 5, trip: consecutiveFailures(5) })],
    ['a slow rate of nothing slow', () => build({ trip: failureRate({ rate: 0.5, window: { calls: 5 }, slowCallRate: 0.5 }) })],
    [
      'a slow rate of nothing slow, among others',
      () => build({ trip: anyOf(consecutiveFailures(3), failureRate({ rate: 0.5, window: { calls: 5 }, slowCallRate: 0.5 })) }),
    ],
    ['a ramp of no phases', () => gradual([])],
    ['any of nothing', () => anyOf()],
    ['a backoff that ends below its beginning', () => exponentialBackoff({ initial: 1_000, max: 500 })],
  ])('%s', (_, make) => {
    expect(make).toThrow(Error)
  })

  it('are not seen where there are none: one place may need three successes', () => {
    expect(() => build({ recovery: probes({ maxConcurrent: 1, successThreshold: 3 }) })).not.toThrow()
    expect(() => build({ failureThreshold: undefined, trip: consecutiveFailures(5) })).not.toThrow()
    expect(() => build({ failureThreshold: 5, trip: undefined })).not.toThrow()
  })
})

describe('nothing and undefined (B55)', () => {
  it('are the defaults', () => {
    for (const options of [
      undefined,
      {},
      { failureThreshold: undefined, recoveryTimeout: undefined, probeTimeout: undefined, trip: undefined, recovery: undefined, name: undefined },
    ]) {
      const clock = new ManualClock()
      const breaker = new CircuitBreaker({ ...options, clock })
      fail(breaker, 4)
      expect(breaker.state).toBe('closed')
      fail(breaker)
      expect(breaker.retryAfterMs).toBe(30_000)
      clock.advance(30_000)
      breaker.acquire()
      expect(breaker.retryAfterMs).toBe(30_000)
    }
    expect(() => new CircuitBreaker()).not.toThrow()
  })

  it('an explicit 0 is honoured where it has a meaning', () => {
    const { breaker } = manual({ recoveryTimeout: 0 })
    fail(breaker)
    expect(breaker.state).toBe('half-open')
    expect(breaker.canExecute).toBe(true)
  })
})

describe('a wait that makes no sense (B48, law 17)', () => {
  it.each([NaN, -1, Infinity, 'x', undefined, null, {}, 10n])('of %o from a function is thirty seconds', (wait) => {
    const { breaker } = manual({ recoveryTimeout: () => wait as number })
    const own = new Error('down')
    fail(breaker, 1, own)
    expect(breaker.snapshot()).toMatchObject({ state: 'open', retryAfterMs: 30_000 })
  })

  it('from a function that throws is thirty seconds, and the caller still gets its own error', async () => {
    const { breaker } = manual({
      recoveryTimeout: () => {
        throw new Error('a bug in the timeout')
      },
    })
    const own = new Error('down')
    await expect(breaker.execute(() => Promise.reject(own))).rejects.toBe(own)
    expect(breaker.retryAfterMs).toBe(30_000)
  })

  it('never comes of a backoff, however often it relapses', () => {
    const { breaker, clock } = manual({ recoveryTimeout: exponentialBackoff({ initial: 1, max: 8_000, factor: 2 }) })
    for (let n = 0; n < 5_000; n++) {
      fail(breaker)
      expect(breaker.retryAfterMs).toBe(n < 13 ? 2 ** n : 8_000)
      clock.advance(breaker.retryAfterMs)
    }
  })

  it.each([
    ['its jitter draws 0', 0, 1_000],
    ['its jitter draws almost 1', 0.999, 500.5],
  ])('when %s is within its bounds, and the same however often it is read', (_, drawn, wait) => {
    let draws = 0
    const random = () => {
      draws++
      return drawn
    }
    const { breaker } = manual({ recoveryTimeout: exponentialBackoff({ initial: 1_000, jitter: 0.5, random }) })
    fail(breaker)
    const before = draws
    for (let n = 0; n < 10; n++) expect(breaker.retryAfterMs).toBeCloseTo(wait, 9)
    expect(draws).toBe(before)
    expect(draws).toBe(1)
  })

  it.each([NaN, -5, 2, Infinity, 'x'])('is not made by a random source that gives %o', (drawn) => {
    const { breaker } = manual({ recoveryTimeout: exponentialBackoff({ initial: 1_000, jitter: 1, random: () => drawn as number }) })
    fail(breaker)
    expect(breaker.retryAfterMs).toBeGreaterThanOrEqual(0)
    expect(breaker.retryAfterMs).toBeLessThanOrEqual(30_000)
  })
})
