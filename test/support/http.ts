/**
 * Servers on loopback, whole and half-broken, for the tests of the HTTP adapters. Each listens on a port of its own choice, and all that a
 * test started are closed by `afterEach(closeServers)`. Nothing here waits for time to pass: what has to happen in order is waited for.
 */
import { once } from 'node:events'
import http from 'node:http'
import http2 from 'node:http2'
import net from 'node:net'

/** A server that is listening. */
export interface Loopback {
  /** `http://127.0.0.1:port`, without a slash at the end. */
  readonly origin: string
  readonly port: number
  /** Requests that arrived whole enough to be seen; of a raw server, connections. */
  readonly requests: number
  readonly connections: number
  url(path?: string): string
  /** Closes the server and every connection to it. Closing twice is fine. */
  close(): Promise<void>
}

const running = new Set<Loopback>()

/** Closes all servers started since the last time: `afterEach(closeServers)`. */
export async function closeServers(): Promise<void> {
  await Promise.all([...running].map((server) => server.close()))
}

/** What a server does with a request. */
export type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void

/**
 * An HTTP/1.1 server. Given several answers, the first request gets the first, and so on; the last is given to all that follow.
 *
 * @param answers - see `answer`, `hang`, `cutBody` … below
 */
export async function serve(...answers: [Answer, ...Answer[]]): Promise<Loopback> {
  const server = http.createServer({ keepAliveTimeout: 0 }, (request, response) => {
    counted.requests++
    ;(answers[counted.requests - 1] ?? answers.at(-1)!)(request, response)
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  const counted = await listen(server)
  return counted
}

/** The same server, with `upgrade` and `connect` requests answered by hand: the socket is the caller's. */
export async function serveUpgrade(upgrade: (request: http.IncomingMessage, socket: net.Socket, head: Buffer) => void): Promise<Loopback> {
  const server = http.createServer(answer(426))
  const take = (request: http.IncomingMessage, socket: net.Socket, head: Buffer) => {
    counted.requests++
    upgrade(request, socket, head)
  }
  server.on('upgrade', take)
  server.on('connect', take)
  const counted = await listen(server)
  return counted
}

/** An HTTP/2 server, without TLS (h2c, prior knowledge) unless given a key and a certificate. */
export async function serveHttp2(
  stream: (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void,
  tls?: { readonly key: string; readonly cert: string },
): Promise<Loopback> {
  const server = tls === undefined ? http2.createServer() : http2.createSecureServer({ ...tls, allowHTTP1: true })
  server.on('sessionError', () => {})
  server.on('stream', (one: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => {
    counted.requests++
    one.on('error', () => {})
    stream(one, headers)
  })
  const counted = await listen(server, tls === undefined ? 'http:' : 'https:')
  return counted
}

/**
 * A TCP server that speaks HTTP only as far as it is told to. `speak` is called for each request once its header block is in, with all that
 * was read of it.
 */
export async function serveRaw(speak: (socket: net.Socket, head: string) => void): Promise<Loopback> {
  const server = net.createServer((socket) => {
    let read = ''
    socket.on('data', (chunk) => {
      read += chunk.toString('latin1')
      if (!read.includes('\r\n\r\n')) return
      const head = read
      read = ''
      counted.requests++
      speak(socket, head)
    })
  })
  const counted = await listen(server)
  return counted
}

/** An origin that refuses connections: something listened there a moment ago. */
export async function refused(): Promise<string> {
  const server = await serve(answer(200))
  await server.close()
  return server.origin
}

/** An origin whose name does not resolve, anywhere, by RFC 2606. */
export const NO_SUCH_HOST = 'http://no-such-host.invalid'

// Answers.

/** Any status, any headers; the body as one piece, or pieces sent chunked. */
export function answer(status: number, headers: http.OutgoingHttpHeaders = {}, body: string | Buffer | readonly string[] = ''): Answer {
  return (request, response) => {
    request.resume()
    response.writeHead(status, headers)
    if (!Array.isArray(body)) {
      response.end(body)
      return
    }
    for (const piece of body as readonly string[]) response.write(piece)
    response.end()
  }
}

export function redirect(location: string, status = 302): Answer {
  return answer(status, { location })
}

/** Sends back what it got. */
export const echo: Answer = (request, response) => {
  response.writeHead(200, { 'content-type': request.headers['content-type'] ?? 'text/plain', 'x-method': request.method })
  request.pipe(response)
}

/** Accepts the request and never says a word. */
export const hang: Answer = (request) => void request.resume()

/** Headers and a first piece of the body arrive, and then nothing. */
export const hangInBody: Answer = (request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'text/plain' })
  response.write('the beginning')
}

/** Headers promise a thousand bytes; a few arrive, then the connection is closed. */
export const cutBody: Answer = (request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '1000' })
  response.write('the beginning', () => request.socket.end())
}

