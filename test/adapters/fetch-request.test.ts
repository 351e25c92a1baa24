// The request: which breaker it is charged to, whose mistake it is, and that it reaches fetch as it came.
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { breakerFetch, type BreakerFetchOptions } from '../../src/adapters/fetch.js'
import { BreakerRegistry, CircuitBreaker, CircuitOpenError, ManualClock } from '../../src/index.js'
import { fail, rejectionOf } from '../support/calls.js'
import * as http from '../support/http.js'
import { Ledger } from '../support/outcomes.js'

afterEach(http.closeServers)

type Fetch = typeof globalThis.fetch
type Input = Parameters<Fetch>[0]

const platforms = globalThis.fetch
afterEach(() => void vi.unstubAllGlobals())

const made: Request[] = []

/** A fetch that answers at once, as the platform's would: it builds the request first. */
function answering(status = 200, headers: Record<string, string> = {}) {
  return vi.fn<Fetch>(async (input, init) => {
    made.push(new Request(input, init))
    return new Response(null, { status, headers })
  })
}

/** Guards the fetch that the options give, or else the platform's, in whose place `spy` stands. */
function guarded(options: BreakerFetchOptions = {}) {
  const registry = new BreakerRegistry<string>({ clock: new ManualClock(), failureThreshold: 1, recoveryTimeout: 1_000 })
  const ledger = new Ledger(registry)
  const spy = answering()
  if (options.fetch === undefined) vi.stubGlobal('fetch', spy)
  return { registry, ledger, spy, fetch: breakerFetch(registry, options) }
}

const keys = (registry: BreakerRegistry) => Array.from(registry, ([key]) => key)

describe('the key (B57)', () => {
  it.each<[string, string]>([
    ['http://A.example/x?y=1', 'http://a.example'],
    ['http://a.example:80/z#part', 'http://a.example'],
    ['https://a.example:443', 'https://a.example'],
    ['http://a.example:8080/', 'http://a.example:8080'],
    ['  http://a.example/trimmed\n', 'http://a.example'],
    ['http://bücher.example/', 'http://xn--bcher-kva.example'],
    ['http://[::1]:3000/', 'http://[::1]:3000'],
    ['HTTP:\\\\a.example\\x', 'http://a.example'],
  ])('of %j is its origin, %s, whether it comes as a string, a URL or a Request', async (text, origin) => {
    const { registry, fetch } = guarded()
    await fetch(text)
    await fetch(new URL(text))
    await fetch(new Request(text))
    await fetch(new Request(text), { headers: { accept: '*/*' } })
    expect(keys(registry)).toEqual([origin])
  })

  it('leaves credentials, path, query and fragment out', async () => {
    const { registry, fetch } = guarded({ fetch: async () => new Response() })
    await fetch('http://user:secret@a.example/path?query#fragment')
    expect(keys(registry)).toEqual(['http://a.example'])
  })

  it('may be anything that the option makes of the URL', async () => {
    const { registry, fetch } = guarded({ key: (url) => `${url.hostname}/${url.pathname.split('/')[1] ?? ''}` })
    await fetch('http://a.example/orders/1')
    await fetch(new Request('http://a.example/orders/2'))
    await fetch('http://a.example/stock')
    expect(keys(registry)).toEqual(['a.example/orders', 'a.example/stock'])
  })

  it('may be no string: keys are opaque (law 22)', async () => {
    const tenant = { name: 'tenant' }
    const registry = new BreakerRegistry<object>()
    const fetch = breakerFetch(registry, { key: () => tenant, fetch: answering() })
    await fetch('http://a.example')
    expect(registry.get(tenant)?.state).toBe('closed')
  })

  it('that throws is an error of the call, before anything is recorded', async () => {
    const error = new Error('no tenant')
    const { ledger, spy, fetch } = guarded({
      key: () => {
        throw error
      },
    })
    expect(await rejectionOf(fetch('http://a.example'))).toBe(error)
    expect(spy).not.toHaveBeenCalled()
    expect(ledger.settled).toEqual([])
  })

  it('is not asked for when there is one breaker for all', async () => {
    const breaker = new CircuitBreaker({ failureThreshold: 1 })
    const fetch = breakerFetch(breaker, { fetch: answering(500), key: () => expect.unreachable() })
    await fetch('http://a.example')
    expect(await rejectionOf(fetch('http://b.example'))).toBeInstanceOf(CircuitOpenError)
  })
})

