import type { Observer, State } from '../index.js'

/** A breaker as an exporter sees it. */
export interface MeasuredBreaker {
  readonly name: string | undefined
  readonly state: State
  observe(observer: Observer<string | undefined>): () => void
}

/** A registry as an exporter sees it. */
export interface MeasuredRegistry<Key> extends Iterable<[Key, { readonly state: State }]> {
  readonly size: number
  get(key: Key): { readonly state: State } | undefined
  outages(): Iterable<[Key, { readonly state: State }]>
  observe(observer: Observer<Key>): () => void
}

export function isRegistry<Key>(source: MeasuredRegistry<Key> | MeasuredBreaker): source is MeasuredRegistry<Key> {
  return 'outages' in source
}

/** One breaker as a registry of one: whatever it is asked for, it has that breaker. */
export function registryOf<Key>(breaker: MeasuredBreaker): MeasuredRegistry<Key> {
  const entry: [Key, MeasuredBreaker] = [breaker.name as Key, breaker]
  return {
    size: 1,
    get: () => breaker,
    outages: () => (breaker.state === 'closed' ? [] : [entry]),
    [Symbol.iterator]: () => [entry].values(),
    observe: (observer) => breaker.observe(observer as Observer),
  }
}
