/* eslint n/no-unsupported-features/node-builtins: ['error', { version: '>=20.19.0', ignores: ['Headers', 'Request', 'ReadableStream'] }] -- experimental by name only in Node 20 */
import type { AbortSignalLike } from '../index.js'
import { isOfUpload, refusedByFetch } from './abort.js'
import { describe } from './warning.js'

/** The part of a `URL` that is looked at. */
export interface UrlLike {
  readonly href: string
  readonly origin: string
  readonly protocol: string
  readonly username: string
  readonly password: string
}

/** The part of a `Request` that every platform has. */
export interface RequestLike {
  readonly url: string
  readonly method: string
}

type Members = Readonly<Record<string, unknown>>

/** The second argument of a `fetch`. */
export type Init = Members | null | undefined

interface WebRequest extends RequestLike {
  readonly signal?: AbortSignalLike
  readonly body?: unknown
  readonly bodyUsed?: boolean
}

/** Where a request goes. A URL that does not stand by itself has a base in a browser, which its `Request` knows. */
export function urlOf(input: unknown): UrlLike {
  const text = isRequest(input) ? input.url : String(input)
  try {
    return new platform.URL(text)
  } catch (cause) {
    return new platform.URL(absolute(text, cause))
  }
}

function absolute(text: string, cause: unknown): string {
  try {
    return new platform.Request(text).url
  } catch {
    throw new TypeError(`fetch: ${describe(text)} is not an absolute URL, and there is no base to complete it`, { cause })
  }
}

/** The caller's own signal: of `init`, where `null` means none, else of the request. */
export function signalOf(input: unknown, init: Init): AbortSignalLike | undefined {
  const signal = init?.signal as AbortSignalLike | null | undefined
  // Where another implementation's request has none, it may be null too.
  return (signal === undefined && isRequest(input) ? input.signal : signal) ?? undefined
}

/** Asked twice of one signal, so not by a comparison that the compiler would remember. */
export function isAborted(signal: AbortSignalLike | undefined): boolean {
  return signal?.aborted === true
}

export function isHead(input: unknown, init: Init): boolean {
  return String(methodOf(input, init)).toUpperCase() === 'HEAD'
}

/**
 * What a `Request` makes of it, with everything in it: the platform's, or another fetch's own. Only for a call that is not going to be
 * made. What another fetch takes may be no `Request`; then there is as much to see as was given.
 */
export function requestOf(input: unknown, init: Init, isPlatforms: boolean): RequestLike {
  if (isRequest(input) && (init ?? undefined) === undefined) return input
  const Class = isRequest(input) && !isPlatforms ? (input.constructor as typeof platform.Request) : platform.Request
  try {
    // The platform wants to be told; another fetch knows.
    return new Class(input, isStream(init?.body) && init.duplex === undefined ? { ...init, duplex: 'half' } : init)
  } catch (mistake) {
    if (isPlatforms) throw mistake
    return { ...init, url: urlOf(input).href, method: String(methodOf(input, init)) }
  }
}

/**
 * Finds what the platform's `fetch` would reject with if the request itself is wrong. To build a `Request` for that would cost as much as a
 * good part of the call, and listen to the caller's signal; so that is done only where a word of `init` is out of the ordinary, and without
 * the signal and what is to be sent.
 */
export function mistakeIn(input: unknown, init: Init): Error | undefined {
  try {
    checkRequest(input, init)
    return undefined
  } catch (mistake) {
    return mistake as Error
  }
}

function checkRequest(input: unknown, init: Init): void {
  if (isRequest(input) && input.bodyUsed === true && (init?.body ?? undefined) === undefined) throw new TypeError('fetch: the body of the request is already used')
  if (init === undefined || init === null) return
  if (Object(init) !== init) throw new TypeError(`fetch: expected an object for init, got ${describe(init)}`)
  checkHeaders(init.headers)
  const words = WORDS.filter((word) => init[word] !== undefined)
  if (words.length === 0 && isOrdinary(input, init)) return
  new platform.Request('http://localhost', {
    ...Object.fromEntries(words.map((word) => [word, init[word]])),
    method: methodOf(input, init),
    body: standIn(input, init),
    signal: isSignal(init.signal) ? undefined : init.signal,
  })
}

