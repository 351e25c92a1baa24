// `body: 'settle'`: the verdict falls when the body ends, and the response is what it was.
import { Readable } from 'node:stream'
import type { UnderlyingSource } from 'node:stream/web'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { breakerFetch } from '../../src/adapters/fetch.js'
import { CircuitBreaker, CircuitOpenError, ManualClock } from '../../src/index.js'
import { rejectionOf, unhandledDuring } from '../support/calls.js'
import * as http from '../support/http.js'
import { Ledger } from '../support/outcomes.js'

afterEach(http.closeServers)

let clock: ManualClock
let breaker: CircuitBreaker
let ledger: Ledger
let fetch: typeof globalThis.fetch

beforeEach(() => {
  clock = new ManualClock()
  breaker = new CircuitBreaker({ clock, failureThreshold: 2, recoveryTimeout: 1_000, probeTimeout: 5_000 })
  ledger = new Ledger(breaker)
  fetch = breakerFetch(breaker, { body: 'settle' })
})

/** A breaker that is open, and whose wait is over. */
function recovering(): void {
  for (let n = 0; n < 2; n++) breaker.acquire().failure()
  clock.advance(1_000)
  ledger.settled.length = 0
}

/** A response made of pieces that the test hands out. */
function piecewise(type?: 'bytes') {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  const state = { cancelled: undefined as unknown, pulled: 0 }
  const source: UnderlyingSource<Uint8Array> = {
    // The declarations of a byte stream differ, its use does not.
    type: type as undefined,
    start: (own) => void (controller = own),
    pull: () => {
      state.pulled++
    },
    cancel: (reason) => void (state.cancelled = reason),
  }
  const response = new Response(new ReadableStream(source, { highWaterMark: 0 }))
  const guarded = breakerFetch(breaker, { body: 'settle', fetch: () => Promise.resolve(response) })
  const text = new TextEncoder()
  return {
    get: () => guarded('http://a.example'),
    send: (piece: string) => controller.enqueue(text.encode(piece)),
    end: () => controller.close(),
    err: (error: unknown) => controller.error(error),
    state,
  }
}

const decode = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('every way to read a body to its end is a success, once', () => {
  it.each<[string, (response: Response) => Promise<unknown>, unknown]>([
    ['text()', (response) => response.text(), '{"a":1}'],
    ['json()', (response) => response.json(), { a: 1 }],
    ['arrayBuffer()', async (response) => (await response.arrayBuffer()).byteLength, 7],
    ['blob()', async (response) => (await response.blob()).type, 'application/json'],
    ['for await', (response) => gather(response.body!), '{"a":1}'],
    ['getReader()', (response) => drain(response.body!.getReader()), '{"a":1}'],
    [
      'pipeTo()',
      async (response) => {
        let text = ''
        await response.body!.pipeTo(new WritableStream({ write: (chunk: Uint8Array) => void (text += decode(chunk)) }))
        return text
      },
      '{"a":1}',
    ],
    ['pipeThrough()', (response) => drain(response.body!.pipeThrough(new TransformStream<Uint8Array, Uint8Array>()).getReader()), '{"a":1}'],
    ['Readable.fromWeb()', async (response) => Buffer.concat((await Readable.fromWeb(response.body as never).toArray()) as Buffer[]).toString(), '{"a":1}'],
    ['a Response around the body', (response) => new Response(response.body, response).text(), '{"a":1}'],
  ])('%s', async (_how, read, expected) => {
    const server = await http.serve(http.answer(200, { 'content-type': 'application/json' }, ['{"a"', ':1}']))
    const response = await fetch(server.url())
    expect(ledger.verdicts).toEqual([])
    expect(await read(response)).toEqual(expected)
    await settle()
    expect(ledger.verdicts).toEqual(['success'])
    expect(response.bodyUsed).toBe(true)
  })

  it('formData()', async () => {
    const server = await http.serve(http.answer(200, { 'content-type': 'application/x-www-form-urlencoded' }, 'a=1'))
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- in Node, for a server that takes uploads
    expect((await (await fetch(server.url())).formData()).get('a')).toBe('1')
    expect(ledger.verdicts).toEqual(['success'])
  })
})

async function gather(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const piece of body) text += decode(piece)
  return text
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text
    text += decode(value)
  }
}

