// What the breaker is told, and what the caller gets, for everything that can become of a fetch: against real servers, and into the README.
import { getEventListeners, setMaxListeners } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Agent } from 'undici7'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { breakerFetch, type BreakerFetchOptions } from '../../src/adapters/fetch.js'
import { BreakerRegistry, CircuitBreaker, ManualClock, type CircuitOpenError } from '../../src/index.js'
import { MANY, rejectionOf, unhandledDuring } from '../support/calls.js'
import * as http from '../support/http.js'
import { errorText, Ledger, Outcomes } from '../support/outcomes.js'
import { broken } from '../support/broken.js'

afterEach(http.closeServers)
afterEach(() => void vi.useRealTimers())

const table = new Outcomes('fetch')
const now = Date.UTC(2026, 0, 1, 12)
const dateIn = (seconds: number): string => new Date(now + seconds * 1_000).toUTCString()

interface Case {
  readonly event: string
  readonly verdict: string
  readonly gets: string
  readonly options?: BreakerFetchOptions
  /** Makes the call and resolves with what its caller sees, or rejects with what its caller catches. */
  readonly call: (fetch: typeof globalThis.fetch) => Promise<unknown>
}

/** A caller that looks at the status alone. */
const ask =
  (answer: http.Answer, path = '/', init?: RequestInit) =>
  async (fetch: typeof globalThis.fetch): Promise<string> => {
    const server = await http.serve(answer)
    return seen(await fetch(server.url(path), init))
  }

/** A caller that reads the body too. */
const read =
  (answer: http.Answer, init?: () => RequestInit) =>
  async (fetch: typeof globalThis.fetch): Promise<string> => {
    const server = await http.serve(answer)
    const response = await fetch(server.url(), init?.())
    return `${seen(response)}; reading it ${await response.text().then(
      () => 'works',
      (error: unknown) => `rejects ${errorText(error)}`,
    )}`
  }

const seen = (response: Response): string => `response ${String(response.status)}`

/** A caller that gives up at a moment of its choice. */
const giveUp = (controller: AbortController, reason: unknown = new Error('the user left')) => controller.abort(reason)

