import { describe, expect, it } from 'vitest'
import type { State } from '../../src/index.js'
import { MANY, unhandledDuring } from '../support/calls.js'
import { callbacks, entangle, type Callback, type Deed } from '../support/entangled.js'

const bad = (): never => {
  throw new Error('thrown within')
}

/** Every public method, called from within. */
const deeds: Record<string, Deed> = {
  state: ({ registry, key }) => registry.for(key).state,
  canExecute: ({ registry, key }) => registry.for(key).canExecute,
  retryAfterMs: ({ registry, key }) => registry.for(key).retryAfterMs,
  name: ({ registry, key }) => registry.for(key).name,
  snapshot: ({ registry, key }) => registry.for(key).snapshot(),
  reset: ({ registry, key }) => registry.for(key).reset(),
  forceOpen: ({ registry, key }) => registry.for(key).forceOpen(),
  disable: ({ registry, key }) => registry.for(key).disable(),
  acquire: ({ registry, key }) => registry.for(key).acquire(),
  'tryAcquire and success': ({ registry, key }) => registry.for(key).tryAcquire()?.success(),
  'tryAcquire and failure': ({ registry, key }) => registry.for(key).tryAcquire()?.failure(),
  'tryAcquire and openFor': ({ registry, key }) => registry.for(key).tryAcquire()?.failure(undefined, { openFor: 0 }),
  'tryAcquire and ignore': ({ registry, key }) => registry.for(key).tryAcquire()?.ignore(),
  'tryAcquire and dispose': ({ registry, key }) => registry.for(key).tryAcquire()?.[Symbol.dispose](),
  'success of a permit taken before': ({ permit }) => permit?.success(),
  'failure of a permit taken before': ({ permit }) => permit?.failure(new Error('reported within')),
  'ignore of a permit taken before': ({ permit }) => permit?.ignore(),
  execute: ({ registry, key }) => registry.for(key).execute(() => 1),
  'execute of what throws': ({ registry, key }) => registry.for(key).execute(bad),
  wrap: ({ registry, key }) => registry.for(key).wrap(() => 1)(),
  observe: ({ registry, key }) => registry.for(key).observe({ settled: () => {}, transition: () => {}, rejected: () => {} }),
  'observe, and its end': ({ registry, key }) => registry.for(key).observe({ transition: () => {} })(),
  'the end of an observer that is being told': ({ unobserve }) => unobserve(),
  'get and size of the registry': ({ registry, key }) => [registry.get(key), registry.size, registry.overflows],
  'for of the registry, until it is full': ({ registry }) => ['a', 'b', 'c', 'd'].map((other) => registry.for(other).tryAcquire()?.failure()),
  'delete of the registry': ({ registry, key }) => registry.delete(key),
  'delete of the registry, and a call': ({ registry, key }) => (registry.delete(key), registry.execute(key, bad)),
  'execute of the registry': ({ registry, key }) => registry.execute(key, () => 1),
  'wrap of the registry': ({ registry, key }) => registry.wrap(() => key, bad)(),
  'resetAll of the registry': ({ registry }) => registry.resetAll(),
  'iteration of the registry': ({ registry }) => [...registry, ...registry.outages()],
  'snapshot of the registry': ({ registry }) => registry.snapshot(),
  'observe of the registry': ({ registry }) => registry.observe({ transition: () => {}, durations: true }),
}

/** What these decide stands to the end. */
const lasting: Record<string, State> = { forceOpen: 'forced-open', disable: 'disabled' }

/** After these the events of one key are those of more than one breaker. */
const forgets = /^(for|delete) of the registry/

/** How often each is tried: the first time that the callback is called, the second, … */
const occasions = MANY < 10_000 ? 2 : 6

/** What comes of a call, and how long it is then until the next. Played over and over: the breaker opens, is lost again, and closes. */
const story = [
  { host: 'fails', wait: 5 },
  { host: 'is not asked', wait: 151 },
  { host: 'gives a thenable', wait: 5 },
  { host: 'gives a value', wait: 5 },
  { host: 'is given up', wait: 5 },
  { host: 'gives a value, and another call hangs', wait: 20 },
  { host: 'is not asked', wait: 151 },
  { host: 'fails', wait: 151 },
] as const

