// What is handed over with a call, or comes back from one: options, permits, signals, fallbacks, wrapped functions.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CircuitOpenError } from '../src/index.js'
import { manual, tripped, unhandledDuring } from './support/calls.js'
import { expectSame, expectSound, settled } from './support/sound.js'
import { fault, faultySignal, strange, thenables, untouchable, withGetters } from './support/strange.js'

// What is wrong on purpose is reported as a warning; here the warnings are of no interest.
beforeEach(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => {}))
afterEach(() => void vi.restoreAllMocks())

/** A breaker whose next call is a probe. */
function recovering() {
  const made = tripped({ failureThreshold: 1 })
  made.clock.advance(1_000)
  return made
}

const hostile: [string, () => unknown][] = [...Object.entries(strange), ['an object of which nothing can be read', () => withGetters('openFor', 'signal', 'fallback', 'aborted', 'reason')]]

describe.each(hostile)('%s', (_, make) => {
  const isNothing = make() === undefined
  const isZero = Object.is(make(), -0)

  it('as the options of failure is a plain failure, and settles the permit (laws 5 and 17)', () => {
    const { breaker } = manual({ failureThreshold: 2 })
    const permit = breaker.acquire()
    expect(permit.failure(new Error('it failed'), make() as object)).toBe(true)
    expect([permit.success(), permit.failure(), permit.ignore()]).toEqual([false, false, false])
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 1 })
    expectSound(breaker)
  })

  it('as openFor is a plain failure, and settles the permit (laws 5 and 17)', () => {
    const { breaker } = manual({ failureThreshold: 2 })
    const permit = breaker.acquire()
    expect(permit.failure(make(), { openFor: make() as number })).toBe(true)
    expect(permit.success()).toBe(false)
    // No time at all is a time.
    expect(breaker.state).toBe(isZero ? 'open' : 'closed')
    expectSound(breaker)
  })

  it('as the options of failure fails a probe, and gives its place back (laws 11 and 14)', () => {
    const { breaker, clock } = recovering()
    expect(breaker.acquire().failure(new Error('it failed'), make() as object)).toBe(true)
    expect(breaker.snapshot()).toMatchObject({ state: 'open', relapses: 1 })
    clock.advance(1_000)
    expect(breaker.tryAcquire()?.success()).toBe(true)
    expect(breaker.state).toBe('closed')
  })

  it.each(['acquire', 'tryAcquire'] as const)('as what %s is given is taken, or refused with an error, and takes no place then (law 18)', (method) => {
    for (const options of [make(), { signal: make() }]) {
      const { breaker } = recovering()
      try {
        expect(breaker[method](options as object)?.success()).toBe(true)
      } catch (error) {
        expect(error instanceof TypeError || (error as Error).message === 'do not touch', String(error)).toBe(true)
        expect(error).not.toBeInstanceOf(CircuitOpenError)
        expect(breaker.canExecute).toBe(true)
      }
      expectSound(breaker)
    }
  })

  it('as the signal that a wrapped function’s arguments give, rejects and never throws, and takes no place (laws 11 and 19)', async () => {
    const { breaker } = recovering()
    let called = 0
    const guarded = breaker.wrap(() => ++called, { signal: () => make() as AbortSignal })
    let promise: Promise<unknown> = Promise.resolve()
    expect(() => (promise = guarded())).not.toThrow()
    const { ok, value } = await settled(() => promise)
    expect(ok ? value === 1 && called === 1 : value instanceof Error && called === 0).toBe(true)
    expect(ok).toBe(isNothing)
    expect(breaker.canExecute).toBe(true)
    expectSound(breaker)
  })

  it('as what a fallback answers reaches its caller as a plain await would give it (law 17)', async () => {
    const { breaker } = tripped()
    const plain = await settled(async () => await make())
    const unhandled = await unhandledDuring(async () => {
      for (const call of [() => breaker.execute(() => 1, { fallback: make }), breaker.wrap(() => 1, { fallback: make })]) {
        const answer = await settled(call)
        expect(answer.ok).toBe(plain.ok)
        // What cannot be looked at rejects with an error made anew each time.
        if (plain.ok && !isMadeAnew(plain.value)) expect(Object.is(answer.value, plain.value)).toBe(true)
      }
    })
    expect(unhandled).toEqual([])
    expectSound(breaker)
  })

  it('as what a fallback throws is what its caller gets (law 17)', async () => {
    const { breaker } = tripped()
    const error = make()
    const throwing = () => fault(error)
    expectSame(await settled(() => breaker.execute(() => 1, { fallback: throwing })), error)
    expectSame(await settled(breaker.wrap(() => 1, { fallback: throwing })), error)
    expect(breaker.snapshot()).toMatchObject({ state: 'open', trips: 1 })
  })

  it('in the place of a function to wrap is refused with a TypeError, or is one (laws 18 and 19)', async () => {
    const { breaker } = manual()
    const fn = make() as () => unknown
    if (typeof fn === 'function') expect(await settled(breaker.wrap(fn))).toEqual(await settled(fn))
    else expect(() => breaker.wrap(fn)).toThrow(/^wrap: expected a function|do not touch|proxy that has been revoked/)
  })

  /** A primitive or an object; each call of `make` gives another. */
  function isMadeAnew(value: unknown): boolean {
    return !Object.is(make(), value)
  }
})

