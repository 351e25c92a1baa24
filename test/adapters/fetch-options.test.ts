// Options and verdicts that need no server.
import { runInThisContext } from 'node:vm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { breakerFetch, type BreakerFetchOptions } from '../../src/adapters/fetch.js'
import { BreakerRegistry, CircuitBreaker, ManualClock } from '../../src/index.js'
import { unhandledDuring } from '../support/calls.js'
import { Ledger } from '../support/outcomes.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const valid = "expected 'success', 'failure', 'ignored' or { openFor: ms }, so its default is used"

/** The verdict on one answer. */
async function verdictOn(status: number, options: BreakerFetchOptions = {}, headers: Record<string, string> = {}) {
  const breaker = new CircuitBreaker({ clock: new ManualClock(), failureThreshold: 3, recoveryTimeout: 1_000 })
  const ledger = new Ledger(breaker)
  const response = new Response(null, { status, headers })
  const fetch = breakerFetch(breaker, { fetch: () => Promise.resolve(response), ...options })
  expect(await fetch('http://a.example')).toBe(response)
  return { verdict: ledger.verdict, opensFor: ledger.transitions[0]?.recoveryTimeout }
}

describe('options are checked once, and not repaired (law 18)', () => {
  it.each<[unknown, string]>([
    [{ retryafter: true }, 'breakerFetch: unknown option "retryafter"; known are fetch, key, classify, retryAfter, body, fallback'],
    [{ failureThreshold: 5 }, 'breakerFetch: unknown option "failureThreshold"; known are fetch, key, classify, retryAfter, body, fallback'],
    [null, 'breakerFetch: expected an object of options, got null'],
    [[], 'breakerFetch: expected an object of options, got an array'],
    ['origin', 'breakerFetch: expected an object of options, got "origin"'],
    [{ fetch: 'fetch' }, 'fetch: expected a function, got "fetch"'],
    [{ fetch: null }, 'fetch: expected a function, got null'],
    [{ key: 'origin' }, 'key: expected a function, got "origin"'],
    [{ classify: { 429: 'failure' } }, 'classify: expected a function, got an object'],
    [{ fallback: new Response() }, 'fallback: expected a function, got an object'],
    [{ body: 'ignore' }, `body: expected 'settle', got "ignore"`],
    [{ body: () => {} }, `body: expected 'settle', got a function`],
    [{ retryAfter: null }, 'retryAfter: expected true, false or { max }, got null'],
    [{ retryAfter: 60_000 }, 'retryAfter: expected true, false or { max }, got 60000'],
    [{ retryAfter: { maximum: 1 } }, 'retryAfter: unknown option "maximum"; known are max'],
    [{ retryAfter: { max: 0 } }, 'retryAfter: max: expected a finite number of milliseconds above 0, got 0'],
    [{ retryAfter: { max: NaN } }, 'retryAfter: max: expected a finite number of milliseconds above 0, got NaN'],
    [{ retryAfter: { max: Infinity } }, 'retryAfter: max: expected a finite number of milliseconds above 0, got Infinity'],
    [{ retryAfter: { max: '60' } }, 'retryAfter: max: expected a finite number of milliseconds above 0, got "60"'],
  ])('%j', (options, message) => {
    expect(() => breakerFetch(new BreakerRegistry(), options as BreakerFetchOptions)).toThrow(message)
  })

  it.each([undefined, null, 'http://a.example', {}, () => {}])('what is neither a registry nor a breaker is named: %s', (guards) => {
    expect(() => breakerFetch(guards as never)).toThrow(/^breakerFetch: expected a registry or a breaker, got /)
  })

  it('undefined is the default of each, and what is done to the object later changes nothing', async () => {
    const options: { -readonly [K in keyof BreakerFetchOptions]: BreakerFetchOptions[K] } = {
      key: undefined,
      classify: undefined,
      retryAfter: undefined,
      body: undefined,
      fallback: undefined,
    }
    options.fetch = () => Promise.resolve(new Response(null, { status: 204 }))
    const fetch = breakerFetch(new BreakerRegistry(), options)
    options.fetch = () => Promise.reject(new Error('not this one'))
    expect((await fetch('http://a.example')).status).toBe(204)
  })
})

