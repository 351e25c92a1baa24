// What the breaker is told, and what the caller gets, for everything that can become of a call: against real servers, with each undici, and
// into the README.
import { type Readable } from 'node:stream'
import type { Agent, Dispatcher } from 'undici7'
import { afterEach, describe, expect, it } from 'vitest'
import { breakerInterceptor, type InterceptorOptions } from '../../src/adapters/undici.js'
import { BreakerRegistry, findCircuitOpenError, ManualClock } from '../../src/index.js'
import { unhandledDuring } from '../support/calls.js'
import * as http from '../support/http.js'
import { errorText, Ledger, Outcomes } from '../support/outcomes.js'
import { broken } from '../support/broken.js'
import { clients, opened, type Undici } from './undici-clients.js'

afterEach(http.closeServers)

const table = new Outcomes('undici')

interface World {
  readonly undici: Undici
  readonly guards: BreakerRegistry
  /** A dispatcher that is guarded, made with these options. */
  agent(options?: Agent.Options): Dispatcher
}

interface Case {
  readonly event: string
  readonly verdict: string
  readonly gets: string
  readonly options?: InterceptorOptions
  readonly call: (world: World) => Promise<unknown>
}

type Init = Partial<Dispatcher.RequestOptions>

/** A caller that asks and reads what comes. */
const read =
  (answer: http.Answer, init: (() => Init) | Init = {}, options?: Agent.Options) =>
  async ({ agent }: World): Promise<string> => {
    const { origin } = await http.serve(answer)
    return readFrom(agent(options), origin, typeof init === 'function' ? init() : init)
  }

async function readFrom(dispatcher: Dispatcher, origin: string, init: Init = {}): Promise<string> {
  const { statusCode, body } = await dispatcher.request({ origin, path: '/', method: 'GET', ...init })
  const reading = body.text().then(
    () => 'works',
    (error: unknown) => `rejects ${rejection(error)}`,
  )
  return `response ${String(statusCode)}; reading it ${await reading}`
}

/** Which of them comes is a race between the two ends. */
const SOCKET = "rejects a socket's error (`ECONNRESET`, `UND_ERR_SOCKET`)"

const left = () => new Error('the user left')
const classOf = (status: number) => async (world: World) => (await read(http.answer(status))(world)).replace(/\d\d;/, 'xx;')
const works = (status: number | string) => `response ${String(status)}; reading it works`
const counts429: InterceptorOptions = { classify: (status) => (status === 429 ? 'failure' : undefined) }
const waits: InterceptorOptions = { classify: (status) => (status === 503 ? { openFor: 60_000 } : undefined) }