describe('a fallback that answers with something that', () => {
  it.each(Object.entries(thenables))('%s, gives its caller what a plain await would (law 19)', async (_, make) => {
    const { breaker } = tripped()
    const plain = await settled(async () => await make())
    const unhandled = await unhandledDuring(async () => {
      expect(await settled(() => breaker.execute(() => 1, { fallback: make }))).toEqual(plain)
      expect(await settled(breaker.wrap(() => 1, { fallback: make }))).toEqual(plain)
    })
    expect(unhandled).toEqual([])
    expect(breaker.snapshot()).toMatchObject({ state: 'open', trips: 1 })
  })
})

describe('a function to wrap that', () => {
  it('cannot be looked at is not wrapped', () => {
    const { breaker } = manual()
    const traps = { get: () => fault(), getOwnPropertyDescriptor: () => fault() }
    expect(() => breaker.wrap(new Proxy(() => 1, traps))).toThrow('do not touch')
    expectSound(breaker)
  })

  it('cannot be called any more rejects, and is a failure, once (law 19)', async () => {
    const { breaker } = manual({ failureThreshold: 2 })
    let isBroken = false
    const guarded = breaker.wrap(new Proxy(() => 'value', { apply: (target) => (isBroken ? fault() : target()) }))
    expect(await guarded()).toBe('value')
    isBroken = true
    let promise: Promise<unknown> = Promise.resolve()
    expect(() => (promise = guarded())).not.toThrow()
    expect(await settled(() => promise)).toEqual({ ok: false, value: new Error('do not touch') })
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 1 })
  })

  it('finds its signal in arguments that cannot be read rejects, and is not called (law 19)', async () => {
    const { breaker } = recovering()
    let called = 0
    const guarded = breaker.wrap(({ signal }: { signal?: AbortSignal }) => (signal === undefined ? ++called : 0), { signal: ({ signal }) => signal })
    let promise: Promise<unknown> = Promise.resolve()
    expect(() => (promise = guarded(untouchable()))).not.toThrow()
    expect(await settled(() => promise)).toEqual({ ok: false, value: new Error('do not touch') })
    expect([called, breaker.canExecute]).toEqual([0, true])
  })
})

describe('a permit whose signal breaks', () => {
  const reports = ['success', 'failure', 'ignore', 'dispose'] as const

  it.each([1, 2, 3, 4, 5, 6])('the %dth time that it is looked at settles all the same, and frees its place (laws 5 and 17)', (nth) => {
    for (const report of reports) {
      for (const says of [false, true]) {
        for (const isIll of [false, true]) {
          const { breaker } = isIll ? recovering() : manual()
          let permit
          try {
            permit = breaker.acquire({ signal: faultySignal(nth, says) })
          } catch (error) {
            // Whoever is told so when asking has taken nothing.
            expect((error as Error).message).toBe('a broken signal')
            expect([nth, breaker.canExecute]).toEqual([1, true])
            continue
          }
          const settle = { success: () => permit.success(), failure: () => permit.failure(new Error('its own')), ignore: () => permit.ignore(), dispose: () => permit[Symbol.dispose]() }
          expect(() => settle[report]()).not.toThrow()
          expect([permit.success(), permit.failure(), permit.ignore()]).toEqual([false, false, false])
          expect(breaker.snapshot().phase?.inFlight ?? 0).toBe(0)
          expectSound(breaker)
        }
      }
    }
  })
})
