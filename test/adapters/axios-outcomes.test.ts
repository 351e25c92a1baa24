// What the breaker is told, and what the caller of axios gets, for everything that can become of a call: against real servers, with the
// adapters of axios for Node and for fetch, and into the README.
import { type Readable } from 'node:stream'
import axios, { type AxiosError, type AxiosInstance, type AxiosRequestConfig } from 'axios'
import { afterEach, describe, expect, it } from 'vitest'
import { breakerAdapter, type BreakerAdapterOptions } from '../../src/adapters/axios.js'
import { BreakerRegistry, findCircuitOpenError, ManualClock } from '../../src/index.js'
import { rejectionOf, unhandledDuring } from '../support/calls.js'
import * as http from '../support/http.js'
import { Ledger, Outcomes } from '../support/outcomes.js'
import { broken } from '../support/broken.js'

afterEach(http.closeServers)

const table = new Outcomes('axios')
const adapters = ['http', 'fetch'] as const

interface Case {
  readonly event: string
  readonly verdict: string
  readonly gets: string
  readonly options?: BreakerAdapterOptions
  readonly call: (api: AxiosInstance, guards: BreakerRegistry) => Promise<unknown>
}

/** A caller that asks and gets what comes. */
const ask =
  (answer: http.Answer, config: (() => AxiosRequestConfig) | AxiosRequestConfig = {}) =>
  async (api: AxiosInstance): Promise<string> => {
    const server = await http.serve(answer)
    const { status } = await api.get(server.url(), typeof config === 'function' ? config() : config)
    return `response ${String(status)}`
  }

const classOf = (status: number) => async (api: AxiosInstance) => {
  const error = await rejectionOf(ask(http.answer(status))(api))
  expect(error).toMatchObject({ response: { status } })
  throw Object.assign(error as AxiosError, { response: { status: `${String(status).charAt(0)}xx` } })
}

const answered = (status: number | string, code: string) => `rejects \`AxiosError\` (\`${code}\`), whose \`response.status\` is ${String(status)}`
const CANCELED = 'rejects `CanceledError` (`ERR_CANCELED`)'
const BROKEN = 'rejects an error'
const counts429: BreakerAdapterOptions = { classify: (status) => (status === 429 ? 'failure' : undefined) }
const waits: BreakerAdapterOptions = { classify: (status) => (status === 503 ? { openFor: 60_000 } : undefined) }

