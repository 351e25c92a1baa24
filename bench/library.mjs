/** The built library, from this tree or from the folder named by LAZYBREAKER_DIST. */
import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'

export const dist = pathToFileURL(`${resolve(process.env.LAZYBREAKER_DIST ?? new URL('../dist', import.meta.url).pathname)}/`)
export const entry = new URL('index.js', dist)

const { CircuitBreaker, BreakerRegistry, consecutiveFailures, failureRate, singleProbe, probes, gradual, ManualClock } = await import(entry)
export { CircuitBreaker, BreakerRegistry, consecutiveFailures, failureRate, singleProbe, probes, gradual, ManualClock }