describe('a status is judged', () => {
  it.each([
    [100, 'success'],
    [200, 'success'],
    [204, 'success'],
    [301, 'success'],
    [304, 'success'],
    [400, 'success'],
    [401, 'success'],
    [403, 'success'],
    [404, 'success'],
    [409, 'success'],
    [422, 'success'],
    [499, 'success'],
    [408, 'ignored'],
    [429, 'ignored'],
    [500, 'failure'],
    [501, 'failure'],
    [502, 'failure'],
    [503, 'failure'],
    [504, 'failure'],
    [599, 'failure'],
  ])('%i: %s', async (status, verdict) => {
    const breaker = new CircuitBreaker()
    const ledger = new Ledger(breaker)
    const response = Object.defineProperty(new Response(), 'status', { value: status })
    expect(await breakerFetch(breaker, { fetch: () => Promise.resolve(response) })('http://a.example')).toBe(response)
    expect(ledger.verdict).toBe(verdict)
  })

  it('as classify says, if it says anything', async () => {
    const classify = (status: number, response: Response) => (status === 404 ? 'failure' : response.headers.has('x-throttled') ? 'ignored' : undefined)
    expect(await verdictOn(404, { classify })).toMatchObject({ verdict: 'failure' })
    expect(await verdictOn(200, { classify }, { 'x-throttled': '1' })).toMatchObject({ verdict: 'ignored' })
    expect(await verdictOn(500, { classify })).toMatchObject({ verdict: 'failure' })
    expect(await verdictOn(200, { classify: () => ({ openFor: 9_000 }) })).toEqual({ verdict: 'failure, opens for 9 s', opensFor: 9_000 })
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
      'classify threw: Error: broken',
    ],
    [
      'throws no error',
      () => {
        throw 'broken'
      },
      'classify threw: "broken"',
    ],
    ['returns nonsense', () => 'bad', `classify returned "bad"; ${valid}`],
    ['returns null', () => null, `classify returned null; ${valid}`],
    ['returns a time that is none', () => ({ openFor: -1 }), `classify returned an object; ${valid}`],
    ['returns a promise, which rejects', () => Promise.reject(new Error('async')), `classify returned an object; ${valid}`],
  ])('as by default when classify %s, which is said once (law 17)', async (_what, classify, message) => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const unhandled = await unhandledDuring(async () => {
      expect(await verdictOn(500, { classify: classify as () => 'failure' })).toMatchObject({ verdict: 'failure' })
      expect(await verdictOn(200, { classify: classify as () => 'failure' })).toMatchObject({ verdict: 'success' })
    })
    expect(unhandled).toEqual([])
    // Two of these say the same, of which the second is not said again.
    for (const call of warn.mock.calls) expect(call).toEqual([message, 'LazybreakerWarning'])
    expect(warn.mock.calls.length).toBeLessThanOrEqual(1)
  })
})

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1, 12)
  const opensFor = async (value: string | undefined, options: BreakerFetchOptions = { retryAfter: true }, status = 503) => {
    vi.useFakeTimers({ toFake: ['Date'], now })
    return (await verdictOn(status, options, value === undefined ? {} : { 'retry-after': value })).opensFor
  }

  it.each([
    ['5', 5_000],
    ['120', 120_000],
    [' 120 ', 120_000],
    ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
    ['Thu, 01 Jan 2026 12:09:59 GMT', 599_000],
  ])('%j opens for %i ms', async (value, ms) => {
    expect(await opensFor(value)).toBe(ms)
    expect(await opensFor(value, { retryAfter: {} }, 429)).toBe(ms)
  })

  it.each(['0', 'Thu, 01 Jan 2026 11:59:59 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
    '%j trips too, for the recovery timeout, which is the least (law 1)',
    async (value) => {
      expect(await opensFor(value)).toBe(1_000)
    },
  )

  it('is followed for ten minutes at most, or for what max says, however much it asks', async () => {
    for (const value of ['3600', '9'.repeat(400), 'Fri, 01 Jan 2100 00:00:00 GMT']) {
      expect(await opensFor(value)).toBe(600_000)
      expect(await opensFor(value, { retryAfter: { max: 2_500 } })).toBe(2_500)
    }
    expect(await opensFor('7200', { retryAfter: { max: 86_400_000 } })).toBe(7_200_000)
  })

  it.each([
    undefined,
    '',
    'soon',
    '-5',
    '1.5',
    '5 s',
    '1e3',
    '0x10',
    '120, 60',
    '2026-01-01T12:00:30Z',
    'Thursday, 01-Jan-26 12:00:30 GMT',
    'Thu Jan  1 12:00:30 2026',
    'Thu, 01 Jan 2026 12:00:30 +0100',
    'Thu, 01 Jan 2026 12:00:30 GMT, again',
    'Thu, 01 Jan 2026 12:00:30 GMT+0100',
    'not before Thu, 01 Jan 2026 12:00:30 GMT',
    'Thu, 01 Jan 2026 25:00:00 GMT',
  ])('%j says nothing', async (value) => {
    expect(await opensFor(value)).toBeUndefined()
    const headers: Record<string, string> = value === undefined ? {} : { 'retry-after': value }
    expect((await verdictOn(429, { retryAfter: true }, headers)).verdict).toBe('ignored')
  })

  it('says nothing with another status, or without the option', async () => {
    for (const status of [200, 301, 404, 500, 502]) expect(await opensFor('120', { retryAfter: true }, status)).toBeUndefined()
    expect(await opensFor('120', {}, 429)).toBeUndefined()
    expect(await opensFor('120', {}, 503)).toBeUndefined()
    expect(await opensFor('120', { retryAfter: false }, 503)).toBeUndefined()
  })

  it.each([undefined, null, {}, { 'retry-after': '120' }, { get: 'retry-after' }])(
    'says nothing in an imitation of a response whose headers are %j, which the caller gets all the same',
    async (headers) => {
      const breaker = new CircuitBreaker()
      const ledger = new Ledger(breaker)
      const answer = { status: 503, headers }
      const fetch = breakerFetch(breaker, { retryAfter: true, fetch: () => Promise.resolve(answer as never) })
      expect(await fetch('http://a.example')).toBe(answer)
      expect(ledger.verdict).toBe('failure')
    },
  )

  it('goes with what classify calls a failure, and yields to it otherwise', async () => {
    expect(await opensFor('120', { retryAfter: true, classify: () => 'failure' }, 429)).toBe(120_000)
    expect(await opensFor('120', { retryAfter: true, classify: () => 'ignored' }, 503)).toBeUndefined()
    expect(await opensFor('120', { retryAfter: true, classify: () => 'success' }, 429)).toBeUndefined()
    expect(await opensFor('120', { retryAfter: true, classify: () => ({ openFor: 7_000 }) }, 503)).toBe(7_000)
  })

  it('is a duration at once: a wall clock that is set later changes nothing', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now })
    const clock = new ManualClock()
    const breaker = new CircuitBreaker({ clock, recoveryTimeout: 1_000 })
    const fetch = breakerFetch(breaker, {
      retryAfter: true,
      fetch: () => Promise.resolve(new Response(null, { status: 503, headers: { 'retry-after': 'Thu, 01 Jan 2026 12:00:30 GMT' } })),
    })
    await fetch('http://a.example')
    vi.setSystemTime(now + 86_400_000)
    expect(breaker.retryAfterMs).toBe(30_000)
    clock.advance(30_000)
    expect(breaker.state).toBe('half-open')
  })
})