const cases: Case[] = [
  { event: 'an answer below 400, read to the end', verdict: 'success', gets: works(200), call: read(http.answer(200, {}, ['one', 'two'])) },
  { event: 'interim answers (103), then 200', verdict: 'success', gets: works(200), call: read(http.interim(http.answer(200), 103, 103)) },
  {
    event: 'headers that come slowly',
    verdict: 'success',
    gets: works(200),
    call: async ({ agent }) => readFrom(agent(), (await http.serveRaw(http.slowHeaders)).origin),
  },
  { event: 'a redirect, not followed', verdict: 'success', gets: works(302), call: read(http.redirect('http://elsewhere.invalid/')) },
  { event: 'an upgrade (101)', verdict: 'success', gets: 'the socket', call: upgraded },
  ...[400, 401, 404, 409].map((status) => ({ event: '4xx, but 408 and 429', verdict: 'success', gets: works('4xx'), call: classOf(status) })),
  { event: '408', verdict: 'ignored', gets: works(408), call: read(http.answer(408, { connection: 'close' })) },
  { event: '429', verdict: 'ignored', gets: works(429), call: read(http.answer(429)) },
  {
    event: "429, with `classify: (status) => (status === 429 ? 'failure' : undefined)`",
    verdict: 'failure',
    gets: works(429),
    options: counts429,
    call: read(http.answer(429)),
  },
  ...[500, 502, 503, 504].map((status) => ({ event: '5xx', verdict: 'failure', gets: works('5xx'), call: classOf(status) })),
  {
    event: '503, with `classify: (status) => (status === 503 ? { openFor: 60_000 } : undefined)`',
    verdict: 'failure, opens for 60 s',
    gets: works(503),
    options: waits,
    call: read(http.answer(503)),
  },

  { event: 'connection refused', verdict: 'failure', gets: 'rejects `Error` (`ECONNREFUSED`)', call: async ({ agent }) => readFrom(agent(), await http.refused()) },
  { event: 'a name that does not resolve', verdict: 'failure', gets: 'rejects `Error` (`ENOTFOUND`)', call: ({ agent }) => readFrom(agent(), http.NO_SUCH_HOST) },
  {
    event: 'no connection within `connect.timeout`',
    verdict: 'failure',
    gets: 'rejects `ConnectTimeoutError` (`UND_ERR_CONNECT_TIMEOUT`)',
    call: ({ agent }) => readFrom(agent({ connect: { timeout: 20, lookup: () => {} } }), http.NO_SUCH_HOST),
  },
  { event: 'connection reset', verdict: 'failure', gets: SOCKET, call: read(http.reset) },
  { event: 'connection closed without an answer', verdict: 'failure', gets: SOCKET, call: read(http.hangUp) },
  { event: 'an answer that is not HTTP', verdict: 'failure', gets: 'rejects `HTTPParserError`', call: garbage },
  {
    event: 'no answer within `headersTimeout`',
    verdict: 'failure',
    gets: 'rejects `HeadersTimeoutError` (`UND_ERR_HEADERS_TIMEOUT`)',
    call: read(http.hang, {}, { headersTimeout: 20 }),
  },
  {
    event: 'no answer within `AbortSignal.timeout`',
    verdict: 'failure',
    gets: 'rejects `TimeoutError`',
    call: read(http.hang, () => ({ signal: AbortSignal.timeout(20) })),
  },
  {
    event: 'the same within `AbortSignal.any`',
    verdict: 'failure',
    gets: 'rejects `TimeoutError`',
    call: read(http.hang, () => ({ signal: AbortSignal.any([new AbortController().signal, AbortSignal.timeout(20)]) })),
  },

  { event: 'the body is cut', verdict: 'failure', gets: `response 200; reading it ${SOCKET}`, call: read(http.cutBody) },
  { event: 'a chunked body is cut', verdict: 'failure', gets: `response 200; reading it ${SOCKET}`, call: read(http.cutChunkedBody) },
  { event: 'the body is reset', verdict: 'failure', gets: `response 200; reading it ${SOCKET}`, call: read(http.resetInBody) },
  {
    event: 'the body hangs beyond `bodyTimeout`',
    verdict: 'failure',
    gets: 'response 200; reading it rejects `BodyTimeoutError` (`UND_ERR_BODY_TIMEOUT`)',
    call: read(http.hangInBody, {}, { bodyTimeout: 20 }),
  },
  {
    event: "the body hangs beyond the deadline of the caller's signal",
    verdict: 'failure',
    gets: 'response 200; reading it rejects `TimeoutError`',
    call: (world) => abortedInBody(world, new DOMException('too late', 'TimeoutError')),
  },
  { event: '5xx whose body is cut', verdict: 'failure', gets: `response 503; reading it ${SOCKET}`, call: read(cutAfter(503)) },

  { event: 'the caller aborts before the call', verdict: 'none', gets: 'rejects its own reason', call: read(http.answer(200), { signal: AbortSignal.abort(left()) }) },
  { event: 'the caller aborts while there is no answer', verdict: 'ignored', gets: 'rejects its own reason', call: (world) => abortedDuring(world, (signal) => signal) },
  {
    event: 'the same through `AbortSignal.any`',
    verdict: 'ignored',
    gets: 'rejects its own reason',
    call: (world) => abortedDuring(world, (signal) => AbortSignal.any([signal, AbortSignal.timeout(60_000)])),
  },
  {
    event: 'the caller aborts while the body comes',
    verdict: 'ignored',
    gets: 'response 200; reading it rejects its own reason',
    call: (world) => abortedInBody(world, left()),
  },
  { event: 'the caller destroys the body, unread', verdict: 'ignored', gets: 'response 200', call: destroyed(200) },
  { event: '5xx whose body the caller destroys', verdict: 'failure', gets: 'response 503', call: destroyed(503) },
  ...[brokenUpload, brokenWebUpload].map((call) => ({ event: 'what the caller uploads breaks off', verdict: 'ignored', gets: 'rejects its own reason', call })),
  ...[resetUpload, resetWebUpload].map((call) => ({ event: 'the host breaks off an upload', verdict: 'failure', gets: SOCKET, call })),
  { event: 'the caller destroys the dispatcher', verdict: 'ignored', gets: 'rejects `ClientDestroyedError` (`UND_ERR_DESTROYED`)', call: dispatcherDestroyed },
  {
    event: "a caller's mistake: the path, the method, a header",
    verdict: 'ignored',
    gets: 'rejects `InvalidArgumentError` (`UND_ERR_INVALID_ARG`)',
    call: read(http.answer(200), { path: 'no-slash' }),
  },
  {
    event: "a caller's mistake: the path, the method, a header",
    verdict: 'ignored',
    gets: 'rejects `InvalidArgumentError` (`UND_ERR_INVALID_ARG`)',
    call: read(http.answer(200), { method: 'N O' as 'GET' }),
  },
  {
    event: "a caller's mistake: the path, the method, a header",
    verdict: 'ignored',
    gets: 'rejects `InvalidArgumentError` (`UND_ERR_INVALID_ARG`)',
    call: read(http.answer(200), { headers: { 'not a name': 'x' } }),
  },

  { event: 'the call is refused', verdict: 'none', gets: 'rejects `CircuitOpenError` (`ERR_CIRCUIT_OPEN`)', call: refusedCall },
  { event: 'the call of a `fetch` is refused', verdict: 'none', gets: 'rejects `TypeError`, whose cause is the `CircuitOpenError`', call: refusedFetch },
]

