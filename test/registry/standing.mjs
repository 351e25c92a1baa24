// A registry that was full once and then meets no new key, or only new keys that stay in flight, on the built library. Run with
// --expose-gc; prints by how many bytes the heap grew.
import { BreakerRegistry, ManualClock } from '../../dist/index.js'

const liveHeap = () => {
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

/** Outages that come and go under the same hundred keys. */
function outages(registry, rounds) {
  for (let i = 0; i < rounds; i++) {
    const breaker = registry.for(`host-${1 + (i % 100)}`)
    breaker.tryAcquire()?.failure()
    breaker.tryAcquire()?.success()
  }
}

/** Keys that are seen once, each with its call in flight until a hundred others have come. */
function passersBy(registry, rounds, flights) {
  for (let i = 0; i < rounds; i++) {
    flights.push(registry.for({}).tryAcquire())
    if (flights.length > 100) flights.shift()?.success()
  }
}

const play = { outages, passersBy }[process.argv[2]]
const registry = new BreakerRegistry({ maxSize: 100, clock: new ManualClock(), failureThreshold: 1, recoveryTimeout: 0 })
for (let i = 0; i <= 100; i++) registry.for(`host-${i}`)
const flights = []
play(registry, 20_000, flights)
const before = liveHeap()
play(registry, 200_000, flights)
console.log(liveHeap() - before)
