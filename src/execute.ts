import { checkFunction, checkObject, checkString } from './check.js'
import { Circuit, Ground } from './breaker.js'
import type { CircuitOpenError } from './errors.js'
import { Audience } from './observer.js'
import { Flight } from './in-flight.js'
import { checkNames, makePlan, type SharedOptions } from './plan.js'
import type { AbortSignalLike } from './verdict.js'
import { describe } from './warn.js'

export interface CircuitBreakerOptions extends SharedOptions {
  /** Shown in errors, events and metrics. */
  readonly name?: string | undefined
}

export interface ExecuteOptions<Fallback = never> {
  /** The caller's own: says whose an abort is. It is handed to nobody. */
  readonly signal?: AbortSignalLike | undefined
  /** Answers in the place of a refused call, and only of that; what it throws, the caller gets. */
  readonly fallback?: ((error: CircuitOpenError) => Fallback) | undefined
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any function can be guarded
export type AnyFunction = (...args: any[]) => unknown

export interface WrapOptions<Fn extends AnyFunction, Fallback = never> {
  /** Finds the caller's signal in the arguments of a call. */
  readonly signal?: ((...args: Parameters<Fn>) => AbortSignalLike | undefined) | undefined
  /** As of `execute`, with the arguments of the call. */
  readonly fallback?: ((error: CircuitOpenError, ...args: Parameters<Fn>) => Fallback) | undefined
}

/** What `wrap` makes of a function: the same parameters and `this`, and always a promise. */
export type Guarded<Fn extends AnyFunction, Fallback = never> = (
  this: ThisParameterType<Fn>,
  ...args: Parameters<Fn>
) => Promise<Awaited<ReturnType<Fn>> | Awaited<Fallback>>

/**
 * A circuit breaker that recovers when asked, not when a timer says so.
 *
 * @example
 * ```ts
 * const payments = new CircuitBreaker({ name: 'payments', failureThreshold: 5, recoveryTimeout: 30_000 })
 * const response = await payments.execute(() => fetch(url))
 * ```
 */
export class CircuitBreaker extends Circuit {
  /** @throws TypeError or RangeError naming the option, the rule and the value got */
  constructor(options?: CircuitBreakerOptions)
  /** A breaker of a registry. @internal */
  constructor(ground: Ground, key: unknown)
  constructor(options: CircuitBreakerOptions | Ground = {}, key?: unknown) {
    if (options instanceof Ground) {
      super(options, key)
    } else {
      const { name } = checkNames(options, ['name'])
      super(new Ground(makePlan(options), new Audience(), null), name === undefined ? undefined : checkString('name', name))
    }
  }

  /**
   * Calls `fn` if the circuit lets it, and judges the call by what becomes of it. The caller gets `fn`'s own value or error, the same object.
   * Never throws synchronously.
   *
   * @returns rejects with `CircuitOpenError` if the call is refused and there is no fallback, with the signal's reason if that is aborted already
   */
  execute<T, Fallback = never>(fn: () => T, options?: ExecuteOptions<Fallback>): Promise<Awaited<T> | Awaited<Fallback>> {
    type Result = Awaited<T> | Awaited<Fallback>
    let signal: AbortSignalLike | undefined
    let fallback: ((error: CircuitOpenError) => Fallback) | undefined
    try {
      if (typeof fn !== 'function') throw notAFunction('execute', fn)
      if (options !== undefined) {
        ;({ signal, fallback } = options)
        checkCallOptions(signal, fallback)
        if (signal?.aborted === true) throw signal.reason
      }
    } catch (error) {
      return reject(error)
    }
    const epoch = this.enter()
    if (epoch >= 0) return run(this, epoch, null, fn, signal) as Promise<Result>
    let answer: Flight | CircuitOpenError | undefined
    let owner: Circuit
    try {
      owner = this.owner()
      answer = owner.admit(true)!
    } catch (error) {
      return reject(error)
    }
    if (answer instanceof Flight) {
      if (signal?.aborted !== true) return run(owner, answer.epoch, answer, fn, signal) as Promise<Result>
      // A listener to the transition gave up.
      owner.report(answer.epoch, answer, 'ignored', undefined)
      return reject(signal.reason)
    }
    if (fallback === undefined) return reject(answer)
    try {
      return Promise.resolve(fallback(answer))
    } catch (error) {
      return reject(error)
    }
  }

  /**
   * Guards a function once and for all. Made once, where the function is; a breaker that is made for each call has no memory.
   * @throws TypeError if `fn` is not a function, or an option is wrong
   */
  wrap<Fn extends AnyFunction, Fallback = never>(fn: Fn, options: WrapOptions<Fn, Fallback> = {}): Guarded<Fn, Fallback> {
    return guard(() => this, fn, options)
  }
}

/** Guards `fn` by the breaker that `breakerOf` finds for the arguments of a call. */
export function guard<Fn extends AnyFunction, Fallback>(
  breakerOf: (args: Parameters<Fn>) => CircuitBreaker,
  fn: Fn,
  options: WrapOptions<Fn, Fallback>,
): Guarded<Fn, Fallback> {
  if (typeof fn !== 'function') throw notAFunction('wrap', fn)
  const { signal, fallback } = checkObject('wrap', options, ['signal', 'fallback'])
  if (signal !== undefined) checkFunction('wrap: signal', signal)
  if (fallback !== undefined) checkFunction('wrap: fallback', fallback)
  // A method, because it has a `this` and cannot be called with `new`.
  const { guarded } = {
    guarded(this: ThisParameterType<Fn>, ...args: Parameters<Fn>): Promise<unknown> {
      try {
        const call = () => fn.apply(this, args)
        if (signal === undefined && fallback === undefined) return breakerOf(args).execute(call)
        return breakerOf(args).execute(call, {
          signal: signal?.(...args),
          fallback: fallback && ((error) => fallback.call(this, error, ...args)),
        })
      } catch (error) {
        return reject(error)
      }
    },
  }
  Object.defineProperty(guarded, 'name', { value: fn.name, configurable: true })
  Object.defineProperty(guarded, 'length', { value: fn.length, configurable: true })
  return guarded as Guarded<Fn, Fallback>
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
  return promise.then(
    (value) => {
      circuit.returned(epoch, flight, value)
      return value
    },
    (error: unknown) => {
      circuit.threw(epoch, flight, error, signal)
      throw error
    },
  )
}

/** A promise rejected with the caller's own reason, whatever it is. */
export function reject(error: unknown): Promise<never> {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- not ours to wrap
  return Promise.reject(error)
}

function checkCallOptions(signal: unknown, fallback: unknown): void {
  if (signal !== undefined && typeof (signal as AbortSignalLike | null)?.aborted !== 'boolean') {
    throw new TypeError(`execute: signal: expected an AbortSignal, got ${describe(signal)}`)
  }
  if (fallback !== undefined) checkFunction('execute: fallback', fallback)
}

function notAFunction(where: string, got: unknown): TypeError {
  const promise = typeof (got as PromiseLike<unknown> | null | undefined)?.then === 'function'
  const hint = promise ? ` (the call has already been made: hand over a function that makes it, () => …)` : ''
  return new TypeError(`${where}: expected a function, got ${promise ? 'a promise' : describe(got)}${hint}`)
}