const cases: Case[] = [
  { event: 'an answer below 400', verdict: 'success', gets: 'response 200', call: ask(http.answer(200, {}, ['one', 'two'])) },
  { event: 'a redirect, followed: charged to the host that was asked', verdict: 'success', gets: 'response 200', call: redirected },
  {
    event: 'headers that come slowly',
    verdict: 'success',
    gets: 'response 200',
    call: async (api) => `response ${String((await api.get((await http.serveRaw(http.slowHeaders)).origin)).status)}`,
  },
  ...[400, 401, 404, 409].map((status) => ({ event: '4xx, but 408 and 429', verdict: 'success', gets: answered('4xx', 'ERR_BAD_REQUEST'), call: classOf(status) })),
  { event: '408', verdict: 'ignored', gets: answered(408, 'ERR_BAD_REQUEST'), call: ask(http.answer(408)) },
  { event: '429', verdict: 'ignored', gets: answered(429, 'ERR_BAD_REQUEST'), call: ask(http.answer(429)) },
  {
    event: "429, with `classify: (status) => (status === 429 ? 'failure' : undefined)`",
    verdict: 'failure',
    gets: answered(429, 'ERR_BAD_REQUEST'),
    options: counts429,
    call: ask(http.answer(429)),
  },
  ...[500, 502, 503, 504].map((status) => ({ event: '5xx', verdict: 'failure', gets: answered('5xx', 'ERR_BAD_RESPONSE'), call: classOf(status) })),
  {
    event: '503, with `classify: (status) => (status === 503 ? { openFor: 60_000 } : undefined)`',
    verdict: 'failure, opens for 60 s',
    gets: answered(503, 'ERR_BAD_RESPONSE'),
    options: waits,
    call: ask(http.answer(503)),
  },
  { event: '503 that `validateStatus` takes', verdict: 'failure', gets: 'response 503', call: ask(http.answer(503), { validateStatus: () => true }) },
  {
    event: '200 that `validateStatus` does not take',
    verdict: 'success',
    gets: answered(200, 'ERR_BAD_RESPONSE'),
    call: ask(http.answer(200), { validateStatus: () => false }),
  },
  {
    event: 'an answer that `transformResponse` cannot read',
    verdict: 'success',
    gets: BROKEN,
    call: ask(http.answer(200, {}, '{'), { responseType: 'json', transitional: { silentJSONParsing: false } }),
  },

  { event: 'connection refused', verdict: 'failure', gets: BROKEN, call: async (api) => api.get(await http.refused()) },
  { event: 'a name that does not resolve', verdict: 'failure', gets: BROKEN, call: (api) => api.get(http.NO_SUCH_HOST) },
  { event: 'connection reset', verdict: 'failure', gets: BROKEN, call: ask(http.reset) },
  { event: 'connection closed without an answer', verdict: 'failure', gets: BROKEN, call: ask(http.hangUp) },
  { event: 'the body is cut, or reset', verdict: 'failure', gets: BROKEN, call: ask(http.cutBody) },
  { event: 'the body is cut, or reset', verdict: 'failure', gets: BROKEN, call: ask(http.resetInBody) },
  { event: "the body is cut, with `responseType: 'stream'`", verdict: 'success', gets: 'response 200', call: ask(http.cutBody, { responseType: 'stream' }) },
  {
    event: "no answer within axios' `timeout`",
    verdict: 'failure',
    gets: 'rejects `AxiosError` (`ETIMEDOUT`)',
    call: ask(http.hang, { timeout: 20, transitional: { clarifyTimeoutError: true } }),
  },
  { event: 'no answer within `AbortSignal.timeout`', verdict: 'failure', gets: CANCELED, call: ask(http.hang, () => ({ signal: AbortSignal.timeout(20) })) },
  {
    event: 'the same within `AbortSignal.any`',
    verdict: 'failure',
    gets: CANCELED,
    call: ask(http.hang, () => ({ signal: AbortSignal.any([new AbortController().signal, AbortSignal.timeout(20)]) })),
  },

  { event: 'the caller aborts before the call', verdict: 'none', gets: CANCELED, call: ask(http.answer(200), { signal: AbortSignal.abort() }) },
  { event: 'the caller aborts while there is no answer', verdict: 'ignored', gets: CANCELED, call: (api) => abortedDuring(api) },
  { event: 'the caller aborts while the body comes', verdict: 'ignored', gets: CANCELED, call: abortedInBody },
  { event: 'the caller cancels by a `cancelToken`', verdict: 'ignored', gets: CANCELED, call: cancelled },
  ...[
    brokenUpload((body) => body.destroy(new Error('my own disk'))),
    // axios' adapter for http calls that a cancellation.
    async (api: AxiosInstance) => {
      throw Object.assign(new Error('broken'), { cause: await rejectionOf(brokenUpload((body) => body.destroy())(api)) })
    },
    webUpload((controller) => controller.error(new Error('my own disk'))),
  ].map((call) => ({ event: 'what the caller uploads breaks off', verdict: 'ignored', gets: BROKEN, call })),
  { event: 'the host breaks off an upload', verdict: 'failure', gets: BROKEN, call: cutUpload },
  {
    event: "a redirect that the caller does not take: `beforeRedirect` throws, `fetchOptions: { redirect: 'error' }`",
    verdict: 'ignored',
    gets: BROKEN,
    call: ask(http.redirect('/elsewhere'), { fetchOptions: { redirect: 'error' }, beforeRedirect: notThere }),
  },
  ...['foo://upstream.test/', 'http://[/'].map((nowhere) => ({
    event: 'a redirect that leads nowhere',
    verdict: 'failure',
    gets: BROKEN,
    call: ask(http.redirect(nowhere), { beforeRedirect: () => {} }),
  })),
  { event: "a caller's limit: `maxContentLength`, `maxBodyLength`", verdict: 'ignored', gets: BROKEN, call: ask(http.answer(200, {}, 'long'), { maxContentLength: 2 }) },
  {
    event: "a caller's limit: `maxContentLength`, `maxBodyLength`",
    verdict: 'ignored',
    gets: BROKEN,
    call: async (api) => api.post(await http.refused(), 'long', { maxBodyLength: 2 }),
  },
  { event: "a caller's mistake: a method", verdict: 'ignored', gets: BROKEN, call: async (api) => api.request({ url: await http.refused(), method: 'N O' }) },
  { event: 'a URL that is none', verdict: 'none', gets: BROKEN, call: (api) => api.get('/relative') },
  { event: 'a protocol that axios has not', verdict: 'none', gets: BROKEN, call: (api) => api.get('ftp://upstream.test/') },
  { event: 'the call is refused', verdict: 'none', gets: 'rejects `CircuitOpenError` (`ERR_CIRCUIT_OPEN`)', call: refusedCall },
]

