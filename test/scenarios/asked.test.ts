// What is asked of the user's own code, and when: whatever it does or gives, nothing is half-done (laws 4, 5, 16 and 17).
import { describe, expect, it, vi } from 'vitest'
import {
  anyOf,
  BreakerRegistry,
  CircuitBreaker,
  consecutiveFailures,
  failureRate,
  findCircuitOpenError,
  gradual,
  ManualClock,
  type Permit,
  type Transition,
  type Trip,
} from '../../src/index.js'
import { unhandledDuring } from '../support/calls.js'

describe('an observer that acts on the breaker when it is asked whether it wants an event', () => {
  it('can reset it while a call reports, which is then late (law 4)', () => {
    const breaker = new CircuitBreaker()
    let armed = false
    breaker.observe({
      settled: () => undefined,
      wanted: () => {
        if (armed) breaker.reset()
        armed = false
        return true
      },
    })
    const permit = breaker.acquire()
    armed = true
    expect(permit.success()).toBe(false)
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 0 })
  })

  it('can open and probe it while a call reports, and the report still throws nothing (laws 5 and 17)', () => {
    const breaker = new CircuitBreaker({ recoveryTimeout: 0 })
    let armed = false
    breaker.observe({
      settled: () => undefined,
      wanted: () => {
        if (armed) {
          armed = false
          breaker.tryAcquire()?.failure(undefined, { openFor: 0 })
          breaker.tryAcquire()
        }
        return true
      },
    })
    const permit = breaker.acquire()
    armed = true
    expect(permit.success()).toBe(false)
  })

  it('leaves a chain of transitions (law 16)', () => {
    const breaker = new CircuitBreaker({ failureThreshold: 1 })
    const told: Transition[] = []
    let armed = true
    breaker.observe({
      transition: (event) => void told.push(event),
      wanted: () => {
        if (armed) {
          armed = false
          breaker.reset()
        }
        return true
      },
    })
    breaker.tryAcquire()?.failure()
    let last = 'closed'
    for (const { from, to } of told) {
      expect(from).toBe(last)
      last = to
    }
    expect(breaker.state).toBe(last)
  })

  describe.each(['trips', 'begins to recover', 'recovers', 'is lost again'] as const)('as the breaker %s', (when) => {
    const acts: Record<string, (breaker: CircuitBreaker) => string> = {
      'forces it open': (breaker) => (breaker.forceOpen(), 'forced-open'),
      'disables it': (breaker) => (breaker.disable(), 'disabled'),
      'resets it': (breaker) => (breaker.reset(), 'closed'),
    }

    it.each(Object.keys(acts))('%s, and that stands: the last decision wins, and every event has happened (law 16)', (act) => {
      const clock = new ManualClock()
      const breaker = new CircuitBreaker({ clock, failureThreshold: 1, recoveryTimeout: 100 })
      const told: string[] = []
      let armed = false
      let decided: string | undefined
      breaker.observe({
        transition: ({ from, to }) => void told.push(`${from}>${to}`),
        wanted: () => {
          if (armed) {
            armed = false
            decided = acts[act]?.(breaker)
          }
          return true
        },
      })
      const arm = (moment: string) => (armed = moment === when)
      const first = breaker.acquire()
      arm('trips')
      first.failure()
      if (when !== 'trips') {
        clock.advance(100)
        arm('begins to recover')
        const probe = breaker.tryAcquire()
        if (arm('recovers')) probe?.success()
        if (arm('is lost again')) probe?.failure()
      }
      expect(decided).toBeDefined()
      expect(breaker.state).toBe(decided)
      let last = 'closed'
      for (const step of told) {
        expect(step.split('>')[0]).toBe(last)
        last = step.split('>')[1]!
      }
      expect(last).toBe(decided)
    })
  })

  it('may probe it as it begins to recover: the places are never more than there are, and the probe decides (law 11)', () => {
    const clock = new ManualClock()
    const breaker = new CircuitBreaker({ clock, failureThreshold: 1, recoveryTimeout: 100 })
    let probe: Permit | undefined
    let armed = false
    breaker.observe({
      transition: () => undefined,
      wanted: () => {
        if (armed) {
          armed = false
          probe = breaker.tryAcquire()
        }
        return true
      },
    })
    breaker.acquire().failure()
    clock.advance(100)
    armed = true
    expect(breaker.tryAcquire()).toBeUndefined()
    expect(breaker.snapshot().phase?.inFlight).toBe(1)
    expect(probe?.success()).toBe(true)
    expect(breaker.state).toBe('closed')
  })

  it.each([
    ['acquire', (breaker: CircuitBreaker) => breaker.acquire()],
    ['tryAcquire', (breaker: CircuitBreaker) => breaker.tryAcquire()],
  ])('may let time go by while %s is refused, which still says how long to wait: never 0', (_name, ask) => {
    const clock = new ManualClock()
    const breaker = new CircuitBreaker({ clock, failureThreshold: 1, recoveryTimeout: 100 })
    breaker.acquire().failure()
    clock.advance(99)
    const waits: number[] = []
    breaker.observe({
      rejected: ({ retryAfterMs }) => void waits.push(retryAfterMs),
      wanted: () => {
        clock.advance(1)
        return breaker.state === 'half-open'
      },
    })
    try {
      ask(breaker)
    } catch (error) {
      waits.push(findCircuitOpenError(error)?.retryAfterMs ?? 0)
    }
    expect(waits.length).toBeGreaterThan(0)
    expect(waits.every((ms) => ms === 1)).toBe(true)
  })

  it('wants nothing if it answers with a promise, whose rejection is nobody’s (law 17)', async () => {
    const settled = vi.fn()
    const unhandled = await unhandledDuring(() => {
      const breaker = new CircuitBreaker()
      breaker.observe({ settled, wanted: (() => Promise.reject(new Error('not now'))) as unknown as () => boolean })
      breaker.acquire().success()
      return Promise.resolve()
    })
    expect(unhandled).toEqual([])
    expect(settled).not.toHaveBeenCalled()
  })
})

