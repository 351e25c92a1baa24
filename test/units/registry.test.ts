import { describe, expect, it } from 'vitest'
import { BreakerRegistry } from '../../src/index.js'
import { fail } from '../support/calls.js'
import { catchWarnings } from './warnings.js'

const warnings = catchWarnings()

const causeOf = (act: () => unknown): unknown => {
  try {
    act()
  } catch (error) {
    return (error as Error).cause
  }
  throw new Error('nothing was thrown')
}

describe('an error of configure', () => {
  it('is the cause of the one that names the key, be it thrown or found in the options (law 18)', () => {
    const fault = new Error('its own fault')
    const throwing = new BreakerRegistry({
      configure: () => {
        throw fault
      },
    })
    expect(causeOf(() => throwing.for('host'))).toBe(fault)
    const wrong = new BreakerRegistry({ configure: () => ({ probeTimeout: -1 }) })
    expect(causeOf(() => wrong.for('host'))).toMatchObject({ name: 'RangeError', message: 'probeTimeout: expected a finite number above 0, got -1' })
  })

  it('is one if it is asynchronous: that is said, and what it rejects with is nobody’s (laws 17 and 18)', async () => {
    const registry = new BreakerRegistry({ configure: () => Promise.reject(new Error('no settings')) as object })
    expect(() => registry.for('host')).toThrow('configure("host"): options: expected an object, got a promise')
    await Promise.resolve()
    expect(warnings()).toEqual(['configure threw: Error: no settings'])
  })
})

describe('a breaker that was never kept', () => {
  it('changes nothing of the one that is kept now under its key (law 21)', () => {
    const registry = new BreakerRegistry({ maxSize: 2, failureThreshold: 1 })
    for (const key of ['down', 'out']) fail(registry.for(key))
    const unkept = registry.for('a')
    for (const key of ['down', 'out']) registry.delete(key)
    for (const key of ['a', 'b']) registry.for(key)
    fail(unkept)
    expect(registry.get('a')?.state).toBe('closed')
    // The older of two that know nothing goes first, and that is still the same one.
    registry.for('c')
    expect(Array.from(registry, ([key]) => key)).toEqual(['b', 'c'])
  })
})
