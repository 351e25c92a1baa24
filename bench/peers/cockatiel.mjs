import {
  CircuitState,
  ConsecutiveBreaker,
  CountBreaker,
  SamplingBreaker,
  TimeoutStrategy,
  circuitBreaker,
  handleAll,
  handleWhen,
  isBrokenCircuitError,
  timeout,
  wrap,
} from 'cockatiel'

const halfOpenAfter = 1e9
const call = (policy, fn) => policy.execute(fn)

export default {
  name: 'cockatiel',
  packageName: 'cockatiel',
  smallest: "export { circuitBreaker, ConsecutiveBreaker, handleAll } from 'cockatiel'",
  costs: {
    consecutive: {
      config: '`circuitBreaker(handleAll, …)`, `ConsecutiveBreaker`',
      make: (setting) => circuitBreaker(handleAll, { halfOpenAfter, breaker: new ConsecutiveBreaker(setting === 'tripping' ? 1 : Infinity) }),
      call,
    },
    count: {
      config: '`CountBreaker` of 100 calls',
      make: () => circuitBreaker(handleAll, { halfOpenAfter, breaker: new CountBreaker({ threshold: 0.999, size: 100 }) }),
      call,
    },
    time: {
      config: '`SamplingBreaker` over 10 s',
      make: () => circuitBreaker(handleAll, { halfOpenAfter, breaker: new SamplingBreaker({ threshold: 0.999, duration: 10_000, minimumRps: 1e9 }) }),
      call,
    },
  },

  options: ({ failures, rate, openFor }) => ({
    halfOpenAfter: openFor,
    breaker: rate ? windowOf(rate) : new ConsecutiveBreaker(failures),
  }),
  subject(options, { ignores, callTimeout, onOpen } = {}) {
    const breaker = circuitBreaker(ignores ? handleWhen((error) => !ignores(error)) : handleAll, options)
    const policy = callTimeout ? wrap(breaker, timeout(callTimeout, TimeoutStrategy.Aggressive)) : breaker
    if (onOpen) breaker.onBreak(onOpen)
    return {
      call: (fn, signal) => policy.execute(fn, signal),
      state: () => (breaker.state === CircuitState.Closed ? 'closed' : breaker.state === CircuitState.HalfOpen ? 'half-open' : 'open'),
      refused: isBrokenCircuitError,
      // It has no reset; releasing an isolation closes the circuit.
      reset: () => breaker.isolate().dispose(),
      takesSignal: true,
    }
  },
}

function windowOf({ rate, minimumCalls, kind, windowMs, size }) {
  if (kind === 'count') return new CountBreaker({ threshold: rate, size, minimumNumberOfCalls: minimumCalls })
  return new SamplingBreaker({ threshold: rate, duration: windowMs, minimumRps: minimumCalls / (windowMs / 1_000) })
}
