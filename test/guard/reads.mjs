// Counts what the built library asks of the platform, call by call: readings of the clock, and timers. Prints JSON.
import { BreakerRegistry, CircuitBreaker, failureRate, gradual, probes } from '../../dist/index.js'

const timers = { count: 0 }
for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']) {
  const original = globalThis[name]
  globalThis[name] = (...args) => {
    timers.count += 1
    return original(...args)
  }
}

let now = 1
let reads = 0
const clock = {
  now() {
    reads += 1
    return now
  },
}

/** The readings that one thing costs. */
async function readings(what) {
  const before = reads
  await what()
  return reads - before
}

const fail = () => Promise.reject(new Error('down'))
const quiet = async (promise) => {
  await promise.catch(() => undefined)
}

/** What each operation of a breaker with these options reads, from healthy over open to recovered. */
async function life(options) {
  const breaker = new CircuitBreaker({ clock, failureThreshold: undefined, ...options })
  const counted = {}
  counted.construct = await readings(() => new CircuitBreaker({ clock, ...options }))
  counted.execute = await readings(() => breaker.execute(() => 'up'))
  let permit
  counted.acquire = await readings(() => void (permit = breaker.tryAcquire()))
  counted.settle = await readings(() => void permit.success())
  counted.readClosed = await readings(() => void [breaker.state, breaker.canExecute, breaker.retryAfterMs])
  while (breaker.state === 'closed') await quiet(breaker.execute(fail))
  counted.refused = await readings(() => breaker.tryAcquire())
  counted.refusedError = await readings(() => quiet(breaker.execute(() => 'up')))
  counted.readState = await readings(() => breaker.state)
  counted.snapshot = await readings(() => breaker.snapshot())
  now += breaker.retryAfterMs
  counted.probeAcquire = await readings(() => void (permit = breaker.tryAcquire()))
  counted.probeSettle = await readings(() => void permit.success())
  return counted
}

const lives = {
  consecutive: await life({}),
  countWindow: await life({ trip: failureRate({ rate: 0.5, window: { calls: 10 } }) }),
  timeWindow: await life({ trip: failureRate({ rate: 0.5, window: { ms: 10_000 } }) }),
  slowCalls: await life({ slowCallDuration: 1_000 }),
  probes: await life({ recovery: probes() }),
  gradual: await life({ recovery: gradual() }),
}

const hosts = new BreakerRegistry({ clock })
await hosts.execute('a', () => 'up')
const registry = {
  execute: await readings(() => hosts.execute('a', () => 'up')),
  made: await readings(() => hosts.for('b')),
}

console.log(JSON.stringify({ lives, registry, timers: timers.count }))
