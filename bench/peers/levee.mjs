import levee from 'levee'
import { NEVER } from './index.mjs'

const toCallback = (fn, callback) => {
  fn().then((value) => callback(null, value), callback)
}

/** It takes and gives callbacks; this is the least that makes a promise of it. */
const call = (breaker, fn) =>
  new Promise((resolve, reject) => {
    breaker.run(fn, (error, value) => {
      if (error) reject(error)
      else resolve(value)
    })
  })

export default {
  name: 'levee',
  packageName: 'levee',
  smallest: "export { createBreaker } from 'levee'",
  costs: {
    consecutive: {
      config: '`maxFailures`, a promise made around its callbacks; a timer per call cannot be had off',
      make: (setting) => levee.createBreaker(toCallback, { maxFailures: setting === 'tripping' ? 1 : Infinity, timeout: NEVER, resetTimeout: 1e9 }),
      call,
    },
  },

  options: ({ failures, openFor, callTimeout = NEVER, ignores }) => ({
    maxFailures: failures,
    timeout: callTimeout,
    resetTimeout: openFor,
    ...(ignores && { isFailure: (error) => !ignores(error) }),
  }),
  subject(options, { onOpen } = {}) {
    const breaker = levee.createBreaker(toCallback, options)
    if (onOpen) breaker.on('open', onOpen)
    return {
      call: (fn) => call(breaker, fn),
      state: () => (breaker.isOpen() ? 'open' : breaker.isHalfOpen() ? 'half-open' : 'closed'),
      refused: (error) => error?.message === 'Command not available.',
      reset: () => breaker.close(),
      callbacks: true,
      consecutiveOnly: true,
    }
  },
}