/** The same with a chunked body, whose end never comes. */
export const cutChunkedBody: Answer = (request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'text/plain' })
  response.write('the beginning', () => request.socket.end())
}

/** The same, and the connection is reset (RST). */
export const resetInBody: Answer = (request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '1000' })
  response.write('the beginning', () => request.socket.resetAndDestroy())
}

/** The connection is reset (RST) instead of an answer. */
export const reset: Answer = (request) => void request.socket.resetAndDestroy()

/** The connection is closed (FIN) instead of an answer. */
export const hangUp: Answer = (request) => void request.socket.end()

/** Interim answers, one after the other, and then `last`. */
export function interim(last: Answer, ...statuses: (100 | 102 | 103)[]): Answer {
  return (request, response) => {
    for (const status of statuses) {
      if (status === 100) response.writeContinue()
      else if (status === 102) response.writeProcessing()
      else response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' })
    }
    last(request, response)
  }
}

/** A chunked body with trailers. */
export function trailers(body: string, fields: Readonly<Record<string, string>>): Answer {
  return (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/plain', trailer: Object.keys(fields).join(', ') })
    response.write(body)
    response.addTrailers(fields)
    response.end()
  }
}

/** For `serveRaw`: the head and body of an answer in small pieces, each a packet of its own, a turn of the event loop apart. */
export function inPieces(...pieces: readonly string[]): (socket: net.Socket) => void {
  return (socket) => {
    socket.setNoDelay(true)
    const send = (index: number) => {
      const piece = pieces[index]
      if (piece === undefined || socket.destroyed) return
      socket.write(piece, () => setImmediate(send, index + 1))
    }
    send(0)
  }
}

/** The same with an answer whose headers come a few bytes at a time. */
export const slowHeaders = inPieces('HTTP/1.1 200 ', 'OK\r\nContent-', 'Type: text/plain\r', '\nContent-Length: 2\r\n', '\r', '\nok')

/** An exchange that the test conducts: it got a request, and says when and what is answered. */
export interface Exchange {
  readonly request: http.IncomingMessage
  readonly response: http.ServerResponse
  /** The client closed the connection, or it was closed otherwise. */
  readonly closed: Promise<void>
}

/** Requests that are answered by the test itself: `await next()` is the first, the second … of them. */
export function byHand(): { answer: Answer; next: () => Promise<Exchange> } {
  const arrived: Exchange[] = []
  const waiting: ((exchange: Exchange) => void)[] = []
  return {
    answer: (request, response) => {
      request.resume()
      const exchange = { request, response, closed: once(response, 'close').then(() => {}) }
      const taker = waiting.shift()
      if (taker === undefined) arrived.push(exchange)
      else taker(exchange)
    },
    next: () => {
      const exchange = arrived.shift()
      return exchange === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(exchange)
    },
  }
}

/** Starts a server on a free port and counts what comes. */
async function listen(server: net.Server, protocol: 'http:' | 'https:' = 'http:'): Promise<Mutable<Loopback>> {
  const sockets = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => {
    counted.connections++
    sockets.add(socket)
    // A half-broken peer is the point here.
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  let closing: Promise<void> | undefined
  const counted: Mutable<Loopback> = {
    origin: `${protocol}//127.0.0.1:${String(port)}`,
    port,
    requests: 0,
    connections: 0,
    url: (path = '/') => new URL(path, counted.origin).href,
    close: () =>
      (closing ??= new Promise((resolve) => {
        running.delete(counted)
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      })),
  }
  running.add(counted)
  return counted
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
