import { describe, expect, it } from 'vitest'
import { type CircuitBreaker, CircuitOpenError, type Settled } from '../../src/index.js'
import { deferred, fail, manual, rejectionOf, tripped, unhandledDuring } from '../support/calls.js'

function counted(breaker: CircuitBreaker): Settled[] {
  const settled: Settled[] = []
  breaker.observe({ settled: (event) => void settled.push(event) })
  return settled
}

describe('the call that trips (B25)', () => {
  it('rejects with its own error, untouched; the next with a refusal that names it as cause', async () => {
    const { breaker } = manual({ name: 'host' })
    const error = Object.assign(new TypeError('timed out'), { attempt: 3 })
    expect(await rejectionOf(breaker.execute(() => Promise.reject(error)))).toBe(error)
    expect(breaker.state).toBe('open')
    const refusal = await rejectionOf(breaker.execute(() => 1))
    expect(refusal).toBeInstanceOf(CircuitOpenError)
    expect(refusal).toMatchObject({ name: 'CircuitOpenError', code: 'ERR_CIRCUIT_OPEN', breaker: 'host', reason: 'open', retryAfterMs: 1_000 })
    expect((refusal as Error).cause).toBe(error)
  })

  it.each([
    ['a string', 'broken'],
    ['undefined', undefined],
    ['null', null],
    ['a frozen object', Object.freeze({ code: 7 })],
  ])('may reject with %s: the caller gets just that', async (_, thrown) => {
    const { breaker } = manual()
    expect(await rejectionOf(breaker.execute(() => Promise.reject(thrown)))).toBe(thrown)
    expect(breaker.state).toBe('open')
  })
})

describe('a synchronous throw (B31, law 19)', () => {
  const error = new Error('before the first await')
  const explode = (): never => {
    throw error
  }

  it('is a rejection, and counts once', async () => {
    const { breaker } = manual({ failureThreshold: 5 })
    const settled = counted(breaker)
    expect(await rejectionOf(breaker.execute(explode))).toBe(error)
    expect(settled).toMatchObject([{ outcome: 'failure', error }])
    expect(breaker.snapshot().failures).toBe(1)
  })

  it('frees the place of a probe, and reopens', async () => {
    const { breaker, clock } = tripped()
    clock.advance(1_000)
    expect(await rejectionOf(breaker.execute(explode))).toBe(error)
    expect(breaker.state).toBe('open')
    clock.advance(1_000)
    expect(await breaker.execute(() => 'well')).toBe('well')
  })

  it('is a rejection of a wrapped function, too', async () => {
    const { breaker } = manual({ failureThreshold: 5 })
    expect(await rejectionOf(breaker.wrap(explode)())).toBe(error)
    expect(breaker.snapshot().failures).toBe(1)
  })
})

describe('what a function may return (B31, law 19)', () => {
  it('a value that is no promise is a success', async () => {
    const { breaker } = manual()
    const settled = counted(breaker)
    expect(await breaker.execute(() => 7)).toBe(7)
    expect(await breaker.execute(() => undefined)).toBeUndefined()
    expect(settled.map(({ outcome }) => outcome)).toEqual(['success', 'success'])
  })

  it('a thenable that calls both callbacks, twice, counts once: the first', async () => {
    const { breaker } = manual({ failureThreshold: 5 })
    const settled = counted(breaker)
    const twice = {
      then(yes: (value: string) => void, no: (reason: unknown) => void) {
        yes('first')
        no(new Error('second'))
        yes('third')
      },
    }
    expect(await breaker.execute(() => twice as unknown as PromiseLike<string>)).toBe('first')
    expect(settled.map(({ outcome }) => outcome)).toEqual(['success'])
  })

  it('a thenable whose getter throws is a failure, once', async () => {
    const { breaker } = manual({ failureThreshold: 5 })
    const settled = counted(breaker)
    const error = new Error('no then for you')
    const hostile = {
      get then(): never {
        throw error
      },
    }
    expect(await rejectionOf(breaker.execute(() => hostile))).toBe(error)
    expect(settled).toMatchObject([{ outcome: 'failure', error }])
  })

  it('a thenable whose then throws after it has resolved is a success', async () => {
    const { breaker } = manual()
    const hasty = {
      then(yes: (value: string) => void) {
        yes('done')
        throw new Error('too late to matter')
      },
    }
    expect(await breaker.execute(() => hasty as unknown as PromiseLike<string>)).toBe('done')
    expect(breaker.state).toBe('closed')
  })

  it('a thenable is adopted once', async () => {
    const { breaker } = manual()
    let asked = 0
    let called = 0
    const lazy = {
      get then() {
        asked++
        return (yes: (value: string) => void) => {
          called++
          yes('value')
        }
      },
    }
    expect(await breaker.execute(() => lazy as unknown as PromiseLike<string>)).toBe('value')
    expect([asked, called]).toEqual([1, 1])
  })

  it('a thenable that never calls back is a hung call, and takes no more than a place', async () => {
    const { breaker, clock } = tripped({ probeTimeout: 5_000 })
    clock.advance(1_000)
    void breaker.execute(() => ({ then() {} }) as unknown as PromiseLike<never>)
    await Promise.resolve()
    expect(breaker.canExecute).toBe(false)
    clock.advance(5_000)
    expect(await breaker.execute(() => 'well')).toBe('well')
    expect(breaker.state).toBe('closed')
  })

  it('a promise is resolved with its own value, and a refused one adds no unhandled rejection', async () => {
    const { breaker } = tripped()
    const unhandled = await unhandledDuring(async () => {
      await breaker.execute(() => 1).catch(() => {})
      await breaker.execute(() => 1, { fallback: () => 'old' })
    })
    expect(unhandled).toEqual([])
  })
})

