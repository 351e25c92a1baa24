// What the order of composed interceptors means: of them the last given is the outermost, the first given the nearest to the wire.
import type { Dispatcher } from 'undici7'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { breakerInterceptor } from '../../src/adapters/undici.js'
import { BreakerRegistry, CircuitOpenError, ManualClock } from '../../src/index.js'
import { rejectionOf } from '../support/calls.js'
import * as http from '../support/http.js'
import { Ledger } from '../support/outcomes.js'
import { clients, opened, type Undici } from './undici-clients.js'

afterEach(http.closeServers)

let guards: BreakerRegistry
let ledger: Ledger
beforeEach(() => {
  guards = new BreakerRegistry({ clock: new ManualClock(), failureThreshold: 3 })
  ledger = new Ledger(guards)
})

/** A caller that asks and reads what comes: the status. */
async function get(dispatcher: Dispatcher, origin: string, path = '/'): Promise<number> {
  const { statusCode, body } = await dispatcher.request({ origin, path, method: 'GET' })
  await body.dump()
  return statusCode
}

const given = {
  first: (undici: Undici, other: Dispatcher.DispatcherComposeInterceptor) => opened(new undici.Agent()).compose(breakerInterceptor(guards), other),
  last: (undici: Undici, other: Dispatcher.DispatcherComposeInterceptor) => opened(new undici.Agent()).compose(other, breakerInterceptor(guards)),
}

/** The verdicts, each with whom it was charged to. */
const charged = () => ledger.settled.map(({ name, outcome }) => [name, outcome])

