import type { Circuit } from './breaker.js'
import { checkCall, checkFunction, checkSignal } from './check.js'
import type { CircuitOpenError } from './errors.js'
import { Flight } from './in-flight.js'
import type { AbortSignalLike } from './verdict.js'
import { describe } from './warn.js'

export interface ExecuteOptions<Fallback = never> {
  /** The caller's own: says whose an abort is. Not passed to `fn`. */
  readonly signal?: AbortSignalLike | undefined
  /** Answers in the place of a refused call, and only of that; what it throws, the caller gets. */
  readonly fallback?: ((error: CircuitOpenError) => Fallback) | undefined
}

/** Of `execute`, and of `wrap`. */
export const OPTIONS = ['signal', 'fallback'] as const

/** Calls `fn` if `circuit` lets it, and reports what becomes of it. Never throws synchronously. */
export function execute<T, Fallback>(circuit: Circuit, fn: () => T, options?: ExecuteOptions<Fallback>): Promise<Awaited<T> | Awaited<Fallback>> {
  type Result = Awaited<T> | Awaited<Fallback>
  let signal: AbortSignalLike | undefined
  let fallback: ((error: CircuitOpenError) => Fallback) | undefined
  try {
    if (typeof fn !== 'function') throw notAFunction('execute', fn)
    if (options !== undefined) {
      ;({ signal, fallback } = checkCall('execute', options, OPTIONS))
      if (signal !== undefined) checkSignal('execute: signal', signal)
      if (fallback !== undefined) checkFunction('execute: fallback', fallback)
      if (signal?.aborted === true) throw signal.reason
    }
  } catch (error) {
    return reject(error)
  }
  const epoch = circuit.enter()
  if (epoch >= 0) return run(circuit, epoch, null, fn, signal) as Promise<Result>
  let answer: Flight | CircuitOpenError | undefined
  let owner: Circuit
  try {
    owner = circuit.owner()
    answer = owner.admit(true)!
  } catch (error) {
    return reject(error)
  }
  if (answer instanceof Flight) {
    try {
      // A listener to the transition may have given up.
      if (signal?.aborted === true) throw signal.reason
    } catch (error) {
      owner.report(answer.epoch, answer, 'ignored', undefined)
      return reject(error)
    }
    return run(owner, answer.epoch, answer, fn, signal) as Promise<Result>
  }
  if (fallback === undefined) return reject(answer)
  try {
    return Promise.resolve(fallback(answer))
  } catch (error) {
    return reject(error)
  }
}

/** Calls `fn` and reports what becomes of it. Nothing is kept but two closures. */
function run(circuit: Circuit, epoch: number, flight: Flight | null, fn: () => unknown, signal: AbortSignalLike | undefined): Promise<unknown> {
  let promise: Promise<unknown>
  try {
    promise = Promise.resolve(fn())
  } catch (error) {
    circuit.threw(epoch, flight, error, signal)
    return reject(error)
  }
  const onValue = (value: unknown) => {
    circuit.returned(epoch, flight, value)
    return value
  }
  const onError = (error: unknown) => {
    circuit.threw(epoch, flight, error, signal)
    throw error
  }
  return hasPlainThen(promise) ? promise.then(onValue, onError) : (Promise.prototype as Promise<unknown>).then.call(promise, onValue, onError)
}

// Stryker disable BlockStatement,ConditionalExpression: the way past it is right for every promise, only slower
/** If not, it is adopted as `await` does it, past the `then` of its own. `Promise` is looked up each time, because it may be replaced. */
function hasPlainThen(promise: Promise<unknown>): boolean {
  try {
    return promise.then === Promise.prototype.then
  } catch {
    return false
  }
}
// Stryker restore BlockStatement,ConditionalExpression

/** A promise rejected with the caller's own reason, whatever it is. */
export function reject(error: unknown): Promise<never> {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- not ours to wrap
  return Promise.reject(error)
}

export function notAFunction(where: string, got: unknown): TypeError {
  const promise = typeof (got as PromiseLike<unknown> | null | undefined)?.then === 'function'
  const hint = promise ? ` (the call has already been made: hand over a function that makes it, () => …)` : ''
  return new TypeError(`${where}: expected a function, got ${promise ? 'a promise' : describe(got)}${hint}`)
}