describe.each(clients)('what becomes of a call of undici $version', ({ undici }) => {
  it.each(cases)('$event: $verdict', async ({ event, verdict, gets, options = {}, call }) => {
    const guards = new BreakerRegistry({ clock: new ManualClock(), failureThreshold: 3, recoveryTimeout: 1_000 })
    const ledger = new Ledger(guards)
    const agent = (given: Agent.Options = {}) => opened(new undici.Agent(given)).compose(breakerInterceptor(guards, options))
    let got = ''
    const unhandled = await unhandledDuring(async () => {
      try {
        got = String(await call({ undici, guards, agent }))
      } catch (error) {
        got = `rejects ${rejection(error)}`
      }
    })
    expect({ verdict: ledger.verdict, gets: got }).toEqual({ verdict, gets })
    expect(unhandled).toEqual([])
    table.add(event, ledger.verdict, got)
  })
})

describe('the table of undici', () => {
  it('is what the README says', () => {
    expect(table.markdown).toContain('| the call is refused |')
    table.expectReadme(new Set(cases.map(({ event }) => event)).size)
  })
})

function rejection(error: unknown): string {
  const { message, name, code } = error as Error & { code?: unknown }
  if (message === 'the user left') return 'its own reason'
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET') return SOCKET.replace('rejects ', '')
  const refusal = findCircuitOpenError(error)
  if (refusal !== undefined && refusal !== error) return `${errorText(error)}, whose cause is the \`CircuitOpenError\``
  // Its code is the parser's, which differs.
  return errorText(error, name !== 'HTTPParserError')
}