/** A `Headers` has been checked; what else is iterated may be iterated only once, so it is left to fetch. An array is neither. */
function checkHeaders(headers: unknown): void {
  if (headers === undefined) return
  if (typeof headers === 'object' && headers !== null && Symbol.iterator in headers && !Array.isArray(headers)) return
  new platform.Headers(headers)
}

/** What few calls say, and the platform alone knows the right words for. */
const WORDS = ['cache', 'credentials', 'duplex', 'integrity', 'keepalive', 'mode', 'priority', 'redirect', 'referrer', 'referrerPolicy', 'window']

function isOrdinary(input: unknown, init: Members): boolean {
  const usual = bodyOf(input, init) === undefined ? /^(?:get|head|post|put|delete|options|patch)$/i : /^(?:post|put|delete|options|patch)$/i
  return usual.test(String(methodOf(input, init))) && isSignal(init.signal) && !isStream(init.body)
}

/** Is wrong wherever the body is, and has nothing in it. */
function standIn(input: unknown, init: Members): unknown {
  const { body } = init
  // Stryker disable next-line StringLiteral: of one text and another, one is as wrong as the other.
  if (!isStream(body)) return bodyOf(input, init) === undefined ? undefined : ''
  return body.locked === true ? body : new platform.ReadableStream()
}

/** A `URL` has no `url`, and a string no properties worth the name. */
function isRequest(input: unknown): input is WebRequest {
  return typeof (input as Partial<RequestLike> | null | undefined)?.url === 'string'
}

/** As `fetch` takes it: `null` is a method by that name. */
function methodOf(input: unknown, init: Init): unknown {
  const method = init?.method
  if (method !== undefined) return method
  return isRequest(input) ? input.method : 'GET'
}

/** What is to be sent: of `init`, else of the request. */
function bodyOf(input: unknown, init: Init): unknown {
  return init?.body ?? (isRequest(input) ? input.body : undefined) ?? undefined
}

/** A body that is sent as it comes: a web stream, or in Node anything that is iterated asynchronously. */
function isStream(body: unknown): body is { readonly locked?: boolean } {
  return typeof body === 'object' && body !== null && ('getReader' in body || Symbol.asyncIterator in body)
}

function isSignal(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return typeof (value as AbortSignalLike).aborted === 'boolean' && 'addEventListener' in (value as AbortSignalLike)
}

/**
 * Errors of the caller's making that only the attempt finds, where platforms tell them from a broken network: a blocked port, credentials in
 * the URL, a stream that was read before or breaks off, headers that contradict the body, a request of another implementation, an answer that
 * was ordered otherwise.
 *
 * @param mistake - what `mistakeIn` found. A fetch that was called all the same may have found it too: then it does not speak of a network.
 */
export function isOfTheCaller(error: unknown, input: unknown, init: Init, mistake: Error | undefined): boolean {
  try {
    if (isOfUpload(error, bodyOf(input, init))) return true
    const { name, message, cause } = error as Partial<Error>
    if (name !== 'TypeError') return false
    if (mistake !== undefined && !OF_THE_NETWORK.test(String(message))) return true
    const { message: because, code } = (cause ?? {}) as { message?: unknown; code?: unknown }
    return refusedByFetch(because) || MISTAKES.has(code) || PHRASES.test(String(message))
  } catch {
    // What cannot even be looked at is no mistake that is known.
  }
  return false
}

/** Of several platforms. With spaces in them, so that no URL in a message of a network error can be taken for one. */
const PHRASES = /\b(?:disturbed or locked|includes credentials|redirect mode is set)\b|^UnexpectedRedirect |\[object \w+\]/

/** What fetches and their imitations say when a network fails; only Node and Deno add why. */
const OF_THE_NETWORK = /^(?:fetch failed|failed to fetch|load failed|network ?(?:error|request failed)|error sending request)\b/i

/** What undici calls them. */
const MISTAKES = new Set<unknown>(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'])

// Looked up when it is used, so that a test, or a polyfill, may replace it.
const platform = globalThis as unknown as {
  readonly URL: new (url: string) => UrlLike
  readonly Headers: new (headers: unknown) => object
  readonly Request: new (input: unknown, init?: unknown) => RequestLike
  readonly ReadableStream: new () => object
}
