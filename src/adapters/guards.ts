import type { BreakerLike, RegistryLike } from '../index.js'
import { refuse } from './options.js'

/**
 * Finds whose breaker takes a call: the one of its key, or the one for all calls, for which no key is asked.
 *
 * @param name - of the function that was given the guards
 * @throws TypeError if they are neither a registry nor a breaker
 */
export function breakersOf<Call extends unknown[]>(name: string, guards: unknown, keyOf: (...call: Call) => unknown): (...call: Call) => BreakerLike {
  const given = (guards ?? {}) as Partial<RegistryLike<unknown> & BreakerLike>
  if (typeof given.for === 'function') return (...call) => (guards as RegistryLike<unknown>).for(keyOf(...call))
  if (typeof given.acquire === 'function') return () => guards as BreakerLike
  return refuse(name, 'a registry or a breaker', guards)
}

/** Whether a URL leads to a host, which can be well or not: `data:` and `blob:` do not. */
export function leadsToHost({ protocol }: { readonly protocol: string }): boolean {
  return protocol === 'http:' || protocol === 'https:'
}
