import { describe, expect, it } from 'vitest'
import { anyOf, consecutiveFailures, failureRate, type Trip } from '../../../src/index.js'
import { manual } from '../../support/calls.js'
import { catchWarnings } from '../warnings.js'

const warnings = catchWarnings()

/** A trip that shows these numbers, whatever happens. */
function showing(counts: { failures: number; calls?: number; slowCalls?: number }): Trip<number> {
  const keep = (memory: number) => memory
  return { needsTime: false, fresh: () => 0, success: keep, failure: keep, trips: () => undefined, counts: () => counts }
}

const shown = (...counts: { failures: number; calls?: number; slowCalls?: number }[]) => {
  const trip = anyOf(...counts.map(showing))
  return trip.counts(trip.fresh(), NaN)
}

describe('the numbers of anyOf', () => {
  it('are those of the member with more failures, whatever calls it has seen', () => {
    expect(shown({ failures: 2, calls: 2 }, { failures: 1, calls: 9 })).toStrictEqual({ failures: 2, calls: 2 })
    expect(shown({ failures: 1, calls: 9 }, { failures: 2, calls: 2 })).toStrictEqual({ failures: 2, calls: 2 })
  })

  it('are, of equal failures, those of the member that has seen more calls', () => {
    expect(shown({ failures: 1, calls: 9 }, { failures: 1, calls: 2 })).toStrictEqual({ failures: 1, calls: 9 })
    expect(shown({ failures: 1, calls: 2 }, { failures: 1, calls: 9 })).toStrictEqual({ failures: 1, calls: 9 })
    expect(shown({ failures: 1 }, { failures: 1, calls: 2 })).toStrictEqual({ failures: 1, calls: 2 })
    expect(shown({ failures: 1, calls: 2 }, { failures: 1 })).toStrictEqual({ failures: 1, calls: 2 })
  })

  it('are, of the same failures and calls, those of the first', () => {
    expect(shown({ failures: 0, calls: 0 }, { failures: 0 })).toStrictEqual({ failures: 0, calls: 0 })
  })

  it('tell of slow calls what the member knows that has seen most of them, and nothing if none weighs them', () => {
    expect(shown({ failures: 2 }, { failures: 1, calls: 3, slowCalls: 2 })).toStrictEqual({ failures: 2, slowCalls: 2 })
    expect(shown({ failures: 1, slowCalls: 2 }, { failures: 2 })).toStrictEqual({ failures: 2, slowCalls: 2 })
    expect(shown({ failures: 2, slowCalls: 1 }, { failures: 1, slowCalls: 4 })).toStrictEqual({ failures: 2, slowCalls: 4 })
    expect(shown({ failures: 1, slowCalls: 4 }, { failures: 2, slowCalls: 1 })).toStrictEqual({ failures: 2, slowCalls: 4 })
    expect(Object.keys(shown({ failures: 1 }, { failures: 2 }))).toEqual(['failures'])
  })
})

describe('a member of anyOf', () => {
  it('that does not weigh slow calls is not asked about them, and nobody is warned', () => {
    const { breaker, clock } = manual({ trip: anyOf(consecutiveFailures(1), failureRate({ rate: 1, slowCallRate: 1, window: { calls: 9 } })), slowCallDuration: 100 })
    breaker.acquire()
    clock.advance(100)
    breaker.acquire()
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 0, slowCalls: 1 })
    expect(warnings()).toEqual([])
  })

  it('whose slow is no function is an error that says so (law 18)', () => {
    const trip = { ...consecutiveFailures(1), slow: true } as unknown as Trip<unknown>
    expect(() => anyOf(consecutiveFailures(2), trip)).toThrow('anyOf[1].slow: expected a function, got true')
  })
})
