// Counts bytes on the built library. Run with --expose-gc and a young generation large enough that nothing is collected
// while it counts: --min-semi-space-size=64 --max-semi-space-size=64. Prints one line of JSON.
import { BreakerRegistry, CircuitBreaker, failureRate, ManualClock } from '../../dist/index.js'

const used = () => process.memoryUsage().heapUsed

function collect() {
  globalThis.gc()
  globalThis.gc()
}

const ROUNDS = 20_000

/** Bytes that one of `ROUNDS` takes; the median of several counts, so that a stray compilation is no news. */
async function allocated(rounds) {
  for (let warm = 0; warm < 15; warm++) await rounds()
  const counts = []
  for (let count = 0; count < 7; count++) {
    collect()
    const before = used()
    await rounds()
    counts.push((used() - before) / ROUNDS)
  }
  return counts.sort((a, b) => a - b)[3]
}

const awaited = (once) =>
  allocated(async () => {
    for (let i = 0; i < ROUNDS; i++) await once()
  })
const synchronous = (once) =>
  allocated(() => {
    for (let i = 0; i < ROUNDS; i++) once()
  })

const ok = Promise.resolve(1)
const fn = () => ok
const onValue = (value) => value
const onError = (error) => {
  throw error
}

const healthy = new CircuitBreaker()
const counting = new CircuitBreaker({ trip: failureRate({ rate: 0.5, window: { calls: 100 } }) })
const timing = new CircuitBreaker({ trip: failureRate({ rate: 0.5, window: { ms: 10_000 } }) })
const open = new CircuitBreaker()
open.forceOpen()

const perCall = {
  thinnest: await awaited(() => fn().then(onValue, onError)),
  consecutive: await awaited(() => healthy.execute(fn)),
  countWindow: await awaited(() => counting.execute(fn)),
  timeWindow: await awaited(() => timing.execute(fn)),
  permit: await synchronous(() => healthy.tryAcquire().success()),
  refused: await synchronous(() => open.tryAcquire()),
}

/** Heap for each of `size` breakers of a registry after `rounds` rounds of calls, one a second; keys excluded, its map included. */
function perBreaker(size, rounds, options) {
  const keys = Array.from({ length: size }, (_, i) => `https://host-${i}.example`)
  // A string that was put together is flattened and hashed when it is first a key: not on the breakers' bill.
  const flat = new Set(keys)
  const clock = new ManualClock()
  collect()
  const before = used()
  const registry = new BreakerRegistry({ maxSize: size, clock, ...options })
  for (let round = 0; round < rounds; round++, clock.advance(1_000)) {
    for (const key of keys) registry.for(key).tryAcquire().success()
  }
  collect()
  const bytes = (used() - before) / size
  if (registry.size !== size || flat.size !== size) throw new Error(`${registry.size} of ${size} were kept`)
  return bytes
}

const perBreakerOf = {
  healthy: perBreaker(1_000_000, 1, {}),
  buckets: perBreaker(50_000, 10, { trip: failureRate({ rate: 0.5, window: { ms: 10_000 } }) }),
  calls: perBreaker(50_000, 100, { trip: failureRate({ rate: 0.5, window: { calls: 100 } }) }),
}

console.log(JSON.stringify({ perCall, perBreaker: perBreakerOf }))