describe('what is no function (B31, B80, law 19)', () => {
  it.each([
    ['a number', 42],
    ['undefined', undefined],
    ['an object', {}],
  ])('%s is a TypeError, by rejection; nothing is counted and no place is taken', async (_, value) => {
    const { breaker, clock } = tripped()
    clock.advance(1_000)
    const settled = counted(breaker)
    const attempt = breaker.execute(value as unknown as () => number)
    expect(await rejectionOf(attempt)).toBeInstanceOf(TypeError)
    expect(settled).toEqual([])
    expect(breaker.snapshot().phase?.inFlight).toBe(0)
    expect(breaker.canExecute).toBe(true)
  })

  it('a promise gets a hint that a function is wanted', async () => {
    const { breaker } = manual()
    const given = Promise.resolve(1) as unknown as () => number
    const error = await rejectionOf(breaker.execute(given))
    expect(error).toBeInstanceOf(TypeError)
    expect((error as Error).message).toMatch(/function/)
    expect((error as Error).message).toMatch(/=>/)
  })

  it('a promise that rejects, given for a function, is not left unhandled by us twice', async () => {
    const { breaker } = manual()
    const given = Promise.reject(new Error('its own'))
    given.catch(() => {})
    const unhandled = await unhandledDuring(() => rejectionOf(breaker.execute(given as unknown as () => number)))
    expect(unhandled).toEqual([])
  })
})

describe('a refusal of execute (B32, law 19)', () => {
  it('is a rejection, never a throw at the call site', async () => {
    const { breaker } = tripped()
    const unhandled = await unhandledDuring(async () => {
      const promise = breaker.execute(() => 1)
      expect(promise).toBeInstanceOf(Promise)
      expect(await promise.catch((error: unknown) => error)).toBeInstanceOf(CircuitOpenError)
    })
    expect(unhandled).toEqual([])
  })

  it('is a throw of acquire, which is synchronous, and undefined of tryAcquire', () => {
    const { breaker } = tripped()
    expect(() => breaker.acquire()).toThrow(CircuitOpenError)
    expect(breaker.tryAcquire()).toBeUndefined()
  })

  it('does not call the function, and counts nothing', async () => {
    const { breaker } = tripped()
    let called = false
    await rejectionOf(breaker.execute(() => void (called = true)))
    expect(called).toBe(false)
    expect(breaker.snapshot().failures).toBe(0)
  })

  it('is a new object for each call, without a stack of its own', async () => {
    const { breaker } = tripped()
    const [one, two] = [await rejectionOf(breaker.execute(() => 1)), await rejectionOf(breaker.execute(() => 1))]
    expect(one).not.toBe(two)
    expect((one as Error).stack ?? '').not.toMatch(/\n\s+at /)
  })

  it('leaves the process its own limit of stack frames', async () => {
    const limit = Error.stackTraceLimit
    await rejectionOf(tripped().breaker.execute(() => 1))
    expect(Error.stackTraceLimit).toBe(limit)
    expect(new Error('ordinary').stack).toMatch(/\n\s+at /)
  })
})