const cases: Case[] = [
  { event: 'an answer below 400', verdict: 'success', gets: 'response 200', call: ask(http.answer(200)) },
  { event: 'a redirect, followed: charged to the host that was asked', verdict: 'success', gets: 'response 200', call: redirected },
  { event: 'a redirect to a host that is down', verdict: 'failure', gets: 'rejects `TypeError`', call: redirectedToRefused },
  { event: 'headers that come slowly', verdict: 'success', gets: 'response 200', call: slow },
  ...[400, 401, 403, 404, 409, 422].map((status) => ({ event: '4xx, but 408 and 429', verdict: 'success', gets: 'response 4xx', call: classOf(status) })),
  { event: '408', verdict: 'ignored', gets: 'response 408', call: ask(http.answer(408)) },
  { event: '429', verdict: 'ignored', gets: 'response 429', call: ask(http.answer(429, { 'retry-after': '120' })) },
  {
    event: "429, with `classify: (status) => (status === 429 ? 'failure' : undefined)`",
    verdict: 'failure',
    gets: 'response 429',
    options: { classify: (status) => (status === 429 ? 'failure' : undefined) },
    call: ask(http.answer(429)),
  },
  ...[500, 502, 503, 504].map((status) => ({ event: '5xx', verdict: 'failure', gets: 'response 5xx', call: classOf(status) })),
  {
    event: '429 with `Retry-After: 120`, with `retryAfter: true`',
    verdict: 'failure, opens for 120 s',
    gets: 'response 429',
    options: { retryAfter: true },
    call: ask(http.answer(429, { 'retry-after': '120' })),
  },
  {
    event: '503 with `Retry-After:` a date in 90 s, with `retryAfter: true`',
    verdict: 'failure, opens for 90 s',
    gets: 'response 503',
    options: { retryAfter: true },
    call: ask(http.answer(503, { 'retry-after': dateIn(90) })),
  },
  {
    event: 'the same, with `retryAfter: { max: 60_000 }`',
    verdict: 'failure, opens for 60 s',
    gets: 'response 503',
    options: { retryAfter: { max: 60_000 } },
    call: ask(http.answer(503, { 'retry-after': dateIn(90) })),
  },
  {
    event: '503 with a `Retry-After` that says nothing',
    verdict: 'failure',
    gets: 'response 503',
    options: { retryAfter: true },
    call: ask(http.answer(503, { 'retry-after': 'soon' })),
  },

  { event: 'connection refused', verdict: 'failure', gets: 'rejects `TypeError`', call: async (fetch) => fetch(await http.refused()) },
  { event: 'a name that does not resolve', verdict: 'failure', gets: 'rejects `TypeError`', call: (fetch) => fetch(http.NO_SUCH_HOST) },
  { event: 'connection reset', verdict: 'failure', gets: 'rejects `TypeError`', call: ask(http.reset) },
  { event: 'connection closed without an answer', verdict: 'failure', gets: 'rejects `TypeError`', call: ask(http.hangUp) },
  { event: 'an answer that is not HTTP', verdict: 'failure', gets: 'rejects `TypeError`', call: garbage },
  {
    event: 'no answer within `AbortSignal.timeout`',
    verdict: 'failure',
    gets: 'rejects `TimeoutError`',
    call: (fetch) => ask(http.hang, '/', { signal: AbortSignal.timeout(20) })(fetch),
  },
  ...[endlessNode, endlessWeb, endlessGenerator].flatMap((body) =>
    [undefined, 'as a Request' as const].map((as) => ({
      event: 'no answer within `AbortSignal.timeout`',
      verdict: 'failure',
      gets: 'rejects `TimeoutError`',
      call: upload(http.hang, body, as, () => AbortSignal.timeout(20)),
    })),
  ),
  {
    event: 'the same within `AbortSignal.any`',
    verdict: 'failure',
    gets: 'rejects `TimeoutError`',
    call: (fetch) => ask(http.hang, '/', { signal: AbortSignal.any([new AbortController().signal, AbortSignal.timeout(20)]) })(fetch),
  },

  { event: 'the caller aborts before the call', verdict: 'none', gets: 'rejects its own reason', call: abortedBefore },
  { event: 'the caller aborts while there is no answer', verdict: 'ignored', gets: 'rejects its own reason', call: (fetch) => abortedDuring(fetch, (signal) => signal) },
  {
    event: 'the same through `AbortSignal.any`',
    verdict: 'ignored',
    gets: 'rejects its own reason',
    call: (fetch) => abortedDuring(fetch, (signal) => AbortSignal.any([signal, AbortSignal.timeout(60_000)])),
  },
  { event: 'the caller aborts while the body comes', verdict: 'success', gets: 'response 200; reading it rejects its own reason', call: abortedInBody },
  { event: 'the body is cut', verdict: 'success', gets: 'response 200; reading it rejects `TypeError`', call: read(http.cutBody) },

  {
    event: "the body is read to the end, with `body: 'settle'`",
    verdict: 'success',
    gets: 'response 200; reading it works',
    options: { body: 'settle' },
    call: read(http.answer(200, {}, ['one', 'two'])),
  },
  {
    event: "the body is cut, with `body: 'settle'`",
    verdict: 'failure',
    gets: 'response 200; reading it rejects `TypeError`',
    options: { body: 'settle' },
    call: read(http.cutBody),
  },
  {
    event: "the body is reset, with `body: 'settle'`",
    verdict: 'failure',
    gets: 'response 200; reading it rejects `TypeError`',
    options: { body: 'settle' },
    call: read(http.resetInBody),
  },
  {
    event: "the body hangs beyond `AbortSignal.timeout`, with `body: 'settle'`",
    verdict: 'failure',
    gets: 'response 200; reading it rejects `TimeoutError`',
    options: { body: 'settle' },
    call: read(http.hangInBody, () => ({ signal: AbortSignal.timeout(50) })),
  },
  {
    event: "the caller aborts while it reads, with `body: 'settle'`",
    verdict: 'ignored',
    gets: 'response 200; reading it rejects its own reason',
    options: { body: 'settle' },
    call: abortedInBody,
  },
  { event: "the caller cancels the body, with `body: 'settle'`", verdict: 'ignored', gets: 'response 200', options: { body: 'settle' }, call: cancelled },
  {
    event: "nobody reads the body, with `body: 'settle'`",
    verdict: 'none',
    gets: 'response 200',
    options: { body: 'settle' },
    call: ask(http.answer(200, {}, 'unread')),
  },
  { event: "no body (`HEAD`, 204, 304), with `body: 'settle'`", verdict: 'success', gets: 'response 204', options: { body: 'settle' }, call: ask(http.answer(204)) },
  { event: "5xx, with `body: 'settle'`, read or not", verdict: 'failure', gets: 'response 500', options: { body: 'settle' }, call: ask(http.answer(500, {}, 'unread')) },

  { event: "a caller's mistake: the URL, the method, a header", verdict: 'none', gets: 'rejects `TypeError`', call: (fetch) => fetch('/relative') },
  {
    event: "a caller's mistake: the URL, the method, a header",
    verdict: 'none',
    gets: 'rejects `TypeError`',
    call: ask(http.answer(200), '/', { method: 'GET', body: 'of a GET' }),
  },
  {
    event: "a caller's mistake: the URL, the method, a header",
    verdict: 'none',
    gets: 'rejects `TypeError`',
    call: ask(http.answer(200), '/', { headers: { 'not a name': 'x' } }),
  },
  ...[brokenNode, destroyedNode, brokenWeb].flatMap((body) => [
    { event: 'what the caller uploads breaks off', verdict: 'ignored', gets: 'rejects `TypeError`', call: upload(http.hang, body) },
    { event: 'what the caller uploads breaks off', verdict: 'ignored', gets: 'rejects `TypeError`', call: upload(http.hang, body, 'as a Request') },
  ]),
  {
    event: 'the same of an async generator, which shows no sign of it',
    verdict: 'failure',
    gets: 'rejects `TypeError`',
    call: upload(http.hang, brokenGenerator),
  },
  ...[endlessNode, endlessWeb, endlessGenerator].map((body) => ({
    event: 'the host breaks off an upload',
    verdict: 'failure',
    gets: 'rejects `TypeError`',
    call: upload(resetInUpload, body),
  })),
  {
    event: "the caller refuses the answer: a redirect with `redirect: 'error'`, another `integrity`",
    verdict: 'ignored',
    gets: 'rejects `TypeError`',
    call: ask(http.redirect('/elsewhere'), '/', { redirect: 'error' }),
  },
  {
    event: "the caller refuses the answer: a redirect with `redirect: 'error'`, another `integrity`",
    verdict: 'ignored',
    gets: 'rejects `TypeError`',
    call: ask(http.answer(200, {}, 'not that'), '/', { integrity: 'sha256-AAAA' }),
  },
  { event: 'a port that fetch blocks', verdict: 'ignored', gets: 'rejects `TypeError`', call: (fetch) => fetch('http://127.0.0.1:6000/') },
  { event: 'a `data:` URL', verdict: 'none', gets: 'response 200', call: async (fetch) => seen(await fetch('data:,hello')) },
  { event: 'the call is refused', verdict: 'none', gets: 'rejects `CircuitOpenError`', call: refusedCall },
  {
    event: 'the call is refused, with `fallback`',
    verdict: 'none',
    gets: 'response 203',
    options: { fallback: () => new Response('from the cache', { status: 203 }) },
    call: refusedCall,
  },
  { event: 'a guarded dispatcher below refuses', verdict: 'ignored', gets: 'rejects `TypeError`', call: refusedBelow },
]

