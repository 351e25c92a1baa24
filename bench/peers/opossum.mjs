import CircuitBreaker from 'opossum'

const lean = { timeout: false, rollingPercentilesEnabled: false, enableSnapshots: false }

export default {
  name: 'opossum',
  packageName: 'opossum',
  smallest: "export { default } from 'opossum'",
  costs: {
    time: {
      config: 'its one kind of window (10 s, 10 buckets); `timeout: false`, no percentiles, no snapshots',
      make: (setting) => new CircuitBreaker((fn) => fn(), { ...lean, resetTimeout: 1e9, errorThresholdPercentage: setting === 'tripping' ? 1 : 100 }),
      call: (breaker, fn) => breaker.fire(fn),
      beQuiet: (breaker) => breaker.fallback(() => undefined),
      quiet: (breaker) => breaker.fire(undefined),
      quietConfig: '`fallback`',
    },
  },

  options: ({ failures, rate, openFor, callTimeout = false, ignores }) => ({
    ...lean,
    timeout: callTimeout,
    resetTimeout: openFor,
    volumeThreshold: rate?.minimumCalls ?? failures,
    errorThresholdPercentage: (rate?.rate ?? 0.5) * 100,
    rollingCountTimeout: rate?.windowMs ?? 10_000,
    rollingCountBuckets: rate?.buckets ?? 10,
    ...(ignores && { errorFilter: ignores }),
  }),
  subject(options, { onOpen } = {}) {
    const breaker = new CircuitBreaker((fn) => fn(), options)
    if (onOpen) breaker.on('open', onOpen)
    return {
      call: (fn) => breaker.fire(fn),
      state: () => (breaker.opened ? 'open' : breaker.halfOpen ? 'half-open' : 'closed'),
      refused: (error) => error?.code === 'EOPENBREAKER',
      reset: () => breaker.close(),
    }
  },
}
