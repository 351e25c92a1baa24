import { lookup } from 'node:dns/promises'
import { CircuitBreaker } from '../../src/index.js'

const resolver = new CircuitBreaker({
  name: 'dns',
  // That there is no such name is an answer.
  classifyError: (error) => ((error as NodeJS.ErrnoException).code === 'ENOTFOUND' ? 'success' : 'failure'),
})

// The same function, guarded: its parameters, its result, its errors.
export const guardedLookup = resolver.wrap((hostname: string) => lookup(hostname), {
  fallback: (_refusal, hostname) => ({ address: hostname === 'localhost' ? '127.0.0.1' : '0.0.0.0', family: 4 }),
})
