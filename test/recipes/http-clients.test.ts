// The recipes for clients of HTTP, each run against the real client and a real server.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CircuitOpenError, findCircuitOpenError } from '../../src/index.js'
import { rejectionOf, unhandledDuring } from '../support/calls.js'
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
  /** Asks so often that a breaker which counts it opens. */
  async function opened(url: string): Promise<void> {
    for (let n = 0; n < 5; n++) await rejectionOf(got(url, { retry: { limit: 0 } }))
  }

  it('refuses after five failures, without a request', async () => {
    const server = await http.serve(http.answer(500))
    for (let n = 0; n < 5; n++) await rejectionOf(got(server.url(), { retry: { limit: 0 } }).json())
    expect(await rejectionOf(got(server.url()).json())).toBeInstanceOf(CircuitOpenError)
    expect(server.requests).toBe(5)
  })

  it('rejects a refused call, however it is asked for, and throws nothing', async () => {
    const server = await http.serve(http.answer(500))
    await opened(server.url())
    for (const refused of [got(server.url()), got(server.url()).json(), got.post(server.url(), { json: {} }).text(), got(server.url()).buffer()]) {
      expect(await refused.catch((error: unknown) => findCircuitOpenError(error))).toMatchObject({ breaker: server.origin, reason: 'open' })
    }
    expect(server.requests).toBe(5)
  })

  it('hands on what comes, in each of the ways in which got gives it', async () => {
    const server = await http.serve(http.answer(200, {}, '{"n":1}'))
    expect(await got(server.url()).json()).toEqual({ n: 1 })
    expect(await got(server.url()).text()).toBe('{"n":1}')
    expect((await got(server.url()).buffer()).toString()).toBe('{"n":1}')
    expect((await got(server.url())).body).toBe('{"n":1}')
    expect(await got(server.url(), { responseType: 'json', resolveBodyOnly: true })).toEqual({ n: 1 })
  })

  it('takes any answer of the host below 500 as one, also one that is no JSON', async () => {
    const missing = await http.serve(http.answer(404))
    for (let n = 0; n < 6; n++) expect(await rejectionOf(got(missing.url()))).toMatchObject({ response: { statusCode: 404 } })
    const page = await http.serve(http.answer(200, {}, '<html>'))
    for (let n = 0; n < 6; n++) expect(await rejectionOf(got(page.url(), { responseType: 'json' }))).toMatchObject({ name: 'ParseError' })
    expect(page.requests).toBe(6)
  })

  it('counts a 500 that its caller takes as an answer', async () => {
    const server = await http.serve(http.answer(500))
    for (let n = 0; n < 5; n++) expect(await got(server.url(), { throwHttpErrors: false, retry: { limit: 0 } })).toMatchObject({ statusCode: 500 })
    expect(await rejectionOf(got(server.url()))).toBeInstanceOf(CircuitOpenError)
  })

  it('counts an answer that breaks off', async () => {
    const server = await http.serve(http.cutBody)
    await opened(server.url())
    expect(await rejectionOf(got(server.url()))).toBeInstanceOf(CircuitOpenError)
  })

  it('charges no host with a mistake of the caller', async () => {
    const server = await http.serve(http.answer(200))
    for (let n = 0; n < 6; n++) expect(await rejectionOf(got(server.url(), { retry: 'never' as never }))).toMatchObject({ message: expect.stringContaining('retry') as unknown })
    const hooks = {
      beforeRequest: [
        () => {
          throw new Error('no token')
        },
      ],
    }
    for (let n = 0; n < 6; n++) expect(await rejectionOf(got(server.url(), { hooks }))).toMatchObject({ message: 'no token' })
    const broken = got.extend({
      handlers: [
        () => {
          throw new Error('a broken handler')
        },
      ],
    })
    for (let n = 0; n < 6; n++) expect(await rejectionOf(broken(server.url()))).toMatchObject({ message: 'a broken handler' })
    expect(await rejectionOf(got('::'))).toMatchObject({ code: 'ERR_INVALID_URL' })
    expect(await got(server.url())).toMatchObject({ statusCode: 200 })
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
    expect(await rejectionOf(cancelled)).toMatchObject({ name: 'CancelError' })
    const last = got(server.url(), { retry: { limit: 0 } })
    const { response } = await exchanges.next()
    response.destroy()
    await rejectionOf(last)
    expect(await rejectionOf(got(server.url()))).toBeInstanceOf(CircuitOpenError)
  })

  it('adds no unhandled rejection to a call that fails, nor to one that is refused (law 19)', async () => {
    const server = await http.serve(http.answer(500))
    expect(await unhandledDuring(() => opened(server.url()))).toEqual([])
    expect(await unhandledDuring(() => rejectionOf(got(server.url()).json()))).toEqual([])
  })

  it('leaves streams alone', async () => {
    const server = await http.serve(http.answer(200, {}, 'text'))
    let text = ''
    for await (const chunk of got.stream(server.url())) text += String(chunk)
    expect(text).toBe('text')
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
