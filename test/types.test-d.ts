// What must compile, and what must not.
/* eslint-disable vitest/expect-expect -- that it compiles, or does not, is the assertion */
import { describe, expectTypeOf, it } from 'vitest'
import {
  anyOf,
  BreakerRegistry,
  CircuitBreaker,
  type CircuitOpenError,
  consecutiveFailures,
  exponentialBackoff,
  failureRate,
  findCircuitOpenError,
  gradual,
  ManualClock,
  probes,
  singleProbe,
  type BreakerLike,
  type CircuitBreakerOptions,
  type Clock,
  type Permit,
  type Recovery,
  type RegistryLike,
  type Snapshot,
  type State,
  type Transition,
  type Trip,
  type Verdict,
} from '../src/index.js'

const breaker = new CircuitBreaker()
const registry = new BreakerRegistry<number>()

describe('execute', () => {
  it('gives what the function gives, awaited once', () => {
    expectTypeOf(breaker.execute(() => 1)).toEqualTypeOf<Promise<number>>()
    expectTypeOf(breaker.execute(() => Promise.resolve('a'))).toEqualTypeOf<Promise<string>>()
    expectTypeOf(breaker.execute(async () => Promise.resolve([1]))).toEqualTypeOf<Promise<number[]>>()
    expectTypeOf(registry.execute(1, () => Promise.resolve('a'))).toEqualTypeOf<Promise<string>>()
  })

  it('may give what the fallback gives instead', () => {
    const answer = breaker.execute(() => Promise.resolve(1), { fallback: (refused) => (expectTypeOf(refused).toEqualTypeOf<CircuitOpenError>(), Promise.resolve(null)) })
    expectTypeOf(answer).toEqualTypeOf<Promise<number | null>>()
  })

  it('takes the signal of any platform', () => {
    expectTypeOf(breaker.execute(() => 1, { signal: new AbortController().signal })).toEqualTypeOf<Promise<number>>()
    expectTypeOf(breaker.execute(() => 1, { signal: undefined, fallback: undefined })).toEqualTypeOf<Promise<number>>()
  })

  it('takes no promise', () => {
    // @ts-expect-error -- the call has been made already
    void breaker.execute(Promise.resolve(1))
  })
})

describe('wrap', () => {
  const fetchUser = (id: number, options?: { signal?: AbortSignal }) => Promise.resolve({ id, options })

  it('keeps the parameters and always gives a promise', () => {
    const guarded = breaker.wrap(fetchUser)
    expectTypeOf(guarded).parameters.toEqualTypeOf<[id: number, options?: { signal?: AbortSignal }]>()
    expectTypeOf(guarded(1)).resolves.toHaveProperty('id')
    expectTypeOf(breaker.wrap((a: string) => a.length)).returns.toEqualTypeOf<Promise<number>>()
    // @ts-expect-error -- no user is named by a string
    void guarded('1')
  })

  it('lets the signal and the fallback take fewer parameters', () => {
    const guarded = breaker.wrap(fetchUser, { signal: (_id, options) => options?.signal, fallback: (_refused, id) => ({ id, cached: true }) })
    expectTypeOf(guarded(1)).toEqualTypeOf<Promise<{ id: number; options: { signal?: AbortSignal } | undefined } | { id: number; cached: boolean }>>()
    breaker.wrap(fetchUser, { signal: () => undefined, fallback: () => null })
  })

  it('keeps `this`', () => {
    class Client {
      base = 'http://a'
      get(path: string) {
        return Promise.resolve(this.base + path)
      }
    }
    const client = new Client()
    client.get = breaker.wrap(client.get.bind(client))
    const loose = breaker.wrap(function (this: Client, path: string) {
      return this.get(path)
    })
    expectTypeOf(loose).thisParameter.toEqualTypeOf<Client>()
  })

  it('of a registry finds the key in the parameters', () => {
    const guarded = registry.wrap((id: number) => id, fetchUser)
    expectTypeOf(guarded).parameter(0).toEqualTypeOf<number>()
    // @ts-expect-error -- keys are numbers here
    registry.wrap((id: number) => String(id), fetchUser)
  })
})

