// What the errors of options say: the option, the rule, what it got, and what may have been meant.
import { describe, expect, it } from 'vitest'
import {
  BreakerRegistry,
  CircuitBreaker,
  exponentialBackoff,
  failureRate,
  gradual,
  ManualClock,
  probes,
  type RateWindow,
} from '../../src/index.js'

const breaker = (options: object) => () => new CircuitBreaker(options)
const registry = (options: object) => () => new BreakerRegistry(options)
const backoff = (more: object) => () => exponentialBackoff({ initial: 100, ...more })
const rate = (more: object) => () => failureRate({ rate: 0.5, window: { calls: 10 }, ...more })
const reading = (now: unknown) => () => new CircuitBreaker({ clock: { now: () => now as number } })

describe('a value that breaks a rule (law 18)', () => {
  it.each([
    ['of another kind is a TypeError', breaker({ recoveryTimeout: '5' }), new TypeError('recoveryTimeout: expected a finite number of at least 0, got "5"')],
    ['out of range is a RangeError', breaker({ recoveryTimeout: -5 }), new RangeError('recoveryTimeout: expected a finite number of at least 0, got -5')],
    ['is told from zero', breaker({ recoveryTimeout: -0 }), new RangeError('recoveryTimeout: expected a finite number of at least 0, got -0')],
    ['that is a number is a TypeError where none belongs', breaker({ name: 5 }), new TypeError('name: expected a string, got 5')],
  ])('%s', (_, make, error) => {
    expect(make).toThrow(error)
    expect(make).toThrow(error.constructor)
  })

  it.each([
    [0, ''],
    [1.5, '; 1.5 % is 0.015'],
    [50, '; 50 % is 0.5'],
    [100, '; 100 % is 1'],
    [101, ''],
    [NaN, ''],
    [-1, ''],
  ])('a rate of %d is taken for per cent only where it may have been meant so', (value, hint) => {
    expect(rate({ rate: value })).toThrow(new RangeError(`rate: expected a number above 0 and at most 1, got ${String(value)}${hint}`))
  })

  it('is never taken for per cent where the rule is about something else', () => {
    expect(breaker({ failureThreshold: 1.5 })).toThrow(new RangeError('failureThreshold: expected a whole number of at least 1, got 1.5'))
  })

  it('says each rule in its words', () => {
    expect(() => gradual([{ ratio: 1, successThreshold: 1, maxFailures: -1 }])).toThrow('gradual[0].maxFailures: expected a whole number of at least 0, got -1')
    expect(backoff({ factor: 0.5 })).toThrow('factor: expected a finite number of at least 1, got 0.5')
    expect(backoff({ jitter: 2 })).toThrow('jitter: expected a number from 0 to 1, got 2')
    expect(backoff({ initial: 0 })).toThrow('initial: expected a finite number above 0, got 0')
    expect(() => new CircuitBreaker({ clock: new ManualClock() }).observe({ durations: 1 as never })).toThrow('durations: expected true or false, got 1')
  })

  it.each([2 ** 53, -(2 ** 53), Infinity, NaN, '5'])('a first reading of %o is beyond what a clock may show (law 2)', (now) => {
    expect(reading(now)).toThrow(`clock.now(): expected a finite number of milliseconds, within 2^53, got ${typeof now === 'string' ? '"5"' : String(now)}`)
  })

  it.each([Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 0.5])('a first reading of %d is not', (now) => {
    expect(reading(now)).not.toThrow()
  })
})

describe('options that are no object (law 18)', () => {
  it.each([
    [null, 'null'],
    [5, '5'],
    [['failureThreshold'], 'an array'],
    [Promise.resolve({}), 'a promise'],
  ])('%o: the error says what they are', (options, shown) => {
    expect(breaker(options as object)).toThrow(new TypeError(`options: expected an object, got ${shown}`))
  })

  it('but the function to guard: the error says where that goes', () => {
    expect(breaker(() => 1)).toThrow(new TypeError('options: expected an object, got a function; the function goes to execute(fn) or wrap(fn)'))
  })

  it('but a list of no phases: the error says that there are none', () => {
    expect(() => gradual([])).toThrow(new TypeError('gradual: expected at least one phase, got none'))
    expect(breaker({ recovery: [] })).toThrow(new TypeError('recovery: expected at least one phase, got none'))
    expect(breaker({ recovery: 'probes' })).toThrow(new TypeError('recovery: expected a list of phases, as probes() gives, got "probes"'))
  })
})

