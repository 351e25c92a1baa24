import CircuitBreaker from 'circuit-breaker-js'
import { NEVER } from './index.mjs'

const refusal = new Error('refused')

/** It takes a command that calls back and returns nothing; this is the least that makes a promise of it. */
const call = (breaker, fn) =>
  new Promise((resolve, reject) => {
    breaker.run(
      (success, failure) => {
        fn().then(
          (value) => {
            success()
            resolve(value)
          },
          (error) => {
            failure()
            reject(error)
          },
        )
      },
      () => reject(refusal),
    )
  })

export default {
  name: 'circuit-breaker-js',
  packageName: 'circuit-breaker-js',
  smallest: "export { default } from 'circuit-breaker-js'",
  costs: {
    time: {
      config:
        'its one kind of window (10 s, 10 buckets), a promise made around its callbacks; a timer per call, and an interval, cannot be had off; it has no error for a refusal, so that one is made once and for all',
      make: (setting) =>
        new CircuitBreaker({
          timeoutDuration: NEVER,
          ...(setting === 'tripping' ? { windowDuration: 1e9, volumeThreshold: 0.5, errorThreshold: 1 } : { windowDuration: 10_000, errorThreshold: 100 }),
        }),
      call,
      quiet: (breaker) => breaker.run(undefined, () => undefined),
      quietConfig: 'its fallback callback',
    },
  },

  options: ({ failures, rate, openFor, callTimeout = NEVER, onOpen }) => ({
    windowDuration: rate?.windowMs ?? openFor,
    numBuckets: rate?.buckets ?? 10,
    timeoutDuration: callTimeout,
    // Opens above these, and takes 0 for "not given".
    errorThreshold: (rate?.rate ?? 0.5) * 100,
    volumeThreshold: (rate?.minimumCalls ?? failures) - 0.5,
    ...(onOpen && { onCircuitOpen: onOpen }),
  }),
  subject(options) {
    const breaker = new CircuitBreaker(options)
    return {
      call: (fn) => call(breaker, fn),
      state: () => ['open', 'half-open', 'closed'][breaker._state],
      refused: (error) => error === refusal,
      // Unforcing restores what was there before the last force, so two of them forget the outage.
      reset() {
        breaker.forceClose()
        breaker.forceClose()
        breaker.unforce()
      },
      callbacks: true,
      lacksFilter: 'a command says success or failure',
    }
  },
}
