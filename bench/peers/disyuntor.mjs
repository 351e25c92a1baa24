import disyuntor from 'disyuntor'

const { Disyuntor } = disyuntor

export default {
  name: 'disyuntor',
  packageName: 'disyuntor',
  smallest: "export { Disyuntor } from 'disyuntor'",
  costs: {
    consecutive: {
      config: '`maxFailures`, `timeout: false`',
      make: (setting) => new Disyuntor({ name: 'measured', timeout: false, maxFailures: setting === 'tripping' ? 1 : Infinity, cooldown: 1e9, maxCooldown: 1e9 }),
      call: (breaker, fn) => breaker.protect(fn),
    },
  },

  options: ({ failures, openFor, callTimeout = false, ignores, onOpen }) => ({
    name: 'tried',
    timeout: callTimeout,
    maxFailures: failures,
    cooldown: openFor,
    maxCooldown: openFor,
    ...(ignores && { trigger: (error) => !ignores(error) }),
    ...(onOpen && { onTrip: onOpen }),
  }),
  subject(options) {
    const breaker = new Disyuntor(options)
    return {
      call: (fn) => breaker.protect(fn),
      state: () => ({ closed: 'closed', open: 'open', 'half open': 'half-open' })[breaker.state],
      refused: (error) => error?.reason === 'open',
      reset: () => breaker.reset(),
      consecutiveOnly: true,
    }
  },
}
