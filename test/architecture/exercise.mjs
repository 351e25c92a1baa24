// Everything the library does, done once with whatever is built, while all that could wake it up is counted.
import { subscribe } from 'node:diagnostics_channel'
import { metrics, trace } from '@opentelemetry/api'
import { Registry } from 'prom-client'

const set = []
for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']) {
  const original = globalThis[name]
  globalThis[name] = (...args) => {
    set.push(name)
    return original(...args)
  }
}
// Requests to the file system are Node's own: it loads modules as we go.
const handles = () => process.getActiveResourcesInfo().filter((name) => !/^(FS|Close)Req/.test(name))
// Node opens its own ways out when they are first asked for.
void [process.stdout, process.stderr]
const before = handles()

const lazybreaker = await import('../../dist/index.js')
const { anyOf, BreakerRegistry, CircuitBreaker, consecutiveFailures, exponentialBackoff, failureRate, gradual, ManualClock, probes, singleProbe } = lazybreaker

const up = () => Promise.resolve('up')
const down = () => Promise.reject(new Error('down'))
const nothing = () => undefined
const quiet = (promise) => promise.catch(() => undefined)

/** From healthy over open, probing and lost recoveries to healthy, then by command through every other state. */
async function life(options) {
  const clock = new ManualClock()
  const breaker = new CircuitBreaker({ name: 'life', clock, recoveryTimeout: exponentialBackoff({ initial: 1_000 }), ...options })
  const end = breaker.observe({ transition: nothing, settled: nothing, rejected: nothing, durations: true })
  await breaker.execute(up)
  const slow = breaker.tryAcquire()
  while (breaker.state === 'closed') {
    await quiet(breaker.execute(down))
    clock.advance(100)
  }
  slow.ignore()
  await breaker.execute(up, { fallback: () => 'cached' })
  clock.advance(breaker.retryAfterMs)
  breaker.acquire() // a probe that never answers
  clock.advance(breaker.retryAfterMs)
  await quiet(breaker.execute(down))
  for (let i = 0; breaker.state !== 'closed' && i < 1_000; i++) {
    clock.advance(breaker.retryAfterMs)
    await quiet(breaker.wrap(up)())
  }
  if (breaker.state !== 'closed') throw new Error('it never recovered')
  breaker.forceOpen()
  await quiet(breaker.execute(up, { signal: AbortSignal.abort() }))
  breaker.disable()
  breaker.reset()
  breaker.snapshot()
  end()
}

const trips = [
  consecutiveFailures(3),
  failureRate({ rate: 0.5, window: { calls: 10 } }),
  failureRate({ rate: 0.5, window: { ms: 60_000 }, slowCallRate: 0.8 }),
  anyOf(consecutiveFailures(4), failureRate({ rate: 0.9, window: { calls: 5 } })),
]
for (const trip of trips) {
  for (const recovery of [singleProbe(), probes(), gradual()]) await life({ trip, recovery, slowCallDuration: 5_000 })
}

const clock = new ManualClock()
const hosts = new BreakerRegistry({ clock, maxSize: 10, failureThreshold: 1, configure: (key) => (key === 'http://h3' ? { failureThreshold: 2 } : undefined) })
const endHosts = hosts.observe({ transition: nothing, settled: nothing, rejected: nothing })

// Every subpath, on stand-ins for the clients: theirs is not the question here.
const { breakerFetch } = await import('../../dist/fetch.js')
const { breakerInterceptor } = await import('../../dist/undici.js')
const { breakerAdapter } = await import('../../dist/axios.js')
const { explain } = await import('../../dist/explain.js')
const prometheus = await import('../../dist/prometheus.js')
const opentelemetry = await import('../../dist/opentelemetry.js')
const { CHANNELS, publish } = await import('../../dist/diagnostics.js')
for (const name of Object.values(CHANNELS)) subscribe(name, nothing)
const register = new Registry()
const ends = [
  publish(hosts),
  prometheus.instrument(hosts, { register, durations: true }),
  opentelemetry.instrument(hosts, { meter: metrics.getMeter('exercise'), trace }),
]
const guarded = breakerFetch(hosts, {
  fetch: () => Promise.resolve(new Response('no', { status: 503, headers: { 'retry-after': '7' } })),
  retryAfter: true,
  body: 'settle',
})
const adapter = breakerAdapter(hosts, () => Promise.resolve({ status: 500 }))
const dispatch = breakerInterceptor(hosts)((_options, handler) => {
  handler.onRequestStart({}, {})
  handler.onResponseError({}, new Error('down'))
  return true
})
const handler = { onRequestStart: nothing, onResponseError: nothing }
for (let i = 0; i < 20; i++) {
  await quiet(hosts.execute(`http://h${i}`, down))
  await quiet(guarded(`http://h${i}`))
  await quiet(adapter({ url: `http://h${i}` }))
  dispatch({ origin: `http://h${i}`, path: '/', method: 'GET' }, handler)
}
explain(hosts)
await register.metrics()
for (const end of ends) end()

hosts.snapshot()
hosts.resetAll()
for (const [key] of hosts) hosts.delete(key)
endHosts()

// What other things in the process leave until the next turn is none of ours.
await new Promise((resolve) => process.nextTick(resolve))
const left = handles()
for (const name of before) if (left.includes(name)) left.splice(left.indexOf(name), 1)
console.log(`timers: ${set.join(' ') || 'none'}; handles: ${left.join(' ') || 'none'}`)
process.exitCode = set.length + left.length === 0 ? 0 : 1
