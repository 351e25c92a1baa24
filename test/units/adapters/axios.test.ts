// A guarded adapter called as axios calls it, with adapters that end each call as the test says.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { breakerAdapter, type AxiosConfigLike, type BreakerAdapterOptions } from '../../../src/adapters/axios.js'
import { BreakerRegistry } from '../../../src/index.js'
import { rejectionOf } from '../../support/calls.js'
import { Ledger } from '../../support/outcomes.js'

afterEach(() => { vi.unstubAllGlobals() })

const fine = { status: 200, data: '' }

function guarded(adapter: (config: AxiosConfigLike) => Promise<typeof fine> = () => Promise.resolve(fine), options: BreakerAdapterOptions = {}) {
  const guards = new BreakerRegistry()
  const ledger = new Ledger(guards)
  return { guards, ledger, call: breakerAdapter(guards, adapter, options), keys: () => [...guards].map(([key]) => key) }
}

/** The verdict on a call that ended in `error`, which its caller gets as it is. */
async function verdictOn(error: unknown, config: AxiosConfigLike = {}) {
  const { ledger, call } = guarded(() => Promise.reject(error))
  expect(await rejectionOf(call({ url: 'http://a.example', ...config }))).toBe(error)
  return ledger.verdict
}

const coded = (code: string, more: object = {}) => Object.assign(new Error('no'), { code, isAxiosError: true, ...more })

/** As axios wraps what follow-redirects wraps. */
const redirection = (cause: unknown) => coded('ERR_FR_REDIRECTION_FAILURE', { cause: new Error('Redirected request failed', { cause }) })

describe('the URL of a call is put together as axios does it', () => {
  const seen = async (config: AxiosConfigLike) => {
    const urls: string[] = []
    const { call } = guarded(undefined, { key: ({ href }) => `${urls.push(href)}` })
    await call(config)
    return urls[0]
  }

  it.each<[AxiosConfigLike, string | undefined]>([
    [{ url: '/path', baseURL: 'https://b.test/api/' }, 'https://b.test/api/path'],
    [{ url: 'path', baseURL: 'https://b.test/api//' }, 'https://b.test/api/path'],
    [{ url: 'c//d', baseURL: 'https://b.test/a//b' }, 'https://b.test/a//b/c//d'],
    [{ url: '//c//d', baseURL: 'https://b.test/a', allowAbsoluteUrls: false }, 'https://b.test/a/c//d'],
    [{ baseURL: 'https://b.test/api' }, 'https://b.test/api'],
    [{ url: '', baseURL: 'https://b.test/api' }, 'https://b.test/api'],
    [{ url: 'login?next=https://c.test/', baseURL: 'https://b.test' }, 'https://b.test/login?next=https://c.test/'],
    [{ url: 'https://a.test/path', baseURL: 'https://b.test' }, 'https://a.test/path'],
    [{ url: 's3://bucket/path', baseURL: 'https://b.test' }, 's3://bucket/path'],
    [{ url: 'path' }, undefined],
    [{}, undefined],
  ])('%j: %s', async (config, href) => {
    expect(await seen(config)).toBe(href)
  })

  it.each<[AxiosConfigLike, string]>([
    [{ url: 'path' }, 'https://page.test/shop/path'],
    [{ url: '/path' }, 'https://page.test/path'],
    [{}, 'https://page.test/shop/'],
    [{ url: '//c.test/path', baseURL: 'https://b.test' }, 'https://c.test/path'],
    [{ url: 'path', baseURL: '/api' }, 'https://page.test/api/path'],
  ])('%j in a page: %s', async (config, href) => {
    vi.stubGlobal('location', { href: 'https://page.test/shop/' })
    expect(await seen(config)).toBe(href)
  })

  it('leads to no host if it is none, or of data: then axios answers, and nobody is charged', async () => {
    const { call, keys } = guarded()
    for (const url of ['/path', 'http://', 'data:,x']) expect(await call({ url })).toBe(fine)
    expect(keys()).toEqual([])
  })

  it('leads where the key says, even if it reaches no host', async () => {
    const { call, keys } = guarded(undefined, { key: ({ protocol }) => protocol })
    await call({ url: 'data:,x' })
    expect(keys()).toEqual(['data:'])
  })
})