const expectReadme = (events: number) => table.expectReadme(events)

describe('what becomes of a fetch, by status too (B60, B61)', () => {
  it.each(cases)('$event: $verdict', async ({ event, verdict, gets, options = {}, call }) => {
    vi.useFakeTimers({ toFake: ['Date'], now })
    guards = new BreakerRegistry({ clock: new ManualClock(), failureThreshold: 3, recoveryTimeout: 1_000 })
    const ledger = new Ledger(guards)
    let got = ''
    const unhandled = await unhandledDuring(async () => {
      try {
        got = String(await call(breakerFetch(guards, options)))
      } catch (error) {
        got = `rejects ${rejection(error)}`
      }
    })
    expect({ verdict: ledger.verdict, gets: got }).toEqual({ verdict, gets })
    expect(unhandled).toEqual([])
    table.add(event, ledger.verdict, got)
  })

  it('is what the README says', () => {
    expectReadme(new Set(cases.map(({ event }) => event)).size)
  })
})

let guards: BreakerRegistry

function rejection(error: unknown): string {
  return (error as Error | undefined)?.message === 'the user left' ? 'its own reason' : errorText(error)
}

/** Many statuses of one class make one row. */
function classOf(status: number) {
  return async (fetch: typeof globalThis.fetch) => {
    expect(await ask(http.answer(status))(fetch)).toBe(`response ${String(status)}`)
    return `response ${String(status).charAt(0)}xx`
  }
}

