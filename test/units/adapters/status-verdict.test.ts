import { describe, expect, it, vi } from 'vitest'
import { CircuitBreaker } from '../../../src/index.js'
import { classified, report, statusVerdict } from '../../../src/adapters/status-verdict.js'
import { Ledger } from '../../support/outcomes.js'
import { catchWarnings } from '../warnings.js'

describe('what a status says', () => {
  const warnings = catchWarnings()

  it('is asked of nobody where there is no classify, or no status', () => {
    const classify = vi.fn()
    expect(classified(undefined, 500)).toBeUndefined()
    expect(classified(classify, undefined)).toBeUndefined()
    expect(classify).not.toHaveBeenCalled()
    expect(statusVerdict(classify, undefined)).toBe('success')
    expect(statusVerdict(undefined, 500)).toBe('failure')
    expect(warnings()).toEqual([])
  })

  it.each(['success', 'failure', 'ignored', undefined, { openFor: 0 }, { openFor: 1_000 }])('may be %o', (said) => {
    expect(classified(() => said, 200)).toEqual(said)
    expect(warnings()).toEqual([])
  })

  it.each([{ openFor: '5' }, { openFor: Infinity }, { openFor: -1 }, { openFor: NaN }, {}, 'failed', null])('is not %o, of which is warned (law 17)', (said) => {
    expect(classified(() => said, 200)).toBeUndefined()
    expect(warnings().length).toBeLessThanOrEqual(1)
  })
})

it('a failure is reported with what went wrong, or with the status, and opens for as long as it is said', () => {
  const wrong = new Error('reset')
  const reported = (...args: Parameters<typeof report> extends [unknown, ...infer Rest] ? Rest : never) => {
    const breaker = new CircuitBreaker({ failureThreshold: 5, recoveryTimeout: 1_000 })
    const { settled, transitions } = new Ledger(breaker)
    report(breaker.acquire(), ...args)
    return [settled[0]?.outcome, (settled[0]?.error as Error | undefined)?.message, transitions[0]?.recoveryTimeout]
  }
  expect(reported('failure', 503)).toEqual(['failure', 'The host answered with status 503', undefined])
  expect(reported('failure', 503, wrong)).toEqual(['failure', 'reset', undefined])
  expect(reported({ openFor: 9_000 }, 503)).toEqual(['failure', 'The host answered with status 503', 9_000])
  expect(reported('ignored', 429, wrong)).toEqual(['ignored', undefined, undefined])
  expect(reported('success', 200)).toEqual(['success', undefined, undefined])
})