describe.each(clients)('with the retry of undici $version', ({ undici }) => {
  const retry = () => undici.interceptors.retry({ minTimeout: 1, maxRetries: 5 })

  it('given first, it judges each attempt', async () => {
    const { origin } = await http.serve(http.answer(503), http.reset, http.answer(200))
    expect(await get(given.first(undici, retry()), origin)).toBe(200)
    expect(ledger.verdicts).toEqual(['failure', 'failure', 'success'])
  })

  it('given first, it ends the attempts when it trips: a refusal is not retried', async () => {
    const server = await http.serve(http.answer(503))
    expect(await rejectionOf(get(given.first(undici, retry()), server.origin))).toBeInstanceOf(CircuitOpenError)
    expect(server.requests).toBe(3)
    expect(ledger.verdicts).toEqual(['failure', 'failure', 'failure'])
  })

  it('given last, it judges what came of all attempts', async () => {
    const { origin } = await http.serve(http.answer(503), http.reset, http.answer(200))
    expect(await get(given.last(undici, retry()), origin)).toBe(200)
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('given last, it does not end the attempts', async () => {
    const server = await http.serve(http.answer(503))
    expect(await rejectionOf(get(given.last(undici, retry()), server.origin))).toMatchObject({ code: 'UND_ERR_REQ_RETRY', statusCode: 503 })
    expect(server.requests).toBe(6)
    expect(ledger.verdicts).toEqual(['failure'])
  })

  it.each(['first', 'last'] as const)('given %s, a call that is refused at once is not retried', async (order) => {
    const server = await http.serve(http.answer(200))
    guards.for(server.origin).forceOpen()
    expect(await rejectionOf(get(given[order](undici, retry()), server.origin))).toBeInstanceOf(CircuitOpenError)
    expect(server.requests).toBe(0)
  })

  it('resumes a body that broke off, and each part is judged', async () => {
    const { origin } = await http.serve(
      (request, response) => {
        response.writeHead(200, { 'content-length': '6', etag: '"one"', 'accept-ranges': 'bytes' })
        response.write('abc', () => request.socket.destroy())
      },
      (request, response) => {
        expect(request.headers.range).toBe('bytes=3-5')
        response.writeHead(206, { 'content-length': '3', 'content-range': 'bytes 3-5/6', etag: '"one"' })
        response.end('def')
      },
    )
    const { body } = await given.first(undici, retry()).request({ origin, path: '/', method: 'GET' })
    expect(await body.text()).toBe('abcdef')
    expect(ledger.verdicts).toEqual(['failure', 'success'])
  })
})

describe.each(clients)('with the redirect of undici $version', ({ undici }) => {
  const redirect = () => undici.interceptors.redirect({ maxRedirections: 3 })

  it('given first, each hop is charged to its own host', async () => {
    const target = await http.serve(http.answer(503))
    const asked = await http.serve(http.redirect(target.url()))
    expect(await get(given.first(undici, redirect()), asked.origin)).toBe(503)
    expect(charged()).toEqual([
      [asked.origin, 'success'],
      [target.origin, 'failure'],
    ])
  })

  it('given first, a hop to a host that is down is refused', async () => {
    const target = await http.serve(http.answer(200))
    const asked = await http.serve(http.redirect(target.url()))
    guards.for(target.origin).forceOpen()
    expect(await rejectionOf(get(given.first(undici, redirect()), asked.origin))).toMatchObject({ breaker: target.origin })
    expect(target.requests).toBe(0)
  })

  it('given last, all hops are charged to the host that was asked', async () => {
    const target = await http.serve(http.answer(503))
    const asked = await http.serve(http.redirect(target.url()))
    expect(await get(given.last(undici, redirect()), asked.origin)).toBe(503)
    expect(charged()).toEqual([[asked.origin, 'failure']])
  })
})

describe.each(clients.filter(({ version }) => version !== 6))('with the cache of undici $version', ({ undici }) => {
  const cached = http.answer(200, { 'cache-control': 'max-age=60' }, 'cached')

  it('given first, it is not asked about what the cache has, and an outage does not hide that', async () => {
    const server = await http.serve(cached)
    const dispatcher = given.first(undici, undici.interceptors.cache())
    expect(await get(dispatcher, server.origin)).toBe(200)
    guards.for(server.origin).forceOpen()
    expect(await get(dispatcher, server.origin)).toBe(200)
    expect(await rejectionOf(get(dispatcher, server.origin, '/other'))).toBeInstanceOf(CircuitOpenError)
    expect(server.requests).toBe(1)
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('given last, a hit is a success of a host that was not asked, and an outage refuses even what the cache has', async () => {
    const server = await http.serve(cached)
    const dispatcher = given.last(undici, undici.interceptors.cache())
    expect(await get(dispatcher, server.origin)).toBe(200)
    expect(await get(dispatcher, server.origin)).toBe(200)
    expect(server.requests).toBe(1)
    expect(ledger.verdicts).toEqual(['success', 'success'])
    guards.for(server.origin).forceOpen()
    expect(await rejectionOf(get(dispatcher, server.origin))).toBeInstanceOf(CircuitOpenError)
  })

  it('given last, an answer that the cache makes up itself leaves no place taken', async () => {
    const { origin } = await http.serve(cached)
    const { statusCode, body } = await given
      .last(undici, undici.interceptors.cache())
      .request({ origin, path: '/', method: 'GET', headers: { 'cache-control': 'only-if-cached' } })
    await body.dump()
    expect(statusCode).toBe(504)
    expect(ledger.settled).toHaveLength(1)
  })
})

describe.each(clients)('with the dns of undici $version', ({ undici }) => {
  // Every name is this machine.
  const lookup = (_origin: unknown, _options: unknown, found: (error: null, addresses: object[]) => void) =>
    found(null, [{ address: '127.0.0.1', family: 4, ttl: 60_000 }])
  const dns = () => undici.interceptors.dns({ lookup: lookup as never, dualStack: false, affinity: 4 })

  it('given first, it sees the address', async () => {
    const { origin, port } = await http.serve(http.answer(200))
    expect(await get(given.first(undici, dns()), `http://upstream.test:${String(port)}`)).toBe(200)
    expect(charged()).toEqual([[origin, 'success']])
  })

  it('given last, it sees the name', async () => {
    const { port } = await http.serve(http.answer(200))
    const named = `http://upstream.test:${String(port)}`
    expect(await get(given.last(undici, dns()), named)).toBe(200)
    expect(charged()).toEqual([[named, 'success']])
  })
})

describe.each(clients.filter(({ version }) => version !== 6))('with the responseError of undici $version', ({ undici }) => {
  it.each(['first', 'last'] as const)('given %s, it knows an answer from a failure, though both are errors', async (order) => {
    const { origin } = await http.serve(http.answer(404), http.answer(429), http.answer(503))
    const dispatcher = given[order](undici, undici.interceptors.responseError())
    for (const statusCode of [404, 429, 503]) expect(await rejectionOf(get(dispatcher, origin))).toMatchObject({ code: 'UND_ERR_RESPONSE', statusCode })
    expect(ledger.verdicts).toEqual(['success', 'ignored', 'failure'])
  })
})

describe.each(clients)('with all of undici $version, in the order that the README gives', ({ version, undici }) => {
  it('retries, follows, remembers, and charges each host with its own', async () => {
    const target = await http.serve(http.answer(503), http.answer(200, { 'cache-control': 'max-age=60' }, 'cached'))
    const asked = await http.serve(http.redirect(target.url(), 301))
    const dispatcher = opened(new undici.Agent()).compose(
      undici.interceptors.dns(),
      breakerInterceptor(guards),
      undici.interceptors.retry({ minTimeout: 1 }),
      undici.interceptors.redirect({ maxRedirections: 3 }),
      ...(version === 6 ? [] : [undici.interceptors.cache()]),
    )
    expect(await get(dispatcher, asked.origin)).toBe(200)
    expect(charged()).toEqual([
      [asked.origin, 'success'],
      [target.origin, 'failure'],
      [target.origin, 'success'],
    ])
    expect(await get(dispatcher, target.origin)).toBe(200)
    guards.for(target.origin).forceOpen()
    if (version === 6) expect(await rejectionOf(get(dispatcher, target.origin))).toBeInstanceOf(CircuitOpenError)
    else expect(await get(dispatcher, target.origin)).toBe(200)
  })
})
