import type { Circuit } from './breaker.js'
import { checkCall, checkFunction } from './check.js'
import type { CircuitOpenError } from './errors.js'
import { execute, notAFunction, OPTIONS, reject } from './execute.js'
import type { AbortSignalLike } from './verdict.js'

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any function can be guarded
export type AnyFunction = (...args: any[]) => unknown

export interface WrapOptions<Fn extends AnyFunction, Fallback = never> {
  /** Finds the caller's signal in the arguments of a call, or in its `this`. */
  readonly signal?: ((...args: Parameters<Fn>) => AbortSignalLike | undefined) | undefined
  /** As of `execute`, with the arguments of the call, and its `this`. */
  readonly fallback?: ((error: CircuitOpenError, ...args: Parameters<Fn>) => Fallback) | undefined
}

/** What `wrap` makes of a function: the same parameters and `this`, and always a promise. */
export type Guarded<Fn extends AnyFunction, Fallback = never> = (
  this: ThisParameterType<Fn>,
  ...args: Parameters<Fn>
) => Promise<Awaited<ReturnType<Fn>> | Awaited<Fallback>>

/** Guards `fn` by the breaker that `breakerOf` finds for the `this` and the arguments of a call. */
export function wrap<Fn extends AnyFunction, Fallback>(
  breakerOf: (self: unknown, args: Parameters<Fn>) => Circuit,
  fn: Fn,
  options: WrapOptions<Fn, Fallback>,
): Guarded<Fn, Fallback> {
  if (typeof fn !== 'function') throw notAFunction('wrap', fn)
  const { signal, fallback } = checkCall('wrap', options, OPTIONS)
  if (signal !== undefined) checkFunction('wrap: signal', signal)
  if (fallback !== undefined) checkFunction('wrap: fallback', fallback)
  // A method, because it has a `this` and cannot be called with `new`.
  const { guarded } = {
    guarded(this: ThisParameterType<Fn>, ...args: Parameters<Fn>): Promise<unknown> {
      try {
        const call = (): unknown => Reflect.apply(fn, this, args)
        // Stryker disable next-line ConditionalExpression: only spares the options
        if (signal === undefined && fallback === undefined) return execute(breakerOf(this, args), call)
        return execute(breakerOf(this, args), call, {
          signal: signal && Reflect.apply(signal, this, args),
          fallback: fallback && ((error) => Reflect.apply(fallback, this, [error, ...args])),
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