async function redirected(fetch: typeof globalThis.fetch): Promise<string> {
  const target = await http.serve(http.answer(200))
  const asked = await http.serve(http.redirect(target.url('/moved')))
  const response = await fetch(asked.url())
  expect({ redirected: response.redirected, url: response.url }).toEqual({ redirected: true, url: target.url('/moved') })
  expect([...guards].map(([key]) => key)).toEqual([asked.origin])
  return seen(response)
}

async function redirectedToRefused(fetch: typeof globalThis.fetch): Promise<unknown> {
  const asked = await http.serve(http.redirect(await http.refused()))
  try {
    return await fetch(asked.url())
  } finally {
    expect([...guards].map(([key]) => key)).toEqual([asked.origin])
  }
}

async function slow(fetch: typeof globalThis.fetch): Promise<string> {
  const server = await http.serveRaw(http.slowHeaders)
  const response = await fetch(server.url())
  expect(await response.text()).toBe('ok')
  return seen(response)
}

async function garbage(fetch: typeof globalThis.fetch): Promise<unknown> {
  const server = await http.serveRaw((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n'))
  return fetch(server.url())
}

/** The same as `broken`, of a web stream. */
function webBody(then: (controller: ReadableStreamDefaultController) => void): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from('the beginning'))
      setImmediate(then, controller)
    },
  })
}

async function* generatorBody(then: () => Promise<void>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('the beginning')
  await then()
}

const ownDisk = () => new Error('my own disk')

function brokenNode() {
  return broken((body) => body.destroy(ownDisk()))
}

function destroyedNode() {
  return broken((body) => body.destroy())
}

function brokenWeb() {
  return webBody((controller) => controller.error(ownDisk()))
}

function brokenGenerator() {
  return generatorBody(() => Promise.reject(ownDisk()))
}

function endlessNode() {
  return broken(() => {})
}

function endlessWeb() {
  return webBody(() => {})
}

function endlessGenerator() {
  return generatorBody(() => new Promise(() => {}))
}

function resetInUpload(...[request]: Parameters<http.Answer>) {
  request.once('data', () => request.socket.resetAndDestroy())
}

function upload(answer: http.Answer, bodyOf: () => unknown, as?: 'as a Request', signalOf?: () => AbortSignal) {
  return async (fetch: typeof globalThis.fetch): Promise<string> => {
    const server = await http.serve(answer)
    const init: RequestInit = { method: 'POST', body: bodyOf() as ReadableStream, duplex: 'half', signal: signalOf?.() ?? null }
    return seen(await (as === undefined ? fetch(server.url(), init) : fetch(new Request(server.url(), init))))
  }
}

async function abortedBefore(fetch: typeof globalThis.fetch): Promise<unknown> {
  const server = await http.serve(http.answer(200))
  try {
    return await fetch(server.url(), { signal: AbortSignal.abort(new Error('the user left')) })
  } finally {
    expect(server.requests).toBe(0)
    expect(guards.size).toBe(0)
  }
}