describe('the response is what it was', () => {
  it('in url, redirected, type, status, ok, statusText, headers and cookies', async () => {
    const target = await http.serve(http.answer(201, { 'x-mark': 'yes', 'set-cookie': ['a=1', 'b=2'] }, 'body'))
    const asked = await http.serve(http.redirect(target.url('/there')))
    const bare = await globalThis.fetch(asked.url())
    const response = await fetch(asked.url())
    const facts = (one: Response) => ({
      url: one.url,
      redirected: one.redirected,
      type: one.type,
      status: one.status,
      ok: one.ok,
      statusText: one.statusText,
      bodyUsed: one.bodyUsed,
      cookies: one.headers.getSetCookie(),
      mark: one.headers.get('x-mark'),
      names: [...one.headers.keys()],
      keys: Object.keys(one),
      tag: Object.prototype.toString.call(one),
    })
    expect(facts(response)).toEqual(facts(bare))
    expect(facts(response)).toMatchObject({ url: target.url('/there'), redirected: true, type: 'cors', status: 201, cookies: ['a=1', 'b=2'] })
    expect(response).toBeInstanceOf(Response)
    expect(response.body).toBe(response.body)
    expect(facts(response.clone().clone())).toEqual(facts(bare.clone()))
  })

  it('in what a platform takes: it is a Response and no imitation', async () => {
    const server = await http.serve(http.answer(200, {}, 'body'))
    const response = await fetch(server.url())
    // Called on anything but a Response of the platform, this throws.
    expect(await Response.prototype.text.call(response)).toBe('body')
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('when it is compressed', async () => {
    const server = await http.serve(http.answer(200, { 'content-encoding': 'gzip' }, gzipSync('unpacked')))
    const response = await fetch(server.url())
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(await response.text()).toBe('unpacked')
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('when it is large: two megabytes, a piece at a time, in order', async () => {
    const pieces = Array.from({ length: 64 }, (_, n) => String.fromCharCode(97 + (n % 26)).repeat(32_768))
    const server = await http.serve(http.answer(200, {}, pieces))
    expect(await (await fetch(server.url())).text()).toBe(pieces.join(''))
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('to a reader that brings its own buffer, if it was before', async () => {
    const server = await http.serve(http.answer(200, {}, ['one', 'two']))
    const reader = (await fetch(server.url())).body!.getReader({ mode: 'byob' })
    let text = ''
    for (let buffer = new Uint8Array(2); ;) {
      const { done, value } = await reader.read(buffer)
      text += decode(value)
      if (done) break
      buffer = new Uint8Array(value.buffer, 0, 2)
    }
    expect(text).toBe('onetwo')
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('to a reader that takes what is left of a piece after the body has ended', async () => {
    const { get, send, end } = piecewise('bytes')
    const reader = (await get()).body!.getReader({ mode: 'byob' })
    const reading = reader.read(new Uint8Array(2))
    await settle()
    send('abcde')
    end()
    let text = decode((await reading).value)
    await settle()
    expect(ledger.verdicts).toEqual(['success'])
    for (let done: boolean | undefined; done !== true; ) {
      const next = await reader.read(new Uint8Array(2))
      text += decode(next.value)
      done = next.done
    }
    expect(text).toBe('abcde')
  })

  it('to a reader that brings its own buffer, not if it was not before', async () => {
    const { body } = await piecewise().get()
    expect(() => body!.getReader({ mode: 'byob' })).toThrow(TypeError)
  })

  it('to somebody who lays something of his own over it', async () => {
    const server = await http.serve(http.answer(200, {}, 'body'))
    const response = await fetch(server.url())
    const clone = () => response
    Object.defineProperty(response, 'url', { get: () => 'http://elsewhere.example/' })
    Object.assign(response, { clone })
    expect([response.url, response.clone]).toEqual(['http://elsewhere.example/', clone])
  })

  it('read twice, it says no the second time, as before', async () => {
    const server = await http.serve(http.answer(200, {}, 'once'))
    const response = await fetch(server.url())
    await response.text()
    expect(await rejectionOf(response.text())).toBeInstanceOf(TypeError)
    expect(() => response.clone()).toThrow(TypeError)
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('unread, the body is not read ahead', async () => {
    const { get, state } = piecewise()
    await get()
    await settle()
    expect(state.pulled).toBe(0)
  })
})

describe('the verdict falls', () => {
  it.each(['bytes', undefined] as const)('when the last piece is taken and the body has ended, though nobody asks for more (%s)', async (type) => {
    const { get, send, end } = piecewise(type)
    const reader = (await get()).body!.getReader()
    const first = reader.read()
    await settle()
    send('all')
    expect(decode((await first).value)).toBe('all')
    await settle()
    expect(ledger.verdicts).toEqual([])
    end()
    await settle()
    expect(ledger.verdicts).toEqual(['success'])
    await expect(reader.closed).resolves.toBeUndefined()
  })

  it.each(['bytes', undefined] as const)('with pieces that came together with the end, none is lost (%s)', async (type) => {
    const { get, send, end } = piecewise(type)
    const response = await get()
    send('a')
    send('b')
    end()
    expect(await response.text()).toBe('ab')
    expect(ledger.verdicts).toEqual(['success'])
  })

  it.each(['bytes', undefined] as const)('as a failure when it errs, which the reader gets as it is (%s)', async (type) => {
    const { get, send, err } = piecewise(type)
    const reader = (await get()).body!.getReader()
    const error = new Error('cut')
    const reading = reader.read()
    await settle()
    send('some')
    await reading
    err(error)
    expect(await rejectionOf(reader.read())).toBe(error)
    expect(await rejectionOf(reader.closed)).toBe(error)
    expect(ledger.verdicts).toEqual(['failure'])
    expect(ledger.settled[0]?.error).toBe(error)
  })

  it.each(['bytes', undefined] as const)('as ignored when it is cancelled, read or not; the reason reaches the source (%s)', async (type) => {
    const unread = piecewise(type)
    await (await unread.get()).body!.cancel('not wanted')
    const half = piecewise(type)
    const reader = (await half.get()).body!.getReader()
    const reading = reader.read()
    await settle()
    half.send('half')
    await reading
    await reader.cancel('enough')
    await settle()
    expect([unread.state.cancelled, half.state.cancelled]).toEqual(['not wanted', 'enough'])
    expect(ledger.verdicts).toEqual(['ignored', 'ignored'])
  })

  it('as ignored when it is cancelled while a read is under way', async () => {
    const { get } = piecewise()
    const reader = (await get()).body!.getReader()
    const reading = reader.read()
    await settle()
    await reader.cancel()
    expect(await reading).toEqual({ done: true, value: undefined })
    await settle()
    expect(ledger.verdicts).toEqual(['ignored'])
  })

  it('as a success when one branch of a clone is read and the other cancelled, as ignored when both are', async () => {
    const server = await http.serve(http.answer(200, {}, 'shared'))
    const response = await fetch(server.url())
    const clone = response.clone()
    const cancelling = clone.body!.cancel()
    expect(await response.text()).toBe('shared')
    await cancelling
    expect(ledger.verdicts).toEqual(['success'])

    const second = await fetch(server.url())
    await Promise.all([second.clone().body!.cancel(), second.body!.cancel()])
    await settle()
    expect(ledger.verdicts).toEqual(['success', 'ignored'])
  })

  it('once when both branches of a clone are read', async () => {
    const server = await http.serve(http.answer(200, {}, ['a', 'b']))
    const response = await fetch(server.url())
    expect(await Promise.all([response.clone().text(), response.text()])).toEqual(['ab', 'ab'])
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('at the headers where there is no body: HEAD, 204, 304', async () => {
    const server = await http.serve(http.answer(200, { 'content-length': '5' }), http.answer(204), http.answer(304))
    for (const method of ['HEAD', 'GET', 'GET']) {
      const response = await fetch(server.url(), { method })
      expect(response.body).toBeNull()
    }
    expect(ledger.verdicts).toEqual(['success', 'success', 'success'])
  })

  it('at the headers of a HEAD, even if an imitation of fetch gives it a body', async () => {
    const response = new Response('a body')
    const guarded = breakerFetch(breaker, { body: 'settle', fetch: () => Promise.resolve(response) })
    expect(await guarded('http://a.example', { method: 'head' })).toBe(response)
    expect(await guarded(new Request('http://a.example', { method: 'HEAD' }))).toBe(response)
    expect(ledger.verdicts).toEqual(['success', 'success'])
  })

  it('at the headers where they have decided: a 500 that nobody reads is a failure, a 429 is ignored', async () => {
    const server = await http.serve(http.answer(500, {}, 'sorry'), http.answer(429, {}, 'later'))
    await fetch(server.url())
    await fetch(server.url())
    expect(ledger.verdicts).toEqual(['failure', 'ignored'])
  })

  it('at the headers of what cannot be watched', async () => {
    const used = new Response('used')
    await used.text()
    const locked = new Response('locked')
    locked.body!.getReader()
    const begun = new Response('begun')
    const reader = begun.body!.getReader()
    await reader.read()
    reader.releaseLock()
    class Forgetful extends Response {
      constructor(...[body]: [ReadableStream | string, ResponseInit?]) {
        super(body)
      }
    }
    const odd = [
      used,
      locked,
      begun,
      Object.defineProperty(new Forgetful('made anew, it says 200'), 'status', { value: 201 }),
      { status: 200, headers: new Headers(), body: Readable.from(['node']) },
      { status: 200, headers: new Headers(), json: () => ({}) },
      { status: 200, headers: new Headers(), body: new ReadableStream(), clone: () => {} },
      Object.defineProperty(new Response('x'), 'status', { value: 150 }),
      undefined,
    ]
    for (const response of odd) {
      const guarded = breakerFetch(breaker, { body: 'settle', fetch: () => Promise.resolve(response as Response) })
      expect(await guarded('http://a.example')).toBe(response)
    }
    expect(ledger.verdicts).toEqual(odd.map(() => 'success'))
  })
})

describe('a host that truncates every body (B18)', () => {
  it('opens the circuit, although its headers say 200 each time', async () => {
    const server = await http.serve(http.cutChunkedBody)
    expect(
      await unhandledDuring(async () => {
        for (let n = 0; n < 2; n++) await rejectionOf((await fetch(server.url())).text())
      }),
    ).toEqual([])
    expect(breaker.state).toBe('open')
    expect(await rejectionOf(fetch(server.url()))).toBeInstanceOf(CircuitOpenError)
  })
})

describe('a probe whose body', () => {
  it('is read to the end closes the circuit, not before', async () => {
    recovering()
    const { get, send, end } = piecewise()
    const response = await get()
    expect(breaker.state).toBe('half-open')
    send('well')
    end()
    expect(await response.text()).toBe('well')
    expect(breaker.state).toBe('closed')
  })

  it('is never read holds its place for probeTimeout and no longer (law 12)', async () => {
    recovering()
    await piecewise().get()
    expect(await rejectionOf(piecewise().get())).toMatchObject({ reason: 'probing', retryAfterMs: 5_000 })
    clock.advance(5_000)
    const next = piecewise()
    const response = await next.get()
    next.end()
    expect(await response.text()).toBe('')
    expect(breaker.state).toBe('closed')
  })

  it('is cancelled gives its place back at once', async () => {
    recovering()
    await (await piecewise().get()).body!.cancel()
    expect(breaker.state).toBe('half-open')
    expect(breaker.canExecute).toBe(true)
  })

  it('is cut reopens', async () => {
    recovering()
    const { get, err } = piecewise()
    const response = await get()
    err(new Error('cut'))
    await rejectionOf(response.text())
    expect(breaker.state).toBe('open')
  })
})

it('a body that takes too long is slow, and counts while it hangs', async () => {
  breaker = new CircuitBreaker({ clock, failureThreshold: 1, slowCallDuration: 100 })
  const hanging = await piecewise().get()
  expect(breaker.state).toBe('closed')
  clock.advance(100)
  await piecewise()
    .get()
    .catch(() => {})
  expect(breaker.state).toBe('open')
  await hanging.body!.cancel()
})

describe('when the memory of a response is collected', () => {
  it('unread, its connection is given up, as before', async () => {
    const { answer, next } = http.byHand()
    const server = await http.serve(answer)
    const drop = async () => {
      const answered = fetch(server.url())
      const exchange = await next()
      exchange.response.write('unread')
      await answered
      return exchange.closed
    }
    const state = { closed: false }
    void drop().then(() => (state.closed = true))
    for (let n = 0; n < 500 && !state.closed; n++) await collect()
    expect(state.closed).toBe(true)
  })

  it('with its body still being read, the reader loses nothing', async () => {
    const { answer, next } = http.byHand()
    const server = await http.serve(answer)
    const begin = async () => {
      const answered = fetch(server.url())
      const { response } = await next()
      response.write('one')
      return { response, reader: (await answered).body!.getReader() }
    }
    const { response, reader } = await begin()
    expect(decode((await reader.read()).value)).toBe('one')
    for (let n = 0; n < 10; n++) await collect()
    response.end('two')
    expect(decode((await reader.read()).value)).toBe('two')
  })
})

async function collect(): Promise<void> {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  await settle()
}
