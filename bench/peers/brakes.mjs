import Brakes from 'brakes'
import { NEVER } from './index.mjs'

const lean = { isPromise: true, registerGlobal: false, modifyError: false, timeout: NEVER }

export default {
  name: 'brakes',
  packageName: 'brakes',
  smallest: "export { default } from 'brakes'",
  costs: {
    time: {
      config: 'its one kind of window (10 s, 10 buckets), not registered globally; a timer per call, and two intervals, cannot be had off',
      make(setting) {
        const trip = setting === 'tripping' ? { threshold: 1, waitThreshold: 0 } : { threshold: 0 }
        return new Brakes((fn) => fn(), { ...lean, bucketSpan: 1_000, bucketNum: 10, circuitDuration: 1e9, ...trip })
      },
      call: (brake, fn) => brake.exec(fn),
      beQuiet: (brake) => brake.fallback(() => Promise.resolve(), true),
      quiet: (brake) => brake.exec(undefined),
      quietConfig: '`fallback`',
    },
  },

  options: ({ failures, rate, openFor, callTimeout = NEVER, ignores }) => ({
    ...lean,
    timeout: callTimeout,
    circuitDuration: openFor,
    waitThreshold: (rate?.minimumCalls ?? failures) - 1,
    // The share of successes that is still good: below it, it opens.
    threshold: 1 - (rate?.rate ?? 0.5),
    bucketSpan: (rate?.windowMs ?? 10_000) / (rate?.buckets ?? 10),
    bucketNum: rate?.buckets ?? 10,
    ...(ignores && { isFailure: (error) => !ignores(error) }),
  }),
  subject(options, { onOpen } = {}) {
    const brake = new Brakes((fn) => fn(), options)
    if (onOpen) brake.on('circuitOpen', onOpen)
    return {
      call: (fn) => brake.exec(fn),
      state: () => (brake.isOpen() ? 'open' : 'closed'),
      refused: (error) => error?.constructor.name === 'CircuitBrokenError',
      lacksHalfOpen: 'closes by timer, no probe',
    }
  },
}