/** Gives what broke. */
async function play(callback: Callback, nth: number, deed: Deed, seesSlow: boolean) {
  const { scene, clock, poke, arm, wasReached, wasDone } = entangle(callback, nth, deed, seesSlow)
  const { registry, key } = scene
  const chain: string[] = []
  registry.observe({
    transition: ({ name, from, to }) => {
      if (name === key) chain.push(`${from}>${to}`)
    },
  })
  const faults: unknown[] = []

  arm(true)
  // Once it has happened, twice more.
  for (let call = 0, left = 2 * story.length; call < occasions * story.length && left > 0; call++) {
    if (wasReached()) left--
    const { host, wait } = story[call % story.length]!
    const own = Object.defineProperty(new Error('its own'), 'cause', { get: () => poke('cause') })
    let isAborted = false
    const signal = {
      get aborted() {
        poke('aborted')
        return isAborted
      },
      get reason() {
        poke('reason')
        return new Error('given up')
      },
    }
    const fn = () => {
      poke('fn')
      isAborted = host === 'is given up'
      if (host === 'fails' || isAborted) throw own
      return host === 'gives a thenable' ? { then: (yes: (value: number) => void) => (poke('then'), yes(call)) } : call
    }
    const fallback = (error: unknown) => (poke('fallback'), error)
    // A breaker that is made anew each time, in the registry beside the other.
    registry.delete('beside')
    registry.for('beside')
    scene.permit = registry.for(key).tryAcquire()
    const wrapped = registry.wrap(() => (poke('keyOf'), key), fn, { signal: () => (poke('signal of wrap'), signal), fallback })
    const promise: Promise<unknown> = (call + Math.floor(call / story.length)) % 2 === 0 ? wrapped() : registry.execute(key, fn, { signal, fallback })
    const answer = await promise.catch((error: unknown) => error)
    if (answer !== call && answer !== own && (answer as { code?: unknown }).code !== 'ERR_CIRCUIT_OPEN') faults.push({ call, answer })
    scene.permit?.success()
    if (host.endsWith('hangs')) registry.for(key).tryAcquire()
    clock.advance(wait)
    arm(false)
    const { inFlight = 0 } = registry.for(key).snapshot().phase ?? {}
    if (inFlight < 0 || inFlight > 2) faults.push({ call, inFlight })
    arm(true)
  }
  arm(false)

  const broken = chain.slice(1).filter((step, index) => step.split('>')[0] !== chain[index]!.split('>')[1])
  const breaker = registry.for(key)
  const left = wasDone() ? breaker.state : undefined
  if (breaker.state === 'forced-open' || breaker.state === 'disabled') breaker.reset()
  clock.advance(1_000)
  for (let call = 0; call < 4 && breaker.state !== 'closed'; call++) {
    if (!breaker.canExecute) clock.advance(breaker.retryAfterMs)
    breaker.acquire().success()
  }
  return { reached: wasReached(), faults, broken: broken.length === 0 ? [] : chain, left, state: breaker.state, isBounded: registry.size <= 3 }
}

describe.each(Object.entries(deeds))('%s, called from within a callback (law 17)', (name, deed) => {
  it.each(callbacks)('%s, changes no caller’s answer, breaks no chain of events, and wedges nothing', async (callback) => {
    const unhandled = await unhandledDuring(async () => {
      for (const seesSlow of callback === 'slow' ? [true] : [false, true]) {
        for (let nth = 1; nth <= occasions; nth++) {
          const { broken, left, ...found } = await play(callback, nth, deed, seesSlow)
          expect(found, `the ${String(nth)}. time`).toEqual({ reached: true, faults: [], state: 'closed', isBounded: true })
          if (left !== undefined) expect(left).toBe(lasting[name] ?? left)
          if (!forgets.test(name)) expect(broken).toEqual([])
        }
      }
    })
    expect(unhandled).toEqual([])
  })
})
