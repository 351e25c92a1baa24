import { fileURLToPath } from 'node:url'
import { BreakerRegistry, CircuitBreaker, entry, failureRate, gradual, ManualClock, probes } from '../library.mjs'

const tripped = { recoveryTimeout: 1e9 }
const ofCalls = failureRate({ rate: 1, window: { calls: 100 } })
const ofTime = failureRate({ rate: 1, window: { ms: 10_000 }, minimumCalls: 1e9 })

export default {
  name: 'lazybreaker',
  packageName: 'lazybreaker',
  smallest: `export { CircuitBreaker } from ${JSON.stringify(fileURLToPath(entry))}`,
  costs: {
    consecutive: {
      config: 'the defaults: five failures in a row, no window',
      make: (setting) => new CircuitBreaker({ ...tripped, failureThreshold: setting === 'tripping' ? 1 : 1e9 }),
      call: (breaker, fn) => breaker.execute(fn),
      quiet: (breaker) => breaker.tryAcquire(),
      quietConfig: '`tryAcquire`',
      perKey: (count) => new BreakerRegistry({ maxSize: Math.max(1_000, count) }),
      alone: true,
    },
    count: {
      config: '`failureRate` over `{ calls: 100 }`',
      make: () => new CircuitBreaker({ ...tripped, trip: ofCalls }),
      call: (breaker, fn) => breaker.execute(fn),
      perKey: (count) => new BreakerRegistry({ maxSize: Math.max(1_000, count), trip: ofCalls }),
    },
    time: {
      config: '`failureRate` over `{ ms: 10_000 }`, 10 buckets',
      make: () => new CircuitBreaker({ ...tripped, trip: ofTime }),
      call: (breaker, fn) => breaker.execute(fn),
      perKey: (count) => new BreakerRegistry({ maxSize: Math.max(1_000, count), trip: ofTime }),
    },
  },

  options: ({ failures, rate, openFor, ignores, seesHangsAfter, recovery, clock }) => ({
    ...(rate ? { trip: failureRate({ rate: rate.rate, minimumCalls: rate.minimumCalls, window: windowOf(rate) }) } : { failureThreshold: failures }),
    recoveryTimeout: openFor,
    ...(ignores && { classifyError: (error) => (ignores(error) ? 'ignored' : 'failure') }),
    slowCallDuration: seesHangsAfter,
    probeTimeout: 1_000,
    ...(recovery && { recovery: recovery === 'ramp' ? gradual([{ ratio: 0.1, successThreshold: 1_000 }]) : recovery === 'default ramp' ? gradual() : probes(recovery) }),
    clock: clock === 'wall' ? { now: () => Date.now() } : clock,
  }),
  subject(options, { onOpen } = {}) {
    const breaker = new CircuitBreaker(options)
    if (onOpen) {
      breaker.observe({
        transition({ to }) {
          if (to === 'open') onOpen()
        },
      })
    }
    return {
      call: (fn, signal) => breaker.execute(fn, { signal }),
      state: () => breaker.state,
      refused: (error) => error?.code === 'ERR_CIRCUIT_OPEN',
      retryAfterMs: (error) => error.retryAfterMs,
      reset: () => breaker.reset(),
      takesSignal: true,
      timesOutBySignal: true,
      acquire: () => breaker.acquire(),
    }
  },
  registry: (options) => new BreakerRegistry(options),
  clock: () => new ManualClock(),
}

const windowOf = ({ kind, windowMs, size }) => (kind === 'count' ? { calls: size } : { ms: windowMs })