async function abortedDuring(fetch: typeof globalThis.fetch, signalOf: (signal: AbortSignal) => AbortSignal): Promise<unknown> {
  const { answer, next } = http.byHand()
  const server = await http.serve(answer)
  const controller = new AbortController()
  const answered = fetch(server.url(), { signal: signalOf(controller.signal) })
  const { closed } = await next()
  giveUp(controller)
  const reason = await rejectionOf(answered)
  // The signal reached fetch: it gave up the connection.
  await closed
  throw reason
}

async function abortedInBody(fetch: typeof globalThis.fetch): Promise<string> {
  const server = await http.serve(http.hangInBody)
  const controller = new AbortController()
  const response = await fetch(server.url(), { signal: controller.signal })
  const reader = response.body!.getReader()
  await reader.read()
  giveUp(controller)
  return `${seen(response)}; reading it rejects ${rejection(await rejectionOf(reader.read()))}`
}

async function cancelled(fetch: typeof globalThis.fetch): Promise<string> {
  const { answer, next } = http.byHand()
  const server = await http.serve(answer)
  const answered = fetch(server.url())
  const exchange = await next()
  exchange.response.write('the beginning')
  const response = await answered
  await response.body!.cancel()
  await exchange.closed
  return seen(response)
}

async function refusedCall(fetch: typeof globalThis.fetch): Promise<string> {
  const server = await http.serve(http.answer(200))
  guards.for(server.origin).forceOpen()
  try {
    return seen(await fetch(server.url()))
  } finally {
    expect(server.connections).toBe(0)
  }
}

/** The dispatcher refuses as a guarded one does: fetch hides the refusal in `cause`. */
async function refusedBelow(fetch: typeof globalThis.fetch): Promise<unknown> {
  const below = new CircuitBreaker({ name: 'below' })
  below.forceOpen()
  const dispatcher = new Agent().compose(() => (_options, handler) => {
    below.execute(() => 0).catch((refusal: unknown) => handler.onResponseError?.(null as never, refusal as CircuitOpenError))
    return true
  })
  const error = await rejectionOf(fetch('http://127.0.0.1/', { dispatcher } as object))
  expect((error as Error).cause).toMatchObject({ code: 'ERR_CIRCUIT_OPEN', breaker: 'below' })
  throw error
}

it('needs no more connections than the bare fetch, when the body is read', async () => {
  const used = async (fetch: typeof globalThis.fetch) => {
    const server = await http.serve(http.answer(200, {}, 'ok'))
    for (let n = 0; n < 20; n++) expect(await (await fetch(server.url())).text()).toBe('ok')
    return server.connections
  }
  const bare = await used(globalThis.fetch)
  expect(bare).toBeLessThan(20)
  expect(await used(breakerFetch(new BreakerRegistry<string>()))).toBeLessThanOrEqual(bare + 1)
  expect(await used(breakerFetch(new BreakerRegistry<string>(), { body: 'settle' }))).toBeLessThanOrEqual(bare + 1)
})

it('hands the signal on in half-open as in closed, and aborts nothing itself', async () => {
  const { answer, next } = http.byHand()
  const server = await http.serve(answer)
  const clock = new ManualClock()
  const breaker = new CircuitBreaker({ clock, failureThreshold: 1, recoveryTimeout: 1_000 })
  const fetch = breakerFetch(breaker)
  breaker.acquire().failure()
  clock.advance(1_000)
  const controller = new AbortController()
  const probe = fetch(server.url(), { signal: controller.signal })
  expect(breaker.state).toBe('half-open')
  const exchange = await next()
  giveUp(controller)
  expect(rejection(await rejectionOf(probe))).toBe('its own reason')
  await exchange.closed
  // The place is free again, and the next call's signal is its own.
  const second = fetch(server.url(), { signal: new AbortController().signal })
  ;(await next()).response.end('ok')
  expect(await (await second).text()).toBe('ok')
  expect(breaker.state).toBe('closed')
})

it('a body that is read after the verdict can still be cut off by its caller, and by nobody else', async () => {
  const { answer, next } = http.byHand()
  const server = await http.serve(answer)
  const controller = new AbortController()
  const fetch = breakerFetch(new CircuitBreaker())
  const answered = fetch(server.url(), { signal: controller.signal })
  const exchange = await next()
  exchange.response.write('one')
  const reader = (await answered).body!.getReader()
  await reader.read()
  await turn()
  exchange.response.write('two')
  expect(Buffer.from((await reader.read()).value).toString()).toBe('two')
  giveUp(controller)
  expect(rejection(await rejectionOf(reader.read()))).toBe('its own reason')
  await exchange.closed
})

