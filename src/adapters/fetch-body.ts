/* eslint n/no-unsupported-features/node-builtins: ['error', { version: '>=20.19.0', ignores: ['ReadableStream'] }] -- experimental by name only in Node 20 */
import type { Permit } from '../index.js'

/** The part of a `Response` that is always looked at. */
export interface ResponseLike {
  readonly status: number
  readonly headers: { get(name: string): string | null }
}

/**
 * The same response with a body that tells the permit how it ended. A platform's own `Response` again, neither a proxy nor a subclass,
 * because a worker's `respondWith` and a cache take nothing else. What its constructor does not take over is laid over it.
 */
export function settleAtEnd(response: WebResponse | undefined, permit: Permit): WebResponse | undefined {
  const body = response?.body
  if (response?.bodyUsed === false && typeof body?.getReader === 'function' && !body.locked) {
    try {
      const copy = new (response.constructor as WebResponseClass)(watch(response, body, permit), response)
      if (copy.status === response.status) return dress(copy, response)
    } catch {
      // A status that may not be made up, or a class of somebody's own.
    }
  }
  permit.success()
  return response
}

function dress(copy: WebResponse, { url, redirected, type }: Dress): WebResponse {
  const { clone } = copy
  const dressed = { url, redirected, type, clone: () => dress(clone.call(copy), { url, redirected, type }) }
  for (const [name, value] of Object.entries(dressed)) Object.defineProperty(copy, name, { value, configurable: true, writable: true })
  return copy
}

/**
 * A stream of the same kind that hands on `body` piece by piece, as it is asked for them. `body` is locked only when it is first read: Node
 * frees the connection of a response that is collected unread, if nobody has locked its body. So the response must not be collected
 * before this stream is.
 */
function watch(response: WebResponse, body: WebStream, permit: Permit): WebStream {
  let controller!: WebController
  let reader: WebReader | undefined
  let reading: Promise<void> | undefined

  const end = (): void => {
    permit.success()
    // Of a stream that was cancelled this throws, and changes nothing.
    controller.close()
    // A reader that waits with a buffer of its own gets it back.
    controller.byobRequest?.respond(0)
  }
  const err = (error: unknown): void => {
    permit.failure(error)
    controller.error(error)
  }
  const open = (): WebReader => {
    if (reader !== undefined) return reader
    // Stryker disable next-line LogicalOperator: both are the same body; what counts is that the response is held on to.
    reader = (response.body ?? body).getReader()
    // A stream ends when its last piece is taken, whether or not anybody asks for another; that piece goes first.
    // Stryker disable next-line ArrowFunction: as long as promises settle in the order of the standard, it does go first.
    reader.closed.then(() => reading).then(end, err).catch(err)
    return reader
  }

  const source = {
    ...(isOfBytes(body) && { type: 'bytes' }),
    start(own: WebController): void {
      controller = own
    },
    pull(): Promise<void> {
      reading = open()
        .read()
        .then(
          ({ done, value }) => {
            if (!done) controller.enqueue(value)
          },
          () => undefined, // `closed` rejects with the same error.
        )
      return reading
    },
    cancel(reason: unknown): Promise<void> {
      permit.ignore()
      return open().cancel(reason)
    },
  }
  return new platform.ReadableStream(source, { highWaterMark: 0 })
}

function isOfBytes(body: WebStream): boolean {
  try {
    body.getReader({ mode: 'byob' }).releaseLock()
  } catch {
    return false
  }
  return true
}

// What is needed of the platform.

interface Dress {
  readonly url: string
  readonly redirected: boolean
  readonly type: string
}

export interface WebResponse extends ResponseLike, Dress {
  readonly body?: WebStream | null
  readonly bodyUsed?: boolean
  clone: (this: WebResponse) => WebResponse
}

type WebResponseClass = new (body: WebStream, init: WebResponse) => WebResponse

interface WebStream {
  readonly locked: boolean
  getReader(options?: { mode: 'byob' }): WebReader
}

interface WebReader {
  readonly closed: Promise<undefined>
  read(): Promise<{ done: boolean; value?: unknown }>
  cancel(reason?: unknown): Promise<void>
  releaseLock(): void
}

interface WebController {
  readonly byobRequest?: { respond(bytes: number): void } | null
  enqueue(chunk: unknown): void
  close(): void
  error(error: unknown): void
}

const platform = globalThis as unknown as {
  readonly ReadableStream: new (source: object, strategy: object) => WebStream
}