async function upgraded({ agent }: World): Promise<string> {
  const { origin } = await http.serveUpgrade((_request, socket) => socket.end('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n'))
  const { socket } = await agent().upgrade({ origin, path: '/', protocol: 'echo' } as Dispatcher.UpgradeOptions)
  socket.destroy()
  return 'the socket'
}

async function garbage({ agent }: World): Promise<string> {
  const { origin } = await http.serveRaw((socket) => socket.end('SMTP 220 hello\r\n\r\n'))
  return readFrom(agent(), origin)
}

function cutAfter(status: number): http.Answer {
  return (request, response) => {
    request.resume()
    response.writeHead(status, { 'content-length': '1000' })
    response.write('the beginning', () => request.socket.end())
  }
}

async function abortedDuring({ agent }: World, signal: (own: AbortSignal) => AbortSignal): Promise<string> {
  const exchanges = http.byHand()
  const { origin } = await http.serve(exchanges.answer)
  const controller = new AbortController()
  const call = readFrom(agent(), origin, { signal: signal(controller.signal) })
  await Promise.race([exchanges.next(), call])
  controller.abort(left())
  return call
}

async function abortedInBody({ agent }: World, reason: unknown): Promise<string> {
  const { origin } = await http.serve(http.hangInBody)
  const controller = new AbortController()
  const { statusCode, body } = await agent().request({ origin, path: '/', method: 'GET', signal: controller.signal })
  controller.abort(reason)
  return `response ${String(statusCode)}; reading it ${await body.text().catch((error: unknown) => `rejects ${rejection(error)}`)}`
}

function destroyed(status: number) {
  return async ({ agent }: World): Promise<string> => {
    const hangs: http.Answer = (request, response) => {
      request.resume()
      response.writeHead(status)
      response.write('the beginning')
    }
    const { origin } = await http.serve(hangs)
    const { statusCode, body } = await agent().request({ origin, path: '/', method: 'GET' })
    const closed = new Promise((resolve) => body.on('close', resolve))
    body.on('error', () => {}).destroy()
    await closed
    return `response ${String(statusCode)}`
  }
}

function brokenUpload(world: World): Promise<string> {
  return read(http.hang, { method: 'POST', body: broken((body) => body.destroy(left())) })(world)
}

function resetUpload(world: World): Promise<string> {
  return read(cutUpload, { method: 'POST', body: broken(() => {}) })(world)
}

function cutUpload(...[request]: Parameters<http.Answer>) {
  request.once('data', () => request.socket.resetAndDestroy())
}

/** The same of a web stream, which undici's types take only since 8. */
function webUpload(then: (controller: ReadableStreamDefaultController) => void): Readable {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from('the beginning'))
      setImmediate(then, controller)
    },
  })
  return body as unknown as Readable
}

function brokenWebUpload(world: World): Promise<string> {
  return read(http.hang, { method: 'POST', body: webUpload((controller) => controller.error(left())) })(world)
}

function resetWebUpload(world: World): Promise<string> {
  return read(cutUpload, { method: 'POST', body: webUpload(() => {}) })(world)
}

async function dispatcherDestroyed({ undici, guards }: World): Promise<string> {
  const exchanges = http.byHand()
  const { origin } = await http.serve(exchanges.answer)
  const agent = opened(new undici.Agent())
  const call = readFrom(agent.compose(breakerInterceptor(guards)), origin)
  await Promise.race([exchanges.next(), call])
  await Promise.all([agent.destroy(), call.catch(() => {})])
  return call
}

async function refusedCall({ agent, guards }: World): Promise<string> {
  const { origin } = await http.serve(http.answer(200))
  guards.for(origin).forceOpen()
  return readFrom(agent(), origin)
}

async function refusedFetch({ undici, agent, guards }: World): Promise<string> {
  const { origin } = await http.serve(http.answer(200))
  guards.for(origin).forceOpen()
  const { status } = await undici.fetch(origin, { dispatcher: agent() })
  return `response ${String(status)}`
}