it('a call that became slow before its caller gave up counts as slow (law 8)', async () => {
  const { answer, next } = http.byHand()
  const server = await http.serve(answer)
  const clock = new ManualClock()
  const breaker = new CircuitBreaker({ clock, failureThreshold: 1, slowCallDuration: 100 })
  const controller = new AbortController()
  const answered = breakerFetch(breaker)(server.url(), { signal: controller.signal })
  await next()
  clock.advance(100)
  giveUp(controller)
  await rejectionOf(answered)
  expect(breaker.state).toBe('open')
})

describe('ten thousand calls on one long-lived signal', () => {
  /** A signal that counts the listeners it is given. */
  function counting() {
    const { signal } = new AbortController()
    const counted = { signal, added: 0 }
    const addEventListener = signal.addEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      counted.added++
      addEventListener(...args)
    }
    // Node 20 warns of its own fetch's listeners, of which more than 1,500 can wait for collection.
    setMaxListeners(0, signal)
    return counted
  }

  it('add not one listener to those of fetch, and leave none', { timeout: 120_000 }, async () => {
    const server = await http.serve(http.answer(200, {}, 'ok'))
    const one = counting()
    await (await globalThis.fetch(server.url(), { signal: one.signal })).text()
    const all = counting()
    const fetch = breakerFetch(new BreakerRegistry(), { body: 'settle' })
    const lane = async () => {
      for (let n = 0; n < MANY / 16; n++) await (await fetch(server.url(), { signal: all.signal })).text()
    }
    await Promise.all(Array.from({ length: 16 }, lane))
    expect(all.added).toBe(MANY * one.added)
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    for (let n = 0; n < 100 && getEventListeners(all.signal, 'abort').length > 0; n++) {
      collect()
      await turn()
    }
    expect(getEventListeners(all.signal, 'abort')).toEqual([])
  })

  it('have no listener and no warning of their own, made, refused or looked at closely', async () => {
    const { signal } = new AbortController()
    const warnings: unknown[] = []
    const note = (warning: unknown) => void warnings.push(warning)
    process.on('warning', note)
    const [up, down] = [new CircuitBreaker(), new CircuitBreaker()]
    down.forceOpen()
    const response = () => Promise.resolve(new Response('ok'))
    const made = breakerFetch(up, { body: 'settle', fetch: response })
    const refused = breakerFetch(down, { fetch: response })
    // For the last one a Request is built, to check the word.
    const inits: RequestInit[] = [{ signal }, { signal, method: 'POST', body: '{}' }, { signal, redirect: 'manual' }]
    for (let n = 0; n < MANY; n++) {
      const init = inits[n % 25] ?? { signal }
      await (await made('http://a.example', init)).text()
      await refused('http://a.example', init).catch(() => {})
    }
    await turn()
    process.off('warning', note)
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(warnings).toEqual([])
  })
})

it('a stream is uploaded as before, and answered while it is', async () => {
  const server = await http.serve(http.echo)
  const breaker = new CircuitBreaker()
  const ledger = new Ledger(breaker)
  const pieces = Array.from({ length: 32 }, (_, n) => String(n % 10).repeat(16_384))
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(Buffer.from(piece))
      controller.close()
    },
  })
  const response = await breakerFetch(breaker, { body: 'settle' })(server.url(), { method: 'POST', body, duplex: 'half' })
  expect(await response.text()).toBe(pieces.join(''))
  expect(ledger.verdicts).toEqual(['success'])
})

it('a server that dies while a connection is kept is found out by the next call', async () => {
  const server = await http.serve(http.answer(200, {}, 'ok'))
  const breaker = new CircuitBreaker({ failureThreshold: 1 })
  const fetch = breakerFetch(breaker)
  await (await fetch(server.url())).text()
  await server.close()
  await rejectionOf(fetch(server.url()))
  expect(breaker.state).toBe('open')
})