describe('the request', () => {
  it('reaches fetch as it came: the same arguments, the same signal, as many', async () => {
    const { spy, fetch } = guarded()
    const { signal } = new AbortController()
    const init = { signal, dispatcher: { some: 'dispatcher' } } as object as RequestInit
    const request = new Request('http://a.example')
    await fetch('http://a.example')
    await fetch(request, init)
    await (fetch as (...args: unknown[]) => Promise<unknown>)('http://a.example', undefined, 'a third')
    expect(spy.mock.calls).toEqual([['http://a.example'], [request, init], ['http://a.example', undefined, 'a third']])
    expect(spy.mock.calls[1]?.[0]).toBe(request)
    expect(spy.mock.calls[1]?.[1]).toBe(init)
    expect(init.signal).toBe(signal)
  })

  it('calls the global fetch of the moment, and needs no `this`', async () => {
    const fetch = breakerFetch(new BreakerRegistry<string>())
    const spy = answering(203)
    vi.stubGlobal('fetch', spy)
    const response = await Reflect.apply(fetch, undefined, ['http://a.example'])
    expect(response.status).toBe(203)
    expect(spy).toHaveBeenCalledTimes(1)
  })

  it('says so where there is no fetch at all', async () => {
    vi.stubGlobal('fetch', undefined)
    const error = await rejectionOf(breakerFetch(new BreakerRegistry<string>())('http://a.example'))
    expect(String(error)).toBe('TypeError: breakerFetch: this platform has no fetch; give the option fetch')
  })

  it('with a stream for a body is neither read nor locked before fetch gets it', async () => {
    const bodies: unknown[] = []
    const { fetch } = guarded({
      fetch: async (input: Input, init?: RequestInit) => {
        const body = init?.body as ReadableStream
        bodies.push(body.locked, await new Request(input, init).text())
        return new Response()
      },
    })
    const body = new Blob(['streamed']).stream()
    await fetch('http://a.example', { method: 'POST', body, duplex: 'half' })
    expect(bodies).toEqual([false, 'streamed'])
  })

  it('with headers that can be iterated only once is not iterated before fetch gets them', async () => {
    const { fetch } = guarded()
    await fetch('http://a.example', { headers: new Map([['accept', 'text/plain']]).entries() as unknown as [string, string][] })
    expect(made.at(-1)?.headers.get('accept')).toBe('text/plain')
  })

  it('may be used once, as before, and a second time is the mistake of its caller', async () => {
    const { ledger, spy, fetch } = guarded()
    const request = new Request('http://a.example', { method: 'POST', body: 'once' })
    await fetch(request)
    expect(request.bodyUsed).toBe(true)
    expect(await rejectionOf(fetch(request))).toEqual(new TypeError('fetch: the body of the request is already used'))
    expect(spy).toHaveBeenCalledTimes(1)
    // A body of its own is all that it needs.
    await fetch(request, { body: 'twice' })
    expect(ledger.verdicts).toEqual(['success', 'success'])
  })

  it.each<[string, RequestInit]>([
    ['lower-case methods', { method: 'post', body: 'x' }],
    ['a method of its own', { method: 'PROPFIND' }],
    ['header pairs', { headers: [['accept', '*/*']] }],
    ['Headers', { headers: new Headers({ accept: '*/*' }) }],
    ['headers in Latin-1', { headers: { 'x-name': 'Ünal' } }],
    ['undefined members', { method: undefined, headers: undefined, body: undefined, signal: undefined }],
    ['a method called null, which is what null becomes', { method: null as never, body: 'x' }],
    ['null members', { body: null, signal: null }],
    ['a form', { method: 'POST', body: new URLSearchParams({ a: 'b' }) }],
    ['bytes', { method: 'PUT', body: new Uint8Array(3) }],
    ['redirect: manual', { redirect: 'manual' }],
    ['redirect: error', { redirect: 'error' }],
    ['mode, cache and credentials', { mode: 'cors', cache: 'no-store', credentials: 'include' } as object],
    ['keepalive', { keepalive: true }],
    ['window: null', { window: null }],
    ['a Request in the place of init', new Request('http://elsewhere.example', { method: 'PUT', body: 'x' })],
    ['a stream with duplex', { method: 'POST', body: new ReadableStream(), duplex: 'half' }],
    ['a method in the Request and a body in init', { body: 'x' }],
  ])('is let through with %s', async (what, init) => {
    const { ledger, spy, fetch } = guarded()
    const input = what.startsWith('a method in') ? new Request('http://a.example', { method: 'POST' }) : 'http://a.example'
    await fetch(input, init)
    expect(spy.mock.calls[0]?.[1]).toBe(init)
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('may have null for init, as fetch takes it', async () => {
    const { ledger, fetch } = guarded()
    await fetch('http://a.example', null as never)
    expect(ledger.verdicts).toEqual(['success'])
  })
})

describe('what is checked by the platform', () => {
  /** What the platform is asked to build while a call is made that an imitation of fetch answers. */
  async function builtFor(input: Input, init?: object) {
    const built: unknown[] = []
    const { fetch } = guarded({ fetch: () => Promise.resolve(new Response()) })
    vi.stubGlobal('Request', function (_url: unknown, given: unknown) {
      built.push(given)
    })
    vi.stubGlobal('Headers', function (given: unknown) {
      built.push(given)
    })
    await fetch(input, init)
    vi.unstubAllGlobals()
    return built
  }

  it.each<[string, object | undefined]>([
    ['no init', undefined],
    ['an empty one', {}],
    ['a body', { method: 'post', body: 'x' }],
    ['a usual method', { method: 'DELETE' }],
    ['a signal', { signal: new AbortController().signal }],
    ['members that are null or undefined', { body: null, signal: null, cache: undefined }],
    ['options of a client', { dispatcher: {} }],
    ['Headers', { headers: new Headers({ accept: '*/*' }) }],
  ])('is nothing in a request with %s, which costs no more than it must', async (_what, init) => {
    expect(await builtFor('http://a.example', init)).toEqual([])
  })

  it.each(['cache', 'credentials', 'duplex', 'integrity', 'keepalive', 'mode', 'priority', 'redirect', 'referrer', 'referrerPolicy', 'window'])(
    'is the word %s, and nothing that is not said',
    async (word) => {
      const [init, ...more] = await builtFor('http://a.example', { [word]: 'a word' })
      expect(more).toEqual([])
      expect(init).toEqual({ [word]: 'a word', method: 'GET', body: undefined, signal: undefined })
      expect(Object.keys(init as object)).toEqual([word, 'method', 'body', 'signal'])
    },
  )

  it('is an unusual method, and headers that are not Headers', async () => {
    const headers = { accept: '*/*' }
    expect(await builtFor('http://a.example', { method: 'PROPFIND', headers })).toMatchObject([headers, { method: 'PROPFIND' }])
  })
})

describe("a caller's mistake is told before a permit is taken, and charged to nobody", () => {
  const locked = new ReadableStream()
  locked.getReader()

  const mistakes: [what: string, input: unknown, init: unknown][] = [
    ['no argument', undefined, undefined],
    ['an empty URL', '', undefined],
    ['a URL without a host', 'http://', undefined],
    ['a port out of range', 'http://a.example:99999', undefined],
    ['a method that is none', 'http://a.example', { method: 'A B' }],
    ['a method that only ends in one', 'http://a.example', { method: 'A GET' }],
    ['a method that only begins with one', 'http://a.example', { method: 'GET /' }],
    ['the same with a body', 'http://a.example', { method: 'A POST', body: 'x' }],
    ['the same, the other way round', 'http://a.example', { method: 'POST /', body: 'x' }],
    ['a method that is forbidden', 'http://a.example', { method: 'TRACE' }],
    ['a header name that is none', 'http://a.example', { headers: { 'a b': 'c' } }],
    ['a header value with a line break', 'http://a.example', { headers: { a: 'b\r\nc: d' } }],
    ['a header value beyond Latin-1', 'http://a.example', { headers: { a: '→' } }],
    ['a pair of three', 'http://a.example', { headers: [['a', 'b', 'c']] }],
    ['headers that are a number', 'http://a.example', { headers: 5 }],
    ['headers that are a text', 'http://a.example', { headers: 'accept: */*' }],
    ['headers that are null', 'http://a.example', { headers: null }],
    ['a body of a GET', 'http://a.example', { body: 'x' }],
    ['a body of a HEAD', 'http://a.example', { method: 'head', body: new Uint8Array(1) }],
    ['a body of a Request that is a GET', new Request('http://a.example'), { body: 'x' }],
    ['the body of a Request that becomes a GET', new Request('http://a.example', { method: 'POST', body: 'x' }), { method: 'GET' }],
    ['a stream that is to outlive the page', 'http://a.example', { method: 'POST', body: new ReadableStream(), duplex: 'half', keepalive: true }],
    ['a stream without duplex', 'http://a.example', { method: 'POST', body: new ReadableStream() }],
    ['a stream that is locked', 'http://a.example', { method: 'POST', body: locked, duplex: 'half' }],
    ['an unknown redirect mode', 'http://a.example', { redirect: 'sometimes' }],
    ['an unknown cache mode', 'http://a.example', { cache: 'sometimes' }],
    ['a window', 'http://a.example', { window: 5 }],
    ['a stream of Node without duplex', 'http://a.example', { method: 'POST', body: Readable.from(['x']) }],
    ['an unknown mode', 'http://a.example', { mode: 'sometimes' }],
    ['a referrer that is none', 'http://a.example', { referrer: 'http://[' }],
    ['a signal that is none', 'http://a.example', { signal: { aborted: false } }],
    ['a signal that only listens', 'http://a.example', { signal: { addEventListener() {} } }],
    ['a signal that is a text', 'http://a.example', { signal: 'aborted' }],
    ['an init that is no object', 'http://a.example', 'POST'],
  ]

  it.each(mistakes)('%s', async (_what, input, init) => {
    const { registry, ledger, spy, fetch } = guarded()
    const error = await rejectionOf(fetch(input as string, init as RequestInit))
    expect((error as Error).name).toBe('TypeError')
    // It is said what is wrong with the request, not what went wrong in looking at it.
    expect((error as Error).message).not.toMatch(/'in' operator|[Cc]annot read/)
    expect(spy).not.toHaveBeenCalled()
    expect(registry.size).toBe(0)
    expect(ledger.settled).toEqual([])
    // The platform's fetch says no to the same.
    expect(((await rejectionOf(platforms(input as string, init as RequestInit))) as Error).name).toBe('TypeError')
  })

  it.each(mistakes)('%s, where a fetch of somebody else finds it: by then there may be a permit', async (_what, input, init) => {
    const { ledger, fetch } = guarded({ fetch: (...args) => platforms(...args) })
    expect(((await rejectionOf(fetch(input as string, init as RequestInit))) as Error).name).toBe('TypeError')
    expect(['none', 'ignored']).toContain(ledger.verdict)
  })

  it('is told where a fetch of somebody else finds it, in whatever words, but not where it speaks of the network', async () => {
    const said = async (message: string) => {
      const { ledger, fetch } = guarded({ fetch: () => Promise.reject(new TypeError(message)) })
      await rejectionOf(fetch('http://a.example', { headers: { 'bad name': 'x' } }))
      return ledger.verdict
    }
    expect(await said('bad name, so that the fetch failed')).toBe('ignored')
    expect(await said('Load failed')).toBe('failure')
  })

  it('an init that is no object, and no argument, by name', async () => {
    const { fetch } = guarded()
    expect(await rejectionOf(fetch('http://a.example', 'POST' as never))).toEqual(new TypeError('fetch: expected an object for init, got "POST"'))
    for (const input of [undefined, null]) {
      const error = (await rejectionOf(fetch(input as never))) as Error
      expect(error.message).toBe(`fetch: "${String(input)}" is not an absolute URL, and there is no base to complete it`)
      expect(error.cause).toMatchObject({ name: 'TypeError', message: 'Invalid URL' })
    }
  })

  it('a stream without duplex, though it cannot be iterated, as in some browsers', async () => {
    const iterate = Object.getOwnPropertyDescriptor(ReadableStream.prototype, Symbol.asyncIterator)!
    Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator)
    try {
      const { registry, fetch } = guarded()
      expect(await rejectionOf(fetch('http://a.example', { method: 'POST', body: new ReadableStream() }))).toBeInstanceOf(TypeError)
      expect(registry.size).toBe(0)
    } finally {
      Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, iterate)
    }
  })

  it('a relative URL, where nothing says what it is relative to, by name', async () => {
    const { registry, fetch } = guarded()
    for (const input of ['/orders', 'orders', '//a.example', `/${'long/'.repeat(100)}`]) {
      const error = (await rejectionOf(fetch(input))) as Error
      expect(error.message).toMatch(/^fetch: ".+" is not an absolute URL, and there is no base to complete it$/)
      expect(error.message.length).toBeLessThan(200)
    }
    expect(registry.size).toBe(0)
  })

  it('a relative URL is completed where there is a base, as in a browser', async () => {
    const Native = globalThis.Request
    vi.stubGlobal(
      'Request',
      class extends Native {
        constructor(input: Input, init?: RequestInit) {
          super(typeof input === 'string' ? new URL(input, 'http://page.example/shop/') : input, init)
        }
      },
    )
    const { registry, spy, fetch } = guarded()
    await fetch('/orders')
    expect(keys(registry)).toEqual(['http://page.example'])
    expect(spy.mock.calls[0]?.[0]).toBe('/orders')
  })

  it('also while the circuit is open: it is not told that the host is down', async () => {
    const { registry, fetch } = guarded()
    registry.for('http://a.example').forceOpen()
    expect(await rejectionOf(fetch('http://a.example', { method: 'A B' }))).toBeInstanceOf(TypeError)
  })

  it('that only the attempt can find is ignored, where the platform tells it from a broken network', async () => {
    const { ledger, fetch } = guarded({ fetch: platforms })
    const body = new Blob(['x']).stream()
    const reader = body.getReader()
    await reader.read()
    reader.releaseLock()
    const server = await http.serve(http.answer(200))
    const foreign = { url: server.origin, method: 'GET', headers: new Headers(), signal: null, toString: () => '[object Request]' }
    const attempts: [string | Request, RequestInit][] = [
      [foreign as unknown as Request, {}],
      ['http://127.0.0.1:6000', {}],
      [server.origin.replace('//', '//user:secret@'), {}],
      [server.origin, { method: 'POST', body, duplex: 'half' }],
      [server.origin, { method: 'POST', body: 'x', headers: { 'content-length': '5' } }],
      [server.origin, { headers: { 'transfer-encoding': 'chunked' } }],
    ]
    for (const [url, init] of attempts) expect(await rejectionOf(fetch(url, init))).toBeInstanceOf(TypeError)
    expect(ledger.verdicts).toEqual(attempts.map(() => 'ignored'))
    expect(server.requests).toBe(0)
  })

  it.each([
    "Failed to parse URL from [object Request]",
    "Failed to execute 'fetch' on 'Window': Failed to parse URL from [object Request]",
    "Window.fetch: [object Request] is not a valid URL.",
    "Invalid URL: '[object Object]'",
  ])("a Request that the platform cannot read is the caller's, as each platform says it: %s", async (message) => {
    const { ledger, fetch } = guarded({ fetch: () => Promise.reject(new TypeError(message)) })
    for (let n = 0; n < 5; n++) await rejectionOf(fetch('http://a.example'))
    expect(ledger.verdicts).toEqual(Array(5).fill('ignored'))
  })

  it.each(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'])('that undici finds in the attempt is ignored: %s', async (code) => {
    const error = new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code }) })
    const { ledger, fetch } = guarded({ fetch: () => Promise.reject(error) })
    expect(await rejectionOf(fetch('http://a.example'))).toBe(error)
    expect(ledger.verdicts).toEqual(['ignored'])
  })

  it('a TypeError of a network is a failure, with a cause or without, and so is what is no TypeError', async () => {
    const unreadable = Object.defineProperty(new Error('no'), 'name', {
      get() {
        throw new Error('not even this')
      },
    })
    const errors = [
      new TypeError('fetch failed', { cause: new Error('other side closed') }),
      new TypeError('Failed to fetch'),
      // Deno puts the URL into the message.
      new TypeError('error sending request for url (http://a.example/disturbed-or-locked?includes=credentials&[object%20Request])'),
      new TypeError(),
      new TypeError('the proxy broke off: UnexpectedRedirect of its own'),
      new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'UND_ERR_SOCKET' }) }),
      // Of somebody else, whatever it says.
      new Error('Response body object should not be disturbed or locked'),
      unreadable,
    ]
    for (const error of errors) {
      const { ledger, fetch } = guarded({ fetch: () => Promise.reject(error) })
      expect(await rejectionOf(fetch('http://a.example'))).toBe(error)
      expect(ledger.verdicts).toEqual(['failure'])
    }
  })
})

