// Whatever flows through a guarded dispatcher, of each undici, flows as it would without: pauses, upgrades, interim answers, trailers, HTTP/2.
import { once } from 'node:events'
import type { ServerHttp2Stream } from 'node:http2'
import { Readable, Writable } from 'node:stream'
import { pipeline as streamed } from 'node:stream/promises'
import { setImmediate as turn } from 'node:timers/promises'
import type { Dispatcher } from 'undici7'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { breakerInterceptor } from '../../src/adapters/undici.js'
import { CircuitBreaker } from '../../src/index.js'
import { rejectionOf } from '../support/calls.js'
import * as http from '../support/http.js'
import { Ledger } from '../support/outcomes.js'
import { tls } from '../support/tls.js'
import { clients, opened } from './undici-clients.js'

afterEach(http.closeServers)

const MEGABYTE = Buffer.alloc(1 << 20, 'x')
const MEGABYTES = 48

/** Waits until a count stands still: whoever moves it waits for somebody else. */
async function stands(count: () => number): Promise<number> {
  let before = -1
  for (let still = 0; still < 200; still++) {
    if (count() !== before) still = 0
    before = count()
    await turn()
  }
  return before
}

describe.each(clients)('through a guarded dispatcher of undici $version', ({ undici }) => {
  let ledger: Ledger
  let agent: (options?: object) => Dispatcher

  beforeEach(() => {
    const breaker = new CircuitBreaker()
    ledger = new Ledger(breaker)
    agent = (options) => opened(new undici.Agent(options)).compose(breakerInterceptor(breaker))
  })

  it('a host that sends faster than the caller reads has to wait', async () => {
    let sent = 0
    const { origin } = await http.serve((_request, response) => {
      const body = Readable.from(Array.from({ length: MEGABYTES }, () => MEGABYTE))
      body.on('data', () => sent++)
      body.pipe(response)
    })
    const { body } = await agent().request({ origin, path: '/', method: 'GET' })
    expect(await stands(() => sent)).toBeLessThan(MEGABYTES)
    expect(ledger.verdicts).toEqual([])
    let read = 0
    for await (const chunk of body) read += (chunk as Buffer).length
    expect(read).toBe(MEGABYTES << 20)
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('a caller that sends faster than the host reads has to wait', async () => {
    const arrived = http.byHand()
    const { origin } = await http.serve((request, response) => {
      arrived.answer(request, response)
      request.pause()
    })
    let sent = 0
    function* pieces() {
      for (; sent < MEGABYTES; sent++) yield MEGABYTE
    }
    const call = agent().request({ origin, path: '/', method: 'POST', body: Readable.from(pieces()) })
    const { request, response } = await arrived.next()
    expect(await stands(() => sent)).toBeLessThan(MEGABYTES)
    let read = 0
    for await (const chunk of request) read += (chunk as Buffer).length
    response.end('thanks')
    expect(await (await call).body.text()).toBe('thanks')
    expect(read).toBe(MEGABYTES << 20)
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('a body goes there and back, piece by piece', async () => {
    const { origin } = await http.serve(http.echo)
    const back = agent().pipeline({ origin, path: '/', method: 'PUT' }, ({ body }) => body)
    const read: Buffer[] = []
    await streamed(
      Readable.from(Array.from({ length: 8 }, () => MEGABYTE)),
      back,
      new Writable({ write: (chunk: Buffer, _encoding, done) => done(void read.push(chunk)) }),
    )
    expect(Buffer.concat(read).length).toBe(8 << 20)
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('a response is streamed into what the caller makes for it', async () => {
    const { origin } = await http.serve(http.answer(200, { 'x-name': 'value' }, ['one ', 'two']))
    const read: string[] = []
    let seen: unknown
    await agent().stream({ origin, path: '/', method: 'GET' }, ({ statusCode, headers }) => {
      seen = { statusCode, name: headers['x-name'] }
      return new Writable({ write: (chunk: Buffer, _encoding, done) => done(void read.push(String(chunk))) })
    })
    expect({ seen, read: read.join('') }).toEqual({ seen: { statusCode: 200, name: 'value' }, read: 'one two' })
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('a caller whose own code throws in the middle has said nothing about the host', async () => {
    const { origin } = await http.serve(http.answer(200, {}, 'body'))
    const mine = new Error('my own mistake')
    const failed = agent().stream({ origin, path: '/', method: 'GET' }, () => {
      throw mine
    })
    expect(await rejectionOf(failed)).toBe(mine)
    expect(ledger.verdicts).toEqual(['ignored'])
  })

  it('interim answers arrive, and the last one counts', async () => {
    const { origin } = await http.serve(http.interim(http.answer(503), 102, 103))
    const infos: number[] = []
    const { statusCode, body } = await agent().request({ origin, path: '/', method: 'GET', onInfo: (info) => void infos.push(info.statusCode) })
    await body.dump()
    expect({ infos, statusCode }).toEqual({ infos: [102, 103], statusCode: 503 })
    expect(ledger.verdicts).toEqual(['failure'])
  })

  it('trailers arrive', async () => {
    const { origin } = await http.serve(http.trailers('body', { 'x-checksum': '42' }))
    const { body, trailers } = await agent().request({ origin, path: '/', method: 'GET' })
    expect(await body.text()).toBe('body')
    expect(trailers).toEqual({ 'x-checksum': '42' })
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('an upgraded socket is handed over, and the call was a success', async () => {
    const { origin } = await http.serveUpgrade((_request, socket, head) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n')
      socket.write(head)
      socket.pipe(socket)
    })
    const { socket } = await agent().upgrade({ origin, path: '/', protocol: 'echo' } as Dispatcher.UpgradeOptions)
    expect(ledger.verdicts).toEqual(['success'])
    socket.write('hello')
    expect(String((await once(socket, 'data'))[0])).toBe('hello')
    socket.destroy()
  })

  it.each([
    [200, 'success'],
    [502, 'failure'],
  ])('a tunnel answered with %i is a %s', async (status, verdict) => {
    const { origin } = await http.serveUpgrade((_request, socket) => void socket.write(`HTTP/1.1 ${String(status)} Whatever\r\n\r\n`))
    const { statusCode, socket } = await agent().connect({ origin, path: 'upstream.test:443' })
    expect(statusCode).toBe(status)
    expect(ledger.verdicts).toEqual([verdict])
    socket.destroy()
  })

  it('a proxy that cannot reach the host is a failure, though undici 6 and 7 call it aborted', async () => {
    const proxy = await http.serveUpgrade((_request, socket) => void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    const breaker = new CircuitBreaker()
    ledger = new Ledger(breaker)
    const dispatcher = opened(new undici.ProxyAgent(proxy.origin)).compose(breakerInterceptor(breaker))
    await rejectionOf(dispatcher.request({ origin: 'https://upstream.test', path: '/', method: 'GET' }))
    expect(ledger.verdicts).toEqual(['failure'])
  })

  describe('over HTTP/2', () => {
    const overHttp2 = async (stream: (stream: ServerHttp2Stream) => void) => {
      const { origin } = await http.serveHttp2(stream, tls)
      return agent({ allowH2: true, connect: { rejectUnauthorized: false } }).request({ origin, path: '/', method: 'GET' })
    }

    it('an answer is a success when it has ended', async () => {
      const { statusCode, body } = await overHttp2((stream) => {
        stream.respond({ ':status': 200 })
        stream.end(MEGABYTE)
      })
      expect(ledger.verdicts).toEqual([])
      expect({ statusCode, bytes: (await body.arrayBuffer()).byteLength }).toEqual({ statusCode: 200, bytes: 1 << 20 })
      expect(ledger.verdicts).toEqual(['success'])
    })

    it('a 503 is a failure', async () => {
      const { body } = await overHttp2((stream) => {
        stream.respond({ ':status': 503 })
        stream.end('no')
      })
      await body.dump()
      expect(ledger.verdicts).toEqual(['failure'])
    })

    it('a stream that is reset is a failure', async () => {
      await rejectionOf(overHttp2((stream) => stream.close(2)))
      expect(ledger.verdicts).toEqual(['failure'])
    })
  })
})
