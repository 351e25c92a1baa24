// What undici tells a handler, told by the test: both kinds of handlers, whichever undici is installed.
import { describe, expect, it, vi } from 'vitest'
import { breakerInterceptor, type InterceptorOptions } from '../../../src/adapters/undici.js'
import { BreakerRegistry, CircuitBreaker, CircuitOpenError } from '../../../src/index.js'
import { Ledger } from '../../support/outcomes.js'

type Told = Record<string, (...args: unknown[]) => unknown>

const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
const deadline = new DOMException('late', 'TimeoutError')

/** What a guarded dispatcher of undici is handed in the place of `handler`. */
function guarded(handler: object, options: InterceptorOptions = {}, call: object = {}) {
  const breaker = new CircuitBreaker()
  const ledger = new Ledger(breaker)
  let told!: Told
  const dispatch = breakerInterceptor(breaker, options)((_, stand: object) => {
    told = stand as Told
    return true
  })
  expect(dispatch({ origin: 'http://a.example', path: '/', method: 'GET', ...call }, handler)).toBe(true)
  return { told, ledger }
}

/** The same two conversations in the words of undici 7 and 8, and of undici 6. */
const kinds = [
  {
    kind: 'new',
    handler: {},
    names: ['onRequestStart', 'onRequestUpgrade', 'onResponseStarted', 'onResponseStart', 'onResponseData', 'onResponseEnd', 'onResponseError', 'onBodySent', 'onRequestSent'],
    begin: (told: Told) => {
      const controller = { aborted: false, reason: undefined as unknown }
      told.onRequestStart?.(controller, {})
      return {
        upgrade: (status: number | null) => told.onRequestUpgrade?.(controller, status, {}, {}),
        head: (status: number) => told.onResponseStart?.(controller, status, {}, ''),
        data: () => told.onResponseData?.(controller, 'piece'),
        end: () => told.onResponseEnd?.(controller, {}),
        err: (error: unknown) => told.onResponseError?.(controller, error),
        abort: (reason: unknown) => void Object.assign(controller, { aborted: true, reason }),
      }
    },
  },
  {
    kind: 'old',
    handler: { onConnect: (abort: unknown) => abort },
    names: ['onConnect', 'onUpgrade', 'onResponseStarted', 'onHeaders', 'onData', 'onComplete', 'onError', 'onBodySent', 'onRequestSent'],
    begin: (told: Told) => {
      const abort = told.onConnect?.(() => undefined, {}) as (reason: unknown) => void
      return {
        upgrade: (status: number | null) => told.onUpgrade?.(status, {}, {}),
        head: (status: number) => told.onHeaders?.(status, {}, () => undefined, ''),
        data: () => told.onData?.('piece'),
        end: () => told.onComplete?.({}),
        err: (error: unknown) => told.onError?.(error),
        abort,
      }
    },
  },
]

describe.each(kinds)('a handler of the $kind kind', ({ kind, handler, names, begin }) => {
  /** One call, as it is begun. */
  const call = (options: InterceptorOptions = {}, { extra = {}, ...request }: { readonly extra?: object; readonly [option: string]: unknown } = {}) => {
    const { told, ledger } = guarded({ ...handler, ...extra }, options, request)
    return { ...begin(told), ledger }
  }

  it.each(names)('is told by %s what the guard is told, and what it returns goes back', (name) => {
    const given = [{}, {}, {}, {}, {}]
    const method = vi.fn<(...args: unknown[]) => unknown>(() => 'its answer')
    const { told } = guarded({ ...handler, [name]: method })
    expect(told[name]?.(...given)).toBe('its answer')
    const [args = []] = method.mock.calls
    expect(args.length).toBe(told[name]?.length)
    // The way to abort is one of the guard's own.
    const own = name === 'onConnect' ? 1 : 0
    args.slice(own).forEach((arg, i) => { expect(arg).toBe(given[own + i]) })
  })

  it('may leave out what it does not care for', () => {
    const { told } = guarded(handler)
    for (const name of names) if (name !== 'onConnect') expect(told[name]?.(null)).toBeUndefined()
  })

  it('is told of a refusal as of any error', () => {
    const guards = new BreakerRegistry()
    guards.for('http://a.example').forceOpen()
    const dispatch = breakerInterceptor(guards)(() => expect.unreachable())
    const heard = vi.fn()
    const name = kind === 'new' ? 'onResponseError' : 'onError'
    expect(dispatch({ origin: 'http://a.example', path: '/', method: 'GET' }, { ...handler, [name]: heard })).toBe(true)
    expect(heard.mock.calls).toEqual([kind === 'new' ? [null, expect.any(CircuitOpenError)] : [expect.any(CircuitOpenError)]])
    expect(() => dispatch({ origin: 'http://a.example', path: '/', method: 'GET' }, handler)).toThrow(CircuitOpenError)
  })

  it('hears the end of an answer when its status has been judged', () => {
    const { head, data, end, ledger } = call({ classify: (status) => (status === 200 ? 'failure' : undefined) })
    head(200)
    data()
    expect(ledger.verdicts).toEqual([])
    end()
    expect(ledger.verdicts).toEqual(['failure'])
  })

  it('hears of an upgrade, which ends the call; one with a status is judged by that', () => {
    for (const [status, verdict] of [[101, 'success'], [null, 'success'], [200, 'failure']] as const) {
      const { upgrade, ledger } = call({ classify: () => 'failure' })
      upgrade(status)
      expect(ledger.verdicts).toEqual([verdict])
    }
  })

  it('may hear interim answers, which are judged by nobody', () => {
    const { head, err, ledger } = call({ classify: () => 'failure' })
    head(103)
    err(reset)
    expect(ledger.settled.map(({ outcome, error }) => [outcome, error])).toEqual([['failure', reset]])
  })

  it.each([
    [200, 'failure', reset],
    [429, 'failure', reset],
    [503, 'failure', new Error('The host answered with status 503')],
  ])('that hears of %i and then that the body broke off: failure', (status, verdict, error) => {
    const { head, err, ledger } = call()
    head(status)
    err(reset)
    expect(ledger.settled[0]).toMatchObject({ outcome: verdict, error })
  })

  it.each([
    ['for a reason of its own', new Error('left'), 'ignored'],
    ['for no reason', undefined, 'ignored'],
    ['because its deadline has passed', deadline, 'failure'],
  ])('that aborts %s: %s', (_why, reason, verdict) => {
    const { abort, err, ledger } = call()
    abort(reason)
    // Once a body is being read, undici says only that it was aborted.
    err(new Error('aborted'))
    expect(ledger.verdicts).toEqual([verdict])
  })

  it.each([
    ['left', new Error('left'), 'ignored'],
    ['let a deadline pass', deadline, 'failure'],
  ])('whose caller has %s, as its signal says', (_what, reason, verdict) => {
    const controller = new AbortController()
    const { head, err, ledger } = call({}, { signal: controller.signal })
    head(200)
    controller.abort(reason)
    err(new Error('aborted'))
    expect(ledger.verdicts).toEqual([verdict])
    if (verdict === 'failure') expect(ledger.settled[0]?.error).toBe(deadline)
  })

  it('that throws has given up, and its host has not failed', () => {
    const mine = new Error('my own mistake')
    const { head, err, ledger } = call({}, {
      extra: {
        [kind === 'new' ? 'onResponseStart' : 'onHeaders']: () => {
          throw mine
        },
      },
    })
    expect(() => head(200)).toThrow(mine)
    err(mine)
    expect(ledger.verdicts).toEqual(['ignored'])
  })
})

