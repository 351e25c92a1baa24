// A million made-up hosts, each failing once, while a few real ones are down, on the built library. Run with --expose-gc; prints one
// line of JSON.
import { BreakerRegistry, ManualClock, failureRate } from '../../dist/index.js'

const KEYS = 1_000_000
const maxSize = 10_000
const wait = 60_000
const trips = {
  consecutive: {},
  window: { trip: failureRate({ rate: 0.5, window: { ms: 10_000 }, minimumCalls: 5 }) },
}

const clock = new ManualClock()
const error = new Error('no such host')
const registry = new BreakerRegistry({ ...trips[process.argv[2]], recoveryTimeout: wait, maxSize, clock })

const liveHeap = () => {
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

const real = Array.from({ length: 20 }, (_, i) => `real-${i}`)
for (const key of real) for (let call = 0; call < 5; call++) registry.for(key).acquire().failure(error)
const begun = clock.now()

const attack = (from, to) => {
  for (let i = from; i < to; i++) registry.for(`made-up-${i}`).acquire().failure(error)
}

// Full, and turned over a few times: from here on the heap must stand still.
attack(0, 5 * maxSize)
const before = liveHeap()
let most = 0
let admitted = 0
for (let from = 5 * maxSize; from < KEYS; from += 50_000) {
  attack(from, Math.min(KEYS, from + 50_000))
  most = Math.max(most, liveHeap() - before)
  clock.advance(1_000)
  for (const key of real) if (registry.for(key).tryAcquire() !== undefined) admitted++
}
const { size, overflows } = registry
const outages = [...registry.outages()].length
clock.advance(begun + wait - 1 - clock.now())
for (const key of real) if (registry.for(key).canExecute) admitted++
clock.advance(1)
const probed = real.filter((key) => registry.for(key).tryAcquire() !== undefined && registry.for(key).tryAcquire() === undefined).length
process.stdout.write(`${JSON.stringify({ size, overflows, outages, grown: most, admitted, probed })}\n`)
