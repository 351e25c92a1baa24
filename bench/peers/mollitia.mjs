import { Circuit, SlidingCountBreaker, SlidingTimeBreaker, Timeout } from 'mollitia'

const never = { openStateDelay: 1e9, slowCallDurationThreshold: 0 }
const circuit = (breaker) => new Circuit({ func: (fn) => fn(), options: { modules: [breaker] } })
const call = (made, fn) => made.execute(fn)

/** A rate of 100 switches its judging off, so that failures are counted and never open. */
const setting = (which) => (which === 'tripping' ? { failureRateThreshold: 1, minimumNumberOfCalls: 1 } : { failureRateThreshold: 100 })

export default {
  name: 'mollitia',
  packageName: 'mollitia',
  smallest: "export { Circuit, SlidingCountBreaker } from 'mollitia'",
  costs: {
    count: {
      config: '`SlidingCountBreaker` of 100 calls, slow calls not looked at',
      make: (which) => circuit(new SlidingCountBreaker({ ...never, slidingWindowSize: 100, ...setting(which) })),
      call,
    },
    time: {
      config: '`SlidingTimeBreaker` over 10 s, slow calls not looked at',
      make: (which) => circuit(new SlidingTimeBreaker({ ...never, slidingWindowSize: 10_000, ...setting(which) })),
      call,
    },
  },

  options: ({ failures, rate, openFor, ignores, seesHangsAfter }) => ({
    openStateDelay: openFor,
    permittedNumberOfCallsInHalfOpenState: 1,
    failureRateThreshold: (rate?.rate ?? 0.5) * 100,
    minimumNumberOfCalls: rate?.minimumCalls ?? failures,
    slidingWindowSize: rate ? (rate.kind === 'time' ? rate.windowMs : rate.size) : failures,
    ...(ignores && { onError: (error) => !ignores(error) }),
    ...(seesHangsAfter && { slowCallDurationThreshold: seesHangsAfter, slowCallRateThreshold: 1 }),
  }),
  subject(options, { rate, callTimeout, onOpen } = {}) {
    const breaker = rate?.kind === 'time' ? new SlidingTimeBreaker(options) : new SlidingCountBreaker(options)
    const modules = callTimeout ? [breaker, new Timeout({ delay: callTimeout })] : [breaker]
    const made = new Circuit({ func: (fn) => fn(), options: { modules } })
    if (onOpen) {
      breaker.on('state-changed', (state) => {
        if (state === 'opened') onOpen()
      })
    }
    return {
      call: (fn) => made.execute(fn),
      state: () => ({ opened: 'open', 'half-opened': 'half-open', closed: 'closed' })[breaker.state],
      refused: (error) => error?.message === 'Circuit is opened' || error?.message === 'Max allowed requests reached',
      reset: () => void breaker.close(),
    }
  },
}