describe('an unknown option (law 18)', () => {
  const messageOf = (make: () => unknown) => {
    try {
      make()
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError)
      return (error as Error).message
    }
    throw new Error('it was accepted')
  }

  it.each([
    // Misspelt: up to about a quarter of the letters.
    ['failureTreshold', breaker, 'did you mean failureThreshold?'],
    ['RECOVERYTIMEOUT', breaker, 'did you mean recoveryTimeout?'],
    ['recoveryTime', breaker, 'did you mean recoveryTimeout?'],
    ['cloc', breaker, 'did you mean clock?'],
    ['slock', breaker, 'did you mean clock?'],
    ['clOckk', breaker, 'did you mean clock?'],
    // As another library calls it.
    ['resetTimeout', breaker, 'did you mean recoveryTimeout?'],
    ['errorFilter', breaker, 'did you mean classifyError?'],
    ['maxWaitDurationInHalfOpenState', breaker, 'did you mean probeTimeout?'],
    ['slowCallDurationThreshold', breaker, 'did you mean slowCallDuration?'],
    ['readyToTrip', breaker, 'did you mean trip?'],
    ['key', breaker, 'did you mean name?'],
    ['initialDelay', backoff, 'did you mean initial?'],
    ['maxDelay', backoff, 'did you mean max?'],
    ['multiplier', backoff, 'did you mean factor?'],
    ['threshold', rate, 'did you mean rate?'],
    // It belongs elsewhere.
    ['rate', breaker, 'did you mean trip: failureRate({ rate })?'],
    ['errorThresholdPercentage', breaker, 'did you mean trip: failureRate({ rate })?'],
    ['slowCallRateThreshold', breaker, 'did you mean trip: failureRate({ slowCallRate })?'],
    ['slidingWindowType', breaker, 'did you mean trip: failureRate({ window })?'],
    ['ms', breaker, 'did you mean trip: failureRate({ window: { ms } })?'],
    ['calls', breaker, 'did you mean trip: failureRate({ window: { calls } })?'],
    ['maxRequests', breaker, 'did you mean recovery: probes({ maxConcurrent })?'],
    ['halfOpenSampling', breaker, 'did you mean recovery: probes({ successThreshold })?'],
    ['success', breaker, 'did you mean observe({ settled })?'],
    ['reject', breaker, 'did you mean observe({ rejected })?'],
    ['allowWarmUp', breaker, 'did you mean trip: failureRate({ minimumCalls })?'],
    ['jitter', breaker, 'did you mean recoveryTimeout: exponentialBackoff({ jitter })?'],
    ['abortController', breaker, 'did you mean execute(fn, { signal })?'],
    ['fallback', breaker, 'did you mean execute(fn, { fallback })?'],
    ['open', breaker, 'did you mean observe({ transition })?'],
    ['configure', breaker, 'it is an option of BreakerRegistry'],
    ['maxSize', breaker, 'it is an option of BreakerRegistry'],
    ['name', registry, 'a registry names its breakers by their keys'],
    ['key', registry, 'a registry names its breakers by their keys'],
    // It is nowhere.
    ['timeout', breaker, 'this library ends no call: pass AbortSignal.timeout(ms) to yours, or see slowCallDuration'],
    ['capacity', registry, 'concurrency is limited only while half-open; use a semaphore around the call'],
    ['enabled', breaker, 'breaker.disable() turns it off'],
    ['cache', breaker, 'this library caches nothing'],
  ])('%s: the error knows what may have been meant', (name, make, hint) => {
    expect(messageOf(make({ [name]: 1 }))).toMatch(new RegExp(`^(options|failureRate|exponentialBackoff): unknown option "${name}"; `))
    expect(messageOf(make({ [name]: 1 })).split('"; ')[1]).toBe(hint)
  })

  it('that is like none of the known is told which those are', () => {
    expect(messageOf(backoff({ colour: 'red' }))).toBe('exponentialBackoff: unknown option "colour"; known are initial, max, factor, jitter, random')
    expect(messageOf(backoff({ fctr: 2 }))).toBe('exponentialBackoff: unknown option "fctr"; known are initial, max, factor, jitter, random')
    expect(messageOf(() => failureRate({ rate: 0.5, window: { '': 5 } as unknown as RateWindow }))).toBe('window: unknown option ""; known are calls, ms, buckets')
  })

  it('that is as near to two of the known is taken for the first of them', () => {
    expect(messageOf(() => probes({ mx: 1 } as object))).toBe('probes: unknown option "mx"; known are maxConcurrent, successThreshold')
    expect(messageOf(breaker({ classifyErrult: 1 }))).toBe('options: unknown option "classifyErrult"; did you mean classifyError?')
  })

  it('that is a listener is called so', () => {
    const observe = (observer: object) => () => new CircuitBreaker({ clock: new ManualClock() }).observe(observer)
    expect(messageOf(observe({ open: () => {} }))).toBe('observe: unknown listener "open"; did you mean transition?')
    expect(messageOf(observe({ duration: true }))).toBe('observe: unknown listener "duration"; did you mean durations?')
  })

  it('beside the known ones is found all the same', () => {
    expect(messageOf(breaker({ failureThreshold: 5, clock: undefined, colour: 'red' }))).toContain('unknown option "colour"')
  })
})
