import type { Observer } from '../index.js'

/** A registry or a breaker, as far as it is listened to. */
export interface ObservedBreakers {
  observe(observer: Observer): () => void
}

/** The channels of `node:diagnostics_channel` that `publish` publishes on, and whose message each is. */
export const CHANNELS = {
  /** A change of state: `Transition`. */
  transition: 'lazybreaker:transition',
  /** A refused call: `Rejected`. */
  refusal: 'lazybreaker:refusal',
  /** A call that was admitted and has been judged: `Settled`. */
  settlement: 'lazybreaker:settlement',
} as const

interface Channel {
  readonly hasSubscribers: boolean
  publish(message: unknown): void
}

interface Host {
  readonly process?: { getBuiltinModule?(id: string): { channel(name: string): Channel } | undefined }
}

/**
 * Publishes what happens to a registry's breakers, or to one breaker, on `CHANNELS`, until the returned function is called. A message is
 * the event that an observer gets. Does nothing on a platform without diagnostics channels.
 *
 * @example
 * ```ts
 * import { subscribe } from 'node:diagnostics_channel'
 *
 * publish(upstreams)
 * subscribe(CHANNELS.transition, ({ name, from, to, reason }) => log.warn({ name, from, to, reason }))
 * ```
 * @throws TypeError if it is given neither
 */
export function publish(source: ObservedBreakers): () => void {
  if (typeof (source as Partial<ObservedBreakers> | null | undefined)?.observe !== 'function') throw new TypeError('publish: expected a registry or a breaker')
  const diagnostics = diagnosticsOf(globalThis as Host)
  if (diagnostics === undefined) return () => undefined
  const ends = Object.entries({ transition: CHANNELS.transition, rejected: CHANNELS.refusal, settled: CHANNELS.settlement }).map(([event, name]) => {
    const channel = diagnostics.channel(name)
    // Each on its own, so that a settlement is built only for who subscribes to settlements.
    return source.observe({ [event]: (message: unknown) => { channel.publish(message) }, wanted: () => channel.hasSubscribers })
  })
  return () => {
    for (const end of ends) end()
  }
}

/** Asked of the platform when needed: an import would keep this file from being loaded where there is no such module. */
function diagnosticsOf({ process }: Host): { channel(name: string): Channel } | undefined {
  return process?.getBuiltinModule?.('node:diagnostics_channel')
}
