import breakers from '@bennadel/circuit-breaker'
import { NEVER } from './index.mjs'

const { CircuitBreakerFactory } = breakers

export default {
  name: 'bennadel',
  packageName: '@bennadel/circuit-breaker',
  smallest: "export { CircuitBreakerFactory } from '@bennadel/circuit-breaker'",
  costs: {
    time: {
      config: 'its one kind of window (10 buckets of 1 s); a timer per call cannot be had off',
      make(setting) {
        const trip = setting === 'tripping' ? { volumeThreshold: 1, failureThreshold: 1, bucketDuration: 1e8 } : { failureThreshold: 101, bucketDuration: 1_000 }
        return CircuitBreakerFactory.create({ requestTimeout: NEVER, bucketCount: 10, ...trip })
      },
      call: (breaker, fn) => breaker.execute(fn),
      quiet: (breaker) => breaker.execute(undefined, null),
      quietConfig: '`fallback`',
    },
  },

  options: ({ failures, rate, openFor, callTimeout = NEVER, ignores, onOpen, seesHangsAfter, inFlight }) => ({
    requestTimeout: callTimeout,
    volumeThreshold: rate?.minimumCalls ?? failures,
    failureThreshold: (rate?.rate ?? 0.5) * 100,
    activeThreshold: seesHangsAfter ? inFlight - 1 : 1e9,
    bucketCount: rate?.buckets ?? 10,
    // The window is the time it stays open, too.
    bucketDuration: (rate?.windowMs ?? openFor) / (rate?.buckets ?? 10),
    ...(ignores && { isFailure: (error) => !ignores(error) }),
    ...(onOpen && {
      monitor(event) {
        if (event === 'opened') onOpen()
      },
    }),
  }),
  subject(options) {
    const breaker = CircuitBreakerFactory.create(options)
    return {
      call: (fn) => breaker.execute(fn),
      // Half-open has no name of its own here.
      state: () => (breaker.isOpened() ? 'open' : 'closed'),
      refused: (error) => error?.constructor.name === 'OpenError',
      unnamedHalfOpen: true,
    }
  },
}
