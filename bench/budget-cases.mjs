/** What the budgets are about, each run in a process of its own. */
import { clockRead, error, ok, rejection, thinnest, thinnestPerKey } from './baseline.mjs'
import { BreakerRegistry, CircuitBreaker, failureRate, ManualClock } from './library.mjs'
import { keysOf, walk } from './keys.mjs'
import { keep, liveHeap, takeTurns } from './measure.mjs'
import { countingTimers } from './timers.mjs'

const NEVER = 1e9

const closed = {
  consecutive: () => new CircuitBreaker(),
  count: () => new CircuitBreaker({ trip: failureRate({ rate: 0.5, window: { calls: 100 } }) }),
  time: () => new CircuitBreaker({ trip: failureRate({ rate: 0.5, window: { ms: 10_000 } }) }),
  slow: () => new CircuitBreaker({ slowCallDuration: 1_000 }),
}

/** `await breaker.execute(fn)` on a closed breaker. */
export function execute({ kind, rounds }) {
  const breaker = closed[kind]()
  const subject = async (times) => {
    for (let i = 0; i < times; i++) await breaker.execute(ok)
  }
  return takeTurns(kind === 'time' || kind === 'slow' ? { thinnest, clockRead, subject } : { thinnest, subject }, { rounds })
}

export function permit({ rounds }) {
  const breaker = closed.consecutive()
  const subject = (times) => {
    for (let i = 0; i < times; i++) {
      const permit = breaker.tryAcquire()
      // Held, as a call would hold it: a permit that leaves no trace would be optimised away.
      keep(permit)
      permit.success()
    }
  }
  return takeTurns({ clockRead, subject }, { rounds })
}

async function tripped() {
  const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: NEVER })
  await breaker.execute(() => Promise.reject(error)).catch(() => undefined)
  if (breaker.state !== 'open') throw new Error(`expected an open breaker, got ${breaker.state}`)
  return breaker
}

export async function refusedPermit({ rounds }) {
  const breaker = await tripped()
  const subject = (times) => {
    for (let i = 0; i < times; i++) keep(breaker.tryAcquire())
  }
  return takeTurns({ clockRead, subject }, { rounds })
}

export async function refusedCall({ rounds }) {
  const breaker = await tripped()
  const subject = async (times) => {
    for (let i = 0; i < times; i++) {
      try {
        await breaker.execute(ok)
      } catch (reason) {
        keep(reason)
      }
    }
  }
  return takeTurns({ rejection, subject }, { rounds })
}

/** `registry.execute` beside `map.get` and the thinnest wrapper, at as many keys. */
export async function perKey({ count, rounds }) {
  const keys = keysOf(count)
  const order = walk(count)
  const registry = new BreakerRegistry({ maxSize: Math.max(count, 1_000) })
  for (const key of keys) registry.for(key)
  let place = 0
  const subject = async (times) => {
    for (let i = 0; i < times; i++) {
      const key = keys[order[place]]
      place = (place + 1) % count
      await registry.execute(key, ok)
    }
  }
  return takeTurns({ thinnestPerKey: thinnestPerKey(keys, order), subject }, { rounds, turnMs: 5 })
}

const used = {
  healthy: { options: () => ({}), use: () => undefined },
  buckets: {
    options: () => ({ trip: failureRate({ rate: 0.5, window: { ms: 10_000 } }) }),
    use(registry, clock) {
      for (let bucket = 0; bucket < 10; bucket++) {
        for (const [, breaker] of registry) for (let call = 0; call < 3; call++) breaker.tryAcquire().success()
        clock.advance(1_000)
      }
    },
  },
  calls: {
    options: () => ({ trip: failureRate({ rate: 0.5, window: { calls: 100 } }) }),
    use(registry) {
      for (const [, breaker] of registry) {
        for (let call = 0; call < 120; call++) {
          const permit = breaker.tryAcquire()
          if (call % 5 === 4) permit.failure(error)
          else permit.success()
        }
      }
    },
  },
}

/** Bytes per breaker in a registry, the map included and the key not. */
export function heap({ kind, count }) {
  const { options, use } = used[kind]
  const clock = new ManualClock()
  const keys = keysOf(count)
  const before = liveHeap()
  const registry = new BreakerRegistry({ ...options(), clock, maxSize: count })
  for (const key of keys) registry.for(key)
  use(registry, clock)
  const after = liveHeap()
  if (registry.size !== count) throw new Error(`expected ${count} breakers, got ${registry.size}`)
  return { bytes: (after - before) / count, keys: keys.length }
}

/** Timers begun by ten thousand breakers that are used, tripped, probed and closed. */
export async function timers() {
  const count = countingTimers()
  const clock = new ManualClock()
  const registry = new BreakerRegistry({ failureThreshold: 1, recoveryTimeout: 1_000, slowCallDuration: 100, clock })
  const handles = process.getActiveResourcesInfo().length
  const fail = () => Promise.reject(error)
  for (let i = 0; i < 10_000; i++) {
    await registry.execute(i, ok)
    await registry.execute(i, fail).catch(() => undefined)
  }
  clock.advance(1_000)
  for (let i = 0; i < 5_000; i++) await registry.execute(i, ok)
  return { timers: count.begun(), handles: process.getActiveResourcesInfo().length - handles }
}