describe('a member of anyOf that is broken (law 17)', () => {
  const good: Trip<number> = { needsTime: false, fresh: () => 0, success: () => 0, failure: (n) => n + 1, trips: () => undefined, counts: (failures) => ({ failures }) }
  const fault = (): never => {
    throw new Error('a bug of the trip')
  }

  it.each<[string, Partial<Trip<number>>]>([
    ['whose failure() throws', { failure: fault }],
    ['whose trips() throws', { trips: fault }],
    ['whose trips() gives nonsense', { trips: (() => false) as unknown as Trip<number>['trips'] }],
    ['whose fresh() throws', { fresh: fault }],
    ['whose counts() throws', { counts: fault }],
    ['that is asynchronous by mistake', { failure: (() => Promise.reject(new Error('async'))) as unknown as Trip<number>['failure'] }],
  ])('%s does not keep the others from opening, wherever it stands', async (_, broken) => {
    const unhandled = await unhandledDuring(() => {
      for (const members of [
        [{ ...good, ...broken }, consecutiveFailures(2)],
        [consecutiveFailures(2), { ...good, ...broken }],
      ]) {
        const breaker = new CircuitBreaker({ trip: anyOf(...members) })
        breaker.acquire().failure()
        breaker.acquire().failure()
        expect(breaker.state).toBe('open')
      }
      return Promise.resolve()
    })
    expect(unhandled).toEqual([])
  })

  it('hides no slow calls that another knows of', () => {
    const clock = new ManualClock()
    const rate = (ms: number) => failureRate({ rate: 1, window: { ms }, slowCallRate: 1 })
    const breaker = new CircuitBreaker({ clock, slowCallDuration: 10, trip: anyOf(rate(100), rate(100_000)) })
    const hung = breaker.acquire()
    clock.advance(20)
    hung.ignore()
    clock.advance(1_000)
    expect(breaker.snapshot().slowCalls).toBe(1)
  })
})