describe("a fetch that is not the platform's", () => {
  // As node-fetch does: what it takes, and how its errors look.
  class ForeignRequest {
    readonly headers = new Headers()
    readonly signal = null
    readonly url: string
    readonly method: string
    constructor(input: string | ForeignRequest, { method }: { method?: string } = {}) {
      const { url, method: before } = typeof input === 'string' ? { url: new URL(input).href, method: 'GET' } : input
      this.url = url
      this.method = method ?? before
    }
  }
  const down = Object.assign(new Error('connect ECONNREFUSED'), { name: 'FetchError', code: 'ECONNREFUSED' })

  const stream = () => Readable.from(['sent'])
  const taken: [string, () => [input: unknown, init: object]][] = [
    ['a Node stream, without a word on duplex', () => ['http://a.example/x', { method: 'POST', body: stream() }]],
    ['a Node stream, to a Request of its own', () => [new ForeignRequest('http://a.example/x'), { method: 'POST', body: stream() }]],
    ['a method that the platform forbids', () => ['http://a.example/x', { method: 'trace' }]],
    ['words that the platform does not know', () => ['http://a.example/x', { method: 'PUT', mode: 'its own', priority: 5 }]],
    ['headers that the platform does not take', () => ['http://a.example/x', { headers: { 'a b': 'c' } }]],
    ['a signal of its own kind', () => ['http://a.example/x', { signal: { aborted: false } }]],
    ['a Request of its own', () => [new ForeignRequest('http://a.example/x', { method: 'DELETE' }), {}]],
  ]

  it.each(taken)('decides itself what it takes: %s', async (_what, argsOf) => {
    const answers = vi.fn(() => Promise.resolve(new Response()))
    const { registry, ledger, fetch } = guarded({ fetch: answers })
    const args = argsOf()
    await fetch(...(args as Parameters<Fetch>))
    expect(answers.mock.calls).toEqual([args])
    expect(keys(registry)).toEqual(['http://a.example'])
    expect(ledger.verdicts).toEqual(['success'])
  })

  it.each(taken)('is charged when its host is down, whatever the platform thinks of the request: %s', async (_what, argsOf) => {
    const messages = [
      'Failed to fetch',
      'Load failed',
      'NetworkError when attempting to fetch resource.',
      'Network request failed',
      'error sending request for url (http://a.example/x)',
    ]
    for (const error of [down, new TypeError('fetch failed', { cause: down }), ...messages.map((message) => new TypeError(message))]) {
      const { ledger, fetch } = guarded({ fetch: () => Promise.reject(error) })
      expect(await rejectionOf(fetch(...(argsOf() as Parameters<Fetch>)))).toBe(error)
      expect(ledger.verdicts).toEqual(['failure'])
    }
  })

  it.each(taken)('has its refused calls answered by the fallback: %s', async (_what, argsOf) => {
    const fallback = vi.fn<NonNullable<BreakerFetchOptions['fallback']>>(() => new Response('from the cache'))
    const { registry, fetch } = guarded({ fetch: () => expect.unreachable(), fallback })
    fail(registry.for('http://a.example'))
    const [input, init] = argsOf() as Parameters<Fetch>
    expect(await (await fetch(input, init)).text()).toBe('from the cache')
    const method = init?.method ?? (input as Partial<Request>).method ?? 'GET'
    expect(fallback.mock.calls[0]?.[1]).toMatchObject({ url: 'http://a.example/x', method: expect.stringMatching(new RegExp(`^${method}$`, 'i')) as string })
  })

  it('whose refused call uploads a stream shows it, whole, to the fallback', async () => {
    const { registry, fetch } = guarded({ fetch: () => expect.unreachable(), fallback: async (_error, request) => new Response(await request.text()) })
    fail(registry.for('http://a.example'))
    expect(await (await fetch('http://a.example', { method: 'POST', body: stream() as unknown as ReadableStream })).text()).toBe('sent')
  })

  it('whose own Request is refused shows one of that kind to the fallback', async () => {
    const fallback = vi.fn<NonNullable<BreakerFetchOptions['fallback']>>(() => new Response())
    const { registry, fetch } = guarded({ fetch: () => expect.unreachable(), fallback })
    fail(registry.for('http://a.example'))
    await fetch(new ForeignRequest('http://a.example') as unknown as Request, { method: 'PUT' })
    expect(fallback.mock.calls[0]?.[1]).toBeInstanceOf(ForeignRequest)
    expect(fallback.mock.calls[0]?.[1].method).toBe('PUT')
  })

  it('whose own Request is refused has it made of what was given: `duplex` is added where a stream needs it, and nowhere else', async () => {
    const given: unknown[] = []
    class Recorder extends ForeignRequest {
      constructor(input: unknown, init?: object) {
        super(input as string, init)
        given.push(init)
      }
    }
    const { registry, fetch } = guarded({ fetch: () => expect.unreachable(), fallback: () => new Response() })
    fail(registry.for('http://a.example'))
    const inits: object[] = [{ method: 'PUT' }, { method: 'PUT', body: stream(), duplex: 'full' }, { method: 'PUT', body: stream() }]
    for (const init of inits) await fetch(new Recorder('http://a.example') as unknown as Request, init)
    expect(given.filter((init) => init !== undefined)).toEqual([inits[0], inits[1], { ...inits[2], duplex: 'half' }])
  })
})

