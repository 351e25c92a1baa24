// The recipes for clients of HTTP, each run against the real client and a real server.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CircuitOpenError, findCircuitOpenError } from '../../src/index.js'
import { rejectionOf } from '../support/calls.js'
import * as http from '../support/http.js'
import type * as kyRecipe from './ky.js'
import { api as got } from './got.js'
import { openai } from './openai.js'

afterEach(http.closeServers)
afterEach(() => {
  vi.useRealTimers()
  vi.doUnmock('ky')
  vi.resetModules()
})

/** ky 2 is installed by `npm run consumers`. */
const ky2 = fileURLToPath(new URL('../consumers/node_modules/ky2/distribution/index.js', import.meta.url))

describe.each(['ky', ...(existsSync(ky2) ? [ky2] : [])])('the recipe for %s', (ky) => {
  async function recipe(): Promise<typeof kyRecipe.api> {
    if (ky !== 'ky') vi.doMock('ky', () => import(ky))
    return (await import('./ky.js')).api
  }

  it('refuses after five failures, and does not try that again', async () => {
    const api = await recipe()
    const server = await http.serve(http.answer(500))
    for (let n = 0; n < 5; n++) await rejectionOf(api.get(server.url(), { retry: { limit: 0 } }))
    expect(findCircuitOpenError(await rejectionOf(api.get(server.url())))).toMatchObject({ breaker: server.origin, reason: 'open' })
    expect(server.requests).toBe(5)
  })

  it('judges each attempt', async () => {
    const api = await recipe()
    const server = await http.serve(http.answer(500), http.answer(200, {}, '{"n":1}'))
    expect(await api.get(server.url(), { retry: { delay: () => 1 } }).json()).toEqual({ n: 1 })
    expect(server.requests).toBe(2)
  })

  it('counts calls that were slow before ky aborted them', async () => {
    const api = await recipe()
    vi.useFakeTimers({ toFake: ['performance'] })
    const exchanges = http.byHand()
    const server = await http.serve(exchanges.answer)
    const calls = Array.from({ length: 5 }, () => rejectionOf(api.get(server.url(), { timeout: 500, retry: { limit: 0 } })))
    for (let n = 0; n < 5; n++) await exchanges.next()
    vi.advanceTimersByTime(5_000)
    expect((await Promise.all(calls)).map((error) => (error as Error).name)).toEqual(Array(5).fill('TimeoutError'))
    expect(findCircuitOpenError(await rejectionOf(api.get(server.url())))).toMatchObject({ reason: 'open' })
  })
})

describe('the recipe for got', () => {
  it('refuses after five failures, without a request', async () => {
    const server = await http.serve(http.answer(500))
    for (let n = 0; n < 5; n++) await rejectionOf(got(server.url(), { retry: { limit: 0 } }).json())
    expect(await rejectionOf((async () => got(server.url()).json())())).toBeInstanceOf(CircuitOpenError)
    expect(server.requests).toBe(5)
  })

  it('takes any answer of the host below 500 as one, and hands on what comes', async () => {
    const server = await http.serve(http.answer(200, {}, '{"n":1}'), http.answer(404))
    expect(await got(server.url()).json()).toEqual({ n: 1 })
    for (let n = 0; n < 10; n++) expect(await rejectionOf(got(server.url()))).toMatchObject({ response: { statusCode: 404 } })
    expect(server.requests).toBe(11)
  })

  it('counts what breaks, and not what the caller gives up', async () => {
    const exchanges = http.byHand()
    const server = await http.serve(...([1, 2, 3, 4].map(() => http.reset) as [http.Answer]), exchanges.answer)
    for (let n = 0; n < 4; n++) await rejectionOf(got(server.url(), { retry: { limit: 0 } }))
    for (let n = 0; n < 3; n++) {
      const controller = new AbortController()
      const call = got(server.url(), { signal: controller.signal })
      const { response } = await exchanges.next()
      controller.abort()
      await rejectionOf(call)
      response.destroy()
    }
    const cancelled = got(server.url())
    await exchanges.next()

    cancelled.cancel()
    await rejectionOf(cancelled)
    const last = got(server.url(), { retry: { limit: 0 } })
    const { response } = await exchanges.next()
    response.destroy()
    await rejectionOf(last)
    expect(await rejectionOf((async () => got(server.url()))())).toBeInstanceOf(CircuitOpenError)
  })
})

describe('the recipe for an SDK with a fetch option', () => {
  it('opens for as long as the host asks for', async () => {
    const server = await http.serve(http.answer(503, { 'retry-after': '60' }))
    const client = openai.withOptions({ baseURL: server.origin, maxRetries: 0 })
    expect(await rejectionOf(client.models.list())).toMatchObject({ status: 503 })
    const refusal = findCircuitOpenError(await rejectionOf(client.models.list()))
    expect(refusal?.retryAfterMs).toBeGreaterThan(30_000)
    expect(server.requests).toBe(1)
  })

  it('hands on what comes', async () => {
    const server = await http.serve(http.answer(200, { 'content-type': 'application/json' }, '{"object":"list","data":[{"id":"small"}]}'))
    const { data } = await openai.withOptions({ baseURL: server.origin }).models.list()
    expect(data).toEqual([{ id: 'small' }])
  })
})