describe('an error', () => {
  /** The verdict on a call that ended in it, after `status` if there was one. */
  const verdictOn = (error: unknown, status?: number) => {
    const { told, ledger } = guarded({})
    if (status !== undefined) told.onResponseStart?.(null, status, {}, '')
    told.onResponseError?.(null, error)
    return ledger.verdicts[0]
  }
  const coded = (code: string, more: object = {}) => Object.assign(new Error('no'), { code, ...more })

  it.each([
    'UND_ERR_INVALID_ARG',
    'UND_ERR_INVALID_RETURN_VALUE',
    'UND_ERR_NOT_SUPPORTED',
    'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
    'UND_ERR_RES_EXCEEDED_MAX_SIZE',
    'UND_ERR_MAX_ORIGINS_REACHED',
    'UND_ERR_BPL_MISSING_UPSTREAM',
    'UND_ERR_CLOSED',
    'UND_ERR_DESTROYED',
    'UND_ERR_ABORTED',
  ])('by the code %s is of the caller', (code) => {
    expect(verdictOn(coded(code))).toBe('ignored')
  })

  it.each(['UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ENOTFOUND'])('by the code %s is of the host', (code) => {
    expect(verdictOn(coded(code))).toBe('failure')
  })

  it('of a proxy is of the host if the proxy could not reach it', () => {
    const proxy = (status: number) => coded('UND_ERR_ABORTED', { message: `Proxy response (${String(status)}) !== 200 when HTTP Tunneling` })
    expect(verdictOn(proxy(502))).toBe('failure')
    expect(verdictOn(proxy(407))).toBe('ignored')
  })

  it.each(['UND_ERR_RESPONSE', 'UND_ERR_REQ_RETRY'])('that an interceptor made of an answer is judged by the status in it: %s', (code) => {
    expect([400, 404, 429, 500].map((statusCode) => verdictOn(coded(code, { statusCode })))).toEqual(['success', 'success', 'ignored', 'failure'])
    // With a status below 400, or with none, it was something else that did not fit.
    for (const statusCode of [undefined, '404', 206, 399]) expect(verdictOn(coded(code, { statusCode }))).toBe('failure')
    expect(verdictOn(coded('UND_ERR_OTHER', { statusCode: 404 }))).toBe('failure')
  })

  it('in the midst of an answer is no answer, whatever status it has', () => {
    expect(verdictOn(coded('UND_ERR_REQ_RETRY', { statusCode: 416 }), 200)).toBe('failure')
  })

  it('may be anything', () => {
    for (const error of [undefined, null, 'reset']) expect(verdictOn(error)).toBe('failure')
  })
})

describe('the key of a call', () => {
  it.each([
    ['http://A.example:80', 'http://a.example'],
    [new URL('http://a.example/path'), 'http://a.example'],
    [{ origin: 'http://b.example' }, 'http://b.example'],
    ['no origin at all', 'no origin at all'],
  ])('of %o is %s', (origin, key) => {
    const guards = new BreakerRegistry()
    const dispatch = breakerInterceptor(guards)(() => true)
    for (let n = 0; n < 2; n++) dispatch({ origin, path: '/', method: 'GET' }, {})
    expect([...guards].map(([given]) => given)).toEqual([key])
  })
})