describe('the rest of the kind', () => {
  it('a trip that could not fold its first call is not asked whether to open (law 17)', () => {
    const trip: Trip<number> = {
      needsTime: false,
      fresh: () => 0,
      success: () => 0,
      failure: () => {
        throw new Error('a bug of the trip')
      },
      trips: (n) => (n < 3 ? undefined : 'many'),
      counts: (failures) => ({ failures }),
    }
    const breaker = new CircuitBreaker({ trip })
    breaker.acquire().failure()
    expect(breaker.state).toBe('closed')
  })

  it('a list of phases with holes is refused (law 18)', () => {
    expect(() => new CircuitBreaker({ recovery: new Array<never>(2) })).toThrow(/recovery\[0\]: expected an object, got undefined/)
    expect(() => new CircuitBreaker({ recovery: [] })).toThrow(/recovery: expected at least one phase/)
  })

  it('a probe that was slow and then says openFor has failed once', () => {
    const clock = new ManualClock()
    const breaker = new CircuitBreaker({
      clock,
      failureThreshold: 1,
      recoveryTimeout: 0,
      slowCallDuration: 10,
      recovery: gradual([{ ratio: 1, successThreshold: 1, maxFailures: 3 }]),
    })
    const told: Transition[] = []
    breaker.acquire().failure()
    breaker.observe({ transition: (event) => void told.push(event) })
    const probe = breaker.acquire()
    clock.advance(20)
    probe.failure(new Error('later'), { openFor: 50 })
    expect(told.at(-1)).toMatchObject({ to: 'open', reason: 'open-for', failures: 1, calls: 1 })
  })

  it('a forgotten breaker is forced open by the plan that its key has now (law 21)', () => {
    let wait = 1_000
    const registry = new BreakerRegistry({ configure: () => ({ recoveryTimeout: wait }) })
    const held = registry.for('a')
    registry.delete('a')
    wait = 7
    held.forceOpen()
    expect(held.retryAfterMs).toBe(7)
  })

  it('resetAll brings back nobody that a listener forgot meanwhile', () => {
    const registry = new BreakerRegistry({ failureThreshold: 1 })
    for (const key of ['a', 'b', 'c']) registry.for(key).acquire().failure()
    registry.observe({
      transition: ({ name }) => {
        if (name === 'a') for (const key of ['b', 'c']) registry.delete(key)
      },
    })
    registry.resetAll()
    expect([...registry].map(([key]) => key)).toEqual(['a'])
  })

  it('disabled calls are timed for whoever asked for durations', () => {
    const clock = new ManualClock()
    const breaker = new CircuitBreaker({ clock })
    const settled = vi.fn()
    breaker.observe({ settled, durations: true })
    breaker.disable()
    const permit = breaker.acquire()
    clock.advance(5)
    permit.success()
    expect(settled).toHaveBeenCalledWith(expect.objectContaining({ outcome: 'ignored', duration: 5 }))
  })

  it('a platform whose Promise is replaced after the library was loaded is no reason to throw (law 19)', async () => {
    const { Promise: Native } = globalThis
    class Replaced<T> extends Native<T> {}
    Replaced.prototype.then = function (this: Promise<unknown>, ...args: Parameters<Promise<unknown>['then']>) {
      return Native.prototype.then.apply(this, args)
    } as Promise<unknown>['then']
    const breaker = new CircuitBreaker()
    try {
      globalThis.Promise = Replaced
      expect(await breaker.execute(() => 7)).toBe(7)
      expect(await breaker.execute(async () => 8)).toBe(8)
    } finally {
      globalThis.Promise = Native
    }
  })

  it('a promise whose own `then` cannot even be read is adopted as `await` adopts it (law 19)', async () => {
    const odd = Object.defineProperty(Promise.resolve(7), 'then', {
      get: () => {
        throw new Error('do not touch')
      },
    })
    expect(await new CircuitBreaker().execute(() => odd)).toBe(7)
  })

  it.each([
    ['a signal for the options', new AbortController().signal],
    ['a function for the options', () => 42],
    ['a controller for its signal', { signal: new AbortController() }],
  ])('%s is refused', async (_, options) => {
    const fn = vi.fn()
    await expect(new CircuitBreaker().execute(fn, options as object)).rejects.toThrow(/^execute: .*(expected|got an AbortSignal)/)
    expect(() => new CircuitBreaker().acquire(options as object)).toThrow(/^acquire: .*(expected|got an AbortSignal)/)
    expect(fn).not.toHaveBeenCalled()
  })
})