describe('a signal', () => {
  it('that is aborted before the call takes no permit, and axios says what becomes of it', async () => {
    const { call, keys } = guarded()
    expect(await call({ url: 'http://a.example', signal: AbortSignal.abort() })).toBe(fine)
    expect(keys()).toEqual([])
  })

  it('says whose an abort is, whatever error an adapter makes of it (law 8)', async () => {
    const left = new AbortController()
    const { ledger, call } = guarded(() => {
      left.abort()
      return Promise.reject(new Error('socket hang up'))
    })
    await rejectionOf(call({ url: 'http://a.example', signal: left.signal }))
    expect(ledger.verdicts).toEqual(['ignored'])
  })

  it('that is a deadline is the error of its failure', async () => {
    const deadline = new AbortController()
    const late = new DOMException('late', 'TimeoutError')
    const { ledger, call } = guarded(() => {
      deadline.abort(late)
      return Promise.reject(coded('ERR_CANCELED'))
    })
    await rejectionOf(call({ url: 'http://a.example', signal: deadline.signal }))
    expect(ledger.settled).toMatchObject([{ outcome: 'failure', error: late }])
  })
})

describe('an error', () => {
  it.each([
    'ERR_CANCELED',
    'ERR_INVALID_URL',
    'ERR_BAD_OPTION',
    'ERR_BAD_OPTION_VALUE',
    'ERR_BAD_REQUEST',
    'ERR_NOT_SUPPORT',
    'ERR_FORM_DATA_DEPTH_EXCEEDED',
    'ERR_FR_MAX_BODY_LENGTH_EXCEEDED',
  ])('by the code %s is of the caller', async (code) => {
    expect(await verdictOn(coded(code))).toBe('ignored')
  })

  it.each([
    ['of a call that was cancelled by its token', new Error('socket hang up'), { cancelToken: { reason: new Error('left') } }, 'ignored'],
    ['of a call with a token that nobody used', new Error('socket hang up'), { cancelToken: {} }, 'failure'],
    ['of a limit of the caller', coded('ERR_BAD_RESPONSE', { message: 'maxContentLength size of 2 exceeded' }), {}, 'ignored'],
    ['of an answer that is none', coded('ERR_BAD_RESPONSE', { message: 'stream has been aborted' }), {}, 'failure'],
    ['that only speaks of a limit', coded('ERR_NETWORK', { message: 'maxContentLength is no header' }), {}, 'failure'],
    ['of Node, which will not send such a header', Object.assign(new TypeError('no'), { code: 'ERR_INVALID_CHAR' }), {}, 'ignored'],
    ['of a connection, though it is a TypeError', Object.assign(new TypeError('fetch failed'), { code: 'ECONNRESET' }), {}, 'failure'],
    ['of a port that fetch has blocked', coded('ERR_NETWORK', { cause: new Error('bad port') }), {}, 'ignored'],
    ['of a redirect that fetch was told not to take', coded('ERR_NETWORK', { cause: new Error('unexpected redirect') }), {}, 'ignored'],
    ['of `beforeRedirect`', redirection(new TypeError('no')), {}, 'ignored'],
    ['of a redirect to a protocol that is none', redirection(new TypeError('Unsupported protocol foo:')), {}, 'failure'],
    ['of a redirect to a URL that is none', redirection(Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL' })), {}, 'failure'],
    ['of a redirect that has come too often', coded('ERR_FR_TOO_MANY_REDIRECTS', { cause: new Error('Maximum number of redirects exceeded') }), {}, 'failure'],
    ['of a port that is closed', coded('ERR_NETWORK', { cause: new Error('ECONNREFUSED') }), {}, 'failure'],
  ])('%s is told from others', async (_what, error, config, verdict) => {
    expect(await verdictOn(error, config)).toBe(verdict)
  })

  it('with an answer is judged by its status, if it is an answer', async () => {
    for (const [status, verdict] of [[503, 'failure'], [429, 'ignored'], [404, 'success']] as const) {
      expect(await verdictOn(coded('ERR_BAD_RESPONSE', { response: { status, data: '' } }))).toBe(verdict)
    }
    for (const response of [null, undefined, 'text', { status: 200 }, { status: '200', data: '' }, { data: '' }]) {
      expect(await verdictOn(coded('ERR_BAD_RESPONSE', { response }))).toBe('failure')
    }
  })
})
