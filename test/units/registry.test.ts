import { describe, expect, it } from 'vitest'
import { BreakerRegistry } from '../../src/index.js'

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
})