describe('what reaches no host', () => {
  it.each(['data:,x', 'about:blank', 'file:///etc/hosts', 'blob:http://a.example/0'])('is handed on unguarded: %s', async (url) => {
    const { registry, spy, fetch } = guarded()
    await fetch(url)
    expect(registry.size).toBe(0)
    expect(spy).toHaveBeenCalledTimes(1)
  })

  it('is guarded if the key says where it belongs', async () => {
    const { registry, fetch } = guarded({ key: (url) => url.protocol })
    await fetch('unix:/var/run/docker.sock')
    expect(keys(registry)).toEqual(['unix:'])
  })
})

describe('the signal', () => {
  it.each<[string, (signal: AbortSignal) => [Input, RequestInit?]]>([
    ['of init', (signal) => ['http://a.example', { signal }]],
    ['of a Request', (signal) => [new Request('http://a.example', { signal })]],
    ['of init rather than of the Request', (signal) => [new Request('http://a.example'), { signal }]],
  ])('%s, already aborted, rejects with its reason, whatever that is; no permit, no call (law 8)', async (_where, argsOf) => {
    for (const reason of [new Error('left'), 'a string', 0, null]) {
      const { registry, spy, fetch } = guarded()
      expect(await rejectionOf(fetch(...argsOf(AbortSignal.abort(reason))))).toBe(reason)
      expect(spy).not.toHaveBeenCalled()
      expect(registry.size).toBe(0)
    }
  })

  it('may be null in the Request of another implementation, and is then none', async () => {
    const foreign = { url: 'http://a.example/', method: 'GET', headers: new Headers(), signal: null, [Symbol.toStringTag]: 'Request' }
    const answers = vi.fn(() => Promise.resolve(new Response()))
    const { ledger, fetch } = guarded({ fetch: answers })
    await fetch(foreign as unknown as Request)
    expect(answers).toHaveBeenCalledTimes(1)
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('of a Request does not count when init says null', async () => {
    const { spy, fetch } = guarded()
    await fetch(new Request('http://a.example', { signal: AbortSignal.abort() }), { signal: null })
    expect(spy).toHaveBeenCalledTimes(1)
  })

  it.each<[string, unknown, unknown, string]>([
    ['the reason itself', 'of its own', (reason: unknown) => reason, 'ignored'],
    ['an AbortError of somebody else', undefined, () => new DOMException('reset', 'AbortError'), 'failure'],
    ['an error caused by the abort', 'of its own', (reason: unknown) => new Error('wrapped', { cause: reason }), 'ignored'],
    ['a TimeoutError, the deadline the caller set', new DOMException('late', 'TimeoutError'), (reason: unknown) => reason, 'failure'],
  ])('decides whose an abort is: %s', async (_what, reason, errorOf, verdict) => {
    const controller = new AbortController()
    const { ledger, fetch } = guarded({
      fetch: async () => {
        if (reason !== undefined) controller.abort(reason)
        throw (errorOf as (reason: unknown) => unknown)(reason)
      },
    })
    await rejectionOf(fetch('http://a.example', { signal: controller.signal }))
    expect(ledger.verdicts).toEqual([verdict])
  })

  it('aborted by a listener to the transition ends the call before it is made', async () => {
    const { registry, ledger, spy, fetch } = guarded()
    const clock = new ManualClock()
    const breaker = new CircuitBreaker({ clock, failureThreshold: 1, recoveryTimeout: 1_000 })
    const controller = new AbortController()
    fail(breaker)
    clock.advance(1_000)
    breaker.observe({ transition: () => controller.abort('enough') })
    expect(await rejectionOf(breakerFetch(breaker, { fetch: spy })('http://a.example', { signal: controller.signal }))).toBe('enough')
    expect(spy).not.toHaveBeenCalled()
    expect(breaker.snapshot().phase?.inFlight).toBe(0)
    expect([registry.size, ledger.settled, fetch.name]).toEqual([0, [], 'fetch'])
  })
})

describe('a refused call', () => {
  it('rejects with CircuitOpenError, asynchronously, and nothing is sent', async () => {
    const { registry, spy, fetch } = guarded()
    fail(registry.for('http://a.example'))
    const refusal = await rejectionOf(fetch('http://a.example/x'))
    expect(refusal).toBeInstanceOf(CircuitOpenError)
    expect(refusal).toMatchObject({ breaker: 'http://a.example', reason: 'open', retryAfterMs: 1_000 })
    expect(spy).not.toHaveBeenCalled()
    await fetch('http://b.example')
    expect(spy).toHaveBeenCalledTimes(1)
  })

  it('gets what the fallback gives, which is told the refusal and the request, whole', async () => {
    const fallback = vi.fn(async (error: CircuitOpenError, request: Request) => new Response(`${error.reason} ${request.method} ${request.url} ${await request.text()}`))
    const { registry, fetch } = guarded({ fallback })
    fail(registry.for('http://a.example'))
    const { signal } = new AbortController()
    const response = await fetch('http://a.example/x', { method: 'POST', body: 'sent', signal })
    expect(await response.text()).toBe('open POST http://a.example/x sent')
    const request = new Request('http://a.example/y')
    await fetch(request)
    await fetch(request, null as never)
    await fetch(request, { method: 'PUT' })
    const told = fallback.mock.calls.slice(1).map((call) => call[1])
    expect(told.slice(0, 2)).toEqual([request, request])
    expect(told.map((one) => one === request)).toEqual([true, true, false])
    expect(told[2]).toMatchObject({ method: 'PUT', url: request.url })
  })

  it('is refused by a breaker; what else a breaker of somebody else throws, no fallback answers', async () => {
    const broken = new Error('no breaker today')
    const fallback = vi.fn(() => new Response())
    const acquire = () => {
      throw broken
    }
    const fetch = breakerFetch({ acquire } as never, { fetch: answering(), fallback })
    expect(await rejectionOf(fetch('http://a.example'))).toBe(broken)
    expect(fallback).not.toHaveBeenCalled()
  })

  it("is told of the caller's mistake rather than answered by the fallback, where the platform's fetch would find it", async () => {
    const { registry, fetch } = guarded({ fallback: () => expect.unreachable() })
    fail(registry.for('http://a.example'))
    expect(await rejectionOf(fetch('http://user:secret@a.example'))).toBeInstanceOf(TypeError)
  })

  it('gets what the fallback throws', async () => {
    const error = new Error('no cache either')
    const { registry, fetch } = guarded({
      fallback: () => {
        throw error
      },
    })
    fail(registry.for('http://a.example'))
    expect(await rejectionOf(fetch('http://a.example'))).toBe(error)
  })

  it('is the only call that the fallback answers', async () => {
    const error = new TypeError('fetch failed')
    const fallback = vi.fn(() => new Response())
    const { fetch } = guarded({ fetch: () => Promise.reject(error), fallback })
    expect(await rejectionOf(fetch('http://a.example'))).toBe(error)
    expect(await rejectionOf(fetch('http://[broken'))).toBeInstanceOf(TypeError)
    expect(fallback).not.toHaveBeenCalled()
  })

  it('says of a failing status why: the cause is an error that names it', async () => {
    const { fetch } = guarded({ fetch: answering(503) })
    expect((await fetch('http://a.example')).status).toBe(503)
    expect(String(((await rejectionOf(fetch('http://a.example'))) as Error).cause)).toBe('Error: The host answered with status 503')
  })
})