describe('options', () => {
  it('all admit undefined', () => {
    const none: { [O in keyof Required<CircuitBreakerOptions>]: undefined } = {
      name: undefined,
      failureThreshold: undefined,
      trip: undefined,
      slowCallDuration: undefined,
      recoveryTimeout: undefined,
      recovery: undefined,
      probeTimeout: undefined,
      classifyError: undefined,
      classifyResult: undefined,
      clock: undefined,
    }
    new CircuitBreaker(none)
  })

  it('take a classifier of one type of result', () => {
    new CircuitBreaker({ classifyResult: (response: Response) => (response.ok ? 'success' : { openFor: 1_000 }), classifyError: () => undefined })
    new BreakerRegistry({ classifyResult: (response: Response): Verdict => (response.ok ? 'success' : 'failure') })
    // @ts-expect-error -- no verdict
    new CircuitBreaker({ classifyError: () => 'maybe' })
  })

  it('of another name are not known', () => {
    // @ts-expect-error -- it is recoveryTimeout here
    new CircuitBreaker({ resetTimeout: 1_000 })
    // @ts-expect-error -- a registry names its breakers by their keys
    new BreakerRegistry({ name: 'a' })
    // @ts-expect-error -- one clock for all
    new BreakerRegistry({ configure: () => ({ clock: new ManualClock() }) })
    // @ts-expect-error -- either calls or ms
    failureRate({ rate: 0.5, window: { buckets: 3 } })
    // @ts-expect-error -- there is no default rate
    failureRate({ window: { calls: 10 } })
  })

  it('take what the factories give', () => {
    const options: CircuitBreakerOptions = {
      trip: anyOf(consecutiveFailures(3), failureRate({ rate: 0.5, window: { ms: 1_000 } })),
      recovery: probes(),
      recoveryTimeout: exponentialBackoff({ initial: 1_000 }),
      clock: new ManualClock(),
    }
    expectTypeOf<ManualClock>().toExtend<Clock>()
    for (const recovery of [singleProbe(), probes(), gradual(), gradual([{ ratio: 1, successThreshold: 1 }])]) expectTypeOf(recovery).toEqualTypeOf<Recovery>()
    new CircuitBreaker({ ...options, recoveryTimeout: ({ relapses, error }) => (expectTypeOf(error).toBeUnknown(), relapses * 1_000) })
  })

  it('take a trip of one’s own, of any memory', () => {
    const mine: Trip<{ seen: number }> = {
      needsTime: true,
      fresh: () => ({ seen: 0 }),
      success: (memory) => memory,
      failure: (memory, slow, now) => (expectTypeOf(slow).toBeBoolean(), expectTypeOf(now).toBeNumber(), memory),
      trips: (memory) => (memory.seen > 3 ? 'seen' : undefined),
      counts: (memory) => ({ failures: memory.seen }),
    }
    new CircuitBreaker({ trip: mine })
    anyOf(mine, consecutiveFailures(1))
  })
})

describe('the rest', () => {
  it('reads as documented', () => {
    expectTypeOf(breaker.state).toEqualTypeOf<State>()
    expectTypeOf(breaker.canExecute).toBeBoolean()
    expectTypeOf(breaker.retryAfterMs).toBeNumber()
    expectTypeOf(breaker.name).toEqualTypeOf<string | undefined>()
    expectTypeOf(breaker.snapshot()).toEqualTypeOf<Snapshot>()
    expectTypeOf(breaker.acquire()).toEqualTypeOf<Permit>()
    expectTypeOf(breaker.tryAcquire({ signal: undefined })).toEqualTypeOf<Permit | undefined>()
    expectTypeOf(findCircuitOpenError(null)).toEqualTypeOf<CircuitOpenError | undefined>()
    // @ts-expect-error -- read only
    breaker.state = 'closed'
  })

  it('a permit is disposable', () => {
    using permit = breaker.acquire()
    expectTypeOf(permit.failure(new Error('x'), { openFor: 1 })).toBeBoolean()
  })

  it('a registry is generic in its key', () => {
    expectTypeOf(registry.get(1)).toEqualTypeOf<CircuitBreaker | undefined>()
    for (const [key, one] of registry) expectTypeOf([key, one] as const).toEqualTypeOf<readonly [number, CircuitBreaker]>()
    for (const [key] of registry.outages()) expectTypeOf(key).toBeNumber()
    registry.observe({ transition: (event) => expectTypeOf(event).toEqualTypeOf<Transition<number>>() })
    // @ts-expect-error -- keys are numbers here
    registry.for('a')
    expectTypeOf(new BreakerRegistry().for('a')).toEqualTypeOf<CircuitBreaker>()
  })

  it('a breaker and a registry are what adapters take', () => {
    expectTypeOf(breaker).toExtend<BreakerLike>()
    expectTypeOf(registry).toExtend<RegistryLike<number>>()
  })
})