function gotten(error: unknown, stands: string): string {
  // Which error tells of a broken connection differs from adapter to adapter.
  if (stands === BROKEN && findCircuitOpenError(error) === undefined) return BROKEN
  const { name, code, response } = error as AxiosError
  return `rejects \`${name}\` (\`${code!}\`)${response === undefined ? '' : `, whose \`response.status\` is ${String(response.status)}`}`
}

describe.each(adapters)('what becomes of a call of axios with its adapter for %s', (name) => {
  it.each(cases)('$event: $verdict', async ({ event, verdict, gets, options = {}, call }) => {
    const guards = new BreakerRegistry({ clock: new ManualClock(), failureThreshold: 3, recoveryTimeout: 1_000 })
    const ledger = new Ledger(guards)
    const api = axios.create({ proxy: false, adapter: breakerAdapter(guards, axios.getAdapter(name), options) })
    let got = ''
    const unhandled = await unhandledDuring(async () => {
      try {
        got = String(await call(api, guards))
      } catch (error) {
        got = gotten(error, gets)
      }
    })
    expect({ verdict: ledger.verdict, gets: got }).toEqual({ verdict, gets })
    expect(unhandled).toEqual([])
    table.add(event, ledger.verdict, got)
  })
})

describe('the table of axios', () => {
  it('is what the README says', () => {
    expect(table.markdown).toContain('| the call is refused |')
    table.expectReadme(new Set(cases.map(({ event }) => event)).size)
  })
})

async function redirected(api: AxiosInstance, guards: BreakerRegistry): Promise<string> {
  const target = await http.serve(http.answer(200))
  const asked = await http.serve(http.redirect(target.url()))
  const { status } = await api.get(asked.origin)
  expect([...guards].map(([key]) => key)).toEqual([asked.origin])
  return `response ${String(status)}`
}

async function abortedDuring(api: AxiosInstance): Promise<unknown> {
  const exchanges = http.byHand()
  const server = await http.serve(exchanges.answer)
  const controller = new AbortController()
  const call = api.get(server.url(), { signal: controller.signal })
  await Promise.race([exchanges.next(), call])
  controller.abort(new Error('the user left'))
  return call
}

async function abortedInBody(api: AxiosInstance): Promise<unknown> {
  const server = await http.serve(http.hangInBody)
  const controller = new AbortController()
  return api.get(server.url(), { signal: controller.signal, onDownloadProgress: () => controller.abort() })
}

async function cancelled(api: AxiosInstance): Promise<unknown> {
  const exchanges = http.byHand()
  const server = await http.serve(exchanges.answer)
  const source = axios.CancelToken.source()
  const call = api.get(server.url(), { cancelToken: source.token })
  await Promise.race([exchanges.next(), call])
  source.cancel('the user left')
  return call
}

function brokenUpload(then: (body: Readable) => void) {
  return async (api: AxiosInstance): Promise<unknown> => api.post((await http.serve(http.hang)).url(), broken(then))
}

/** Only the adapter for fetch takes one. */
function webUpload(then: (controller: ReadableStreamDefaultController) => void) {
  return async (api: AxiosInstance): Promise<unknown> => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('the beginning'))
        setImmediate(then, controller)
      },
    })
    return api.post((await http.serve(http.hang)).url(), body)
  }
}

async function cutUpload(api: AxiosInstance): Promise<unknown> {
  const server = await http.serve((request) => void request.once('data', () => request.socket.resetAndDestroy()))
  return api.post(
    server.url(),
    broken(() => {}),
  )
}

function notThere(): never {
  throw new TypeError('not there')
}

async function refusedCall(api: AxiosInstance, guards: BreakerRegistry): Promise<unknown> {
  const server = await http.serve(http.answer(200))
  guards.for(server.origin).forceOpen()
  return api.get(server.url())
}
