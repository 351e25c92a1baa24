import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { consecutiveFailures } from '../../src/index.js'
import { fail, ignore, manual, succeed } from '../support/calls.js'
import { tripLaws } from './laws.js'

tripLaws('consecutiveFailures(1)', () => consecutiveFailures(1), { failures: 1 })
tripLaws('consecutiveFailures(5)', () => consecutiveFailures(5), { failures: 5 })
tripLaws('consecutiveFailures(3), where calls may be slow', () => consecutiveFailures(3), { failures: 3, slowCallDuration: 100 })

describe('consecutiveFailures', () => {
  it('opens at the n-th failure of a run, for every order of outcomes (law 6)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(fc.constantFrom('fail', 'fail', 'succeed', 'ignore'), { maxLength: 60 }), (threshold, outcomes) => {
        const { breaker } = manual({ trip: consecutiveFailures(threshold) })
        let run = 0
        for (const outcome of outcomes) {
          if (outcome === 'fail') fail(breaker)
          else if (outcome === 'succeed') succeed(breaker)
          else ignore(breaker)
          if (outcome !== 'ignore') run = outcome === 'fail' ? run + 1 : 0
          if (run === threshold) {
            expect(breaker.snapshot()).toMatchObject({ state: 'open', reason: 'consecutive-failures' })
            return
          }
          expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: run })
        }
      }),
    )
  })

  it('does not care how far apart the failures are', () => {
    const { breaker, clock } = manual({ trip: consecutiveFailures(3) })
    for (let n = 0; n < 3; n++) {
      clock.advance(1e12)
      fail(breaker)
    }
    expect(breaker.state).toBe('open')
  })

  it.each([0, -1, 1.5, NaN, Infinity, '5', null, undefined, 2n])('refuses a threshold of %s, and says why (law 18)', (threshold) => {
    expect(() => consecutiveFailures(threshold as number)).toThrow(/consecutiveFailures: expected a whole number of at least 1, got/)
  })
})