describe('a fallback', () => {
  it('answers refused calls, with their error, and nothing else', async () => {
    const { breaker } = manual()
    const seen: unknown[] = []
    const fallback = (error: unknown) => {
      seen.push(error)
      return 'yesterday'
    }
    const own = new Error('its own')
    expect(await rejectionOf(breaker.execute(() => Promise.reject(own), { fallback }))).toBe(own)
    expect(seen).toEqual([])
    expect(await breaker.execute(() => 'today', { fallback })).toBe('yesterday')
    expect(seen[0]).toBeInstanceOf(CircuitOpenError)
  })

  it('may throw: that is what the caller gets', async () => {
    const { breaker } = tripped()
    const own = new Error('nothing in the cache')
    const fallback = (): never => {
      throw own
    }
    expect(await rejectionOf(breaker.execute(() => 1, { fallback }))).toBe(own)
    expect(await rejectionOf(breaker.execute(() => 1, { fallback: () => Promise.reject(own) }))).toBe(own)
  })

  it('of a wrapped function gets its arguments after the error', async () => {
    const { breaker } = tripped()
    const guarded = breaker.wrap((a: number, b: number) => a + b, { fallback: (_error: unknown, a: number, b: number) => a * b })
    expect(await guarded(3, 5)).toBe(15)
  })
})

describe('a wrapped function (B70)', () => {
  it('keeps this and every argument, call by call', async () => {
    const { breaker } = manual()
    class Client {
      constructor(readonly base: string) {}
      async get(this: Client, path: string, ...more: number[]) {
        return [this.base, path, ...more]
      }
    }
    Client.prototype.get = breaker.wrap(Client.prototype.get)
    expect(await new Client('a').get('/x', 1, 2)).toEqual(['a', '/x', 1, 2])
    expect(await new Client('b').get('/y')).toEqual(['b', '/y'])
  })

  it('always gives a promise, of a synchronous function too', async () => {
    const { breaker } = manual()
    const guarded = breaker.wrap((n: number) => n + 1)
    expect(guarded(1)).toBeInstanceOf(Promise)
    expect(await guarded(1)).toBe(2)
  })

  it('is refused like any other call', async () => {
    const { breaker } = tripped()
    expect(await rejectionOf(breaker.wrap(() => 1)())).toBeInstanceOf(CircuitOpenError)
  })

  it('is checked when wrapping', () => {
    const { breaker } = manual()
    expect(() => breaker.wrap(42 as unknown as () => number)).toThrow(TypeError)
  })

  it('goes through the same classifiers as execute (B68)', async () => {
    const table = [
      { call: () => ({ status: 500 }), failures: 1 },
      { call: () => ({ status: 404 }), failures: 0 },
      { call: () => Promise.resolve({ status: 503 }), failures: 1 },
      { call: () => Promise.reject(new RangeError('ours')), failures: 0 },
      { call: () => Promise.reject(new Error('theirs')), failures: 1 },
    ]
    for (const { call, failures } of table) {
      for (const way of ['execute', 'wrap'] as const) {
        const { breaker } = manual({
          failureThreshold: 9,
          classifyError: (error) => (error instanceof RangeError ? 'ignored' : 'failure'),
          classifyResult: (value) => ((value as { status: number }).status >= 500 ? 'failure' : 'success'),
        })
        const run: () => Promise<unknown> = way === 'execute' ? () => breaker.execute<unknown>(call) : breaker.wrap<() => unknown>(call)
        const [answer, plain] = [await run().catch((error: unknown) => error), await Promise.resolve(call()).catch((error: unknown) => error)]
        expect(answer).toEqual(plain)
        expect(breaker.snapshot().failures).toBe(failures)
      }
    }
  })
})

describe('a result that is a failure (B68)', () => {
  it('is handed over as it is', async () => {
    const response = { status: 500 }
    const { breaker } = manual({ classifyResult: () => 'failure', classifyError: () => 'ignored' })
    expect(await breaker.execute(() => response)).toBe(response)
    expect(breaker.state).toBe('open')
  })
})

describe('a late answer', () => {
  it('still reaches its own caller, and nobody else (law 4)', async () => {
    const { breaker, clock } = manual()
    const slow = deferred<string>()
    const answer = breaker.execute(() => slow.promise)
    fail(breaker)
    clock.advance(1_000)
    const probe = breaker.acquire()
    slow.resolve('at last')
    expect(await answer).toBe('at last')
    expect(breaker.state).toBe('half-open')
    probe.success()
    expect(breaker.state).toBe('closed')
  })
})