describe('what is returned', () => {
  it('is called fetch, has what else the original has, and is no constructor', () => {
    const original = Object.assign(async () => new Response(), { preconnect: () => 'connected' })
    const fetch = breakerFetch<typeof original>(new BreakerRegistry(), { fetch: original })
    expect(fetch.name).toBe('fetch')
    expect(fetch.preconnect()).toBe('connected')
    expect(() => Reflect.construct(fetch, []) as unknown).toThrow(TypeError)
  })

  it('keeps its own name, and leaves behind what only a function has that is none of its kind', () => {
    vi.stubGlobal('fetch', undefined)
    const original = runInThisContext('(function old(input, init) {})') as typeof globalThis.fetch
    const fetch = breakerFetch(new BreakerRegistry(), { fetch: Object.assign(original, { preconnect: () => {} }) })
    vi.unstubAllGlobals()
    // Before Node 26, caller and arguments too.
    expect(Object.getOwnPropertyNames(original)).toContain('prototype')
    expect(Object.getOwnPropertyNames(fetch).sort()).toEqual(['length', 'name', 'preconnect'])
    expect([fetch.name, fetch.length]).toEqual(['fetch', 0])
  })

  it('gives whatever a fetch of somebody else gives', async () => {
    const breaker = new CircuitBreaker()
    const ledger = new Ledger(breaker)
    for (const nothing of [undefined, null]) expect(await breakerFetch(breaker, { fetch: () => Promise.resolve(nothing as never) })('http://a.example')).toBe(nothing)
    expect(ledger.verdicts).toEqual(['success', 'success'])
  })

  it('never throws synchronously, whatever it wraps', async () => {
    const error = new Error('at once')
    const breaker = new CircuitBreaker({ failureThreshold: 1 })
    const fetch = breakerFetch(breaker, {
      fetch: () => {
        throw error
      },
    })
    await expect(fetch('http://a.example')).rejects.toBe(error)
    expect(breaker.state).toBe('open')
  })

  it('gives the very object that the wrapped fetch gives, and adopts a thenable once', async () => {
    const response = new Response()
    const then = vi.fn((resolve: (value: Response) => void) => resolve(response))
    const fetch = breakerFetch(new BreakerRegistry(), { fetch: () => ({ then }) as unknown as Promise<Response> })
    expect(await fetch('http://a.example')).toBe(response)
    expect(then).toHaveBeenCalledTimes(1)
  })

  it('may be guarded again by another breaker: a refusal of the inner one is no evidence to the outer (law 8)', async () => {
    const [inner, outer] = [new CircuitBreaker(), new CircuitBreaker({ failureThreshold: 1 })]
    inner.forceOpen()
    const fetch = breakerFetch(outer, { fetch: breakerFetch(inner) })
    for (let n = 0; n < 3; n++) await expect(fetch('http://a.example')).rejects.toMatchObject({ code: 'ERR_CIRCUIT_OPEN' })
    expect(outer.state).toBe('closed')
  })
})
