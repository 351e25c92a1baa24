import { describe, expect, it } from 'vitest'
import type { Trip } from '../../../src/index.js'
import { countsOf, fold, isFresh, reasonToOpen } from '../../../src/trip/fold.js'
import { fail, manual, succeed } from '../../support/calls.js'
import { catchWarnings } from '../warnings.js'

const warnings = catchWarnings()

/** A trip that opens never, with the parts that a test needs. */
function tripOf(parts: Partial<Trip<unknown>>): Trip<unknown> {
  const keep = (memory: unknown) => memory
  return { needsTime: false, fresh: () => 0, success: keep, failure: keep, trips: () => undefined, counts: () => ({ failures: 0 }), ...parts }
}

const throwing = (what: string) => (): never => {
  throw new Error(what)
}

describe('a trip that throws', () => {
  it('leaves the memory that was, and says so (law 17)', () => {
    expect(fold(tripOf({ failure: throwing('cannot count') }), 3, 'failure', false, NaN)).toBe(3)
    expect(reasonToOpen(tripOf({ trips: throwing('cannot judge') }), 3, NaN)).toBeUndefined()
    expect(countsOf(tripOf({ counts: throwing('cannot tell') }), 3, NaN)).toEqual({ failures: 0 })
    expect(isFresh(tripOf({ fresh: throwing('cannot begin') }), 3, NaN)).toBe(false)
    expect(warnings()).toEqual([
      'trip threw: Error: cannot count',
      'trip.trips threw: Error: cannot judge',
      'trip.counts threw: Error: cannot tell',
      'trip.fresh threw: Error: cannot begin',
    ])
  })
})

describe('a trip that gives nonsense', () => {
  it('opens nothing by it, and has counted nothing (law 17)', () => {
    expect(reasonToOpen(tripOf({ trips: () => true as never }), 3, NaN)).toBeUndefined()
    expect(countsOf(tripOf({ counts: () => ({ failures: -1 }) }), 3, NaN)).toEqual({ failures: 0 })
    expect(countsOf(tripOf({ counts: () => ({ failures: 1, calls: NaN }) }), 3, NaN)).toEqual({ failures: 0 })
    expect(countsOf(tripOf({ counts: () => ({ failures: 1, slowCalls: '2' as never }) }), 3, NaN)).toEqual({ failures: 0 })
    expect(warnings()).toEqual([
      'trip.trips returned true, which is not a valid answer; its default is used',
      'trip.counts returned an object, which is not a valid answer; its default is used',
    ])
  })

  it('such as a promise, keeps the memory that was (law 17)', () => {
    expect(fold(tripOf({ failure: () => Promise.resolve(1) }), 3, 'failure', false, NaN)).toBe(3)
    expect(warnings()).toEqual(['trip returned a promise, which is not a valid answer; its default is used'])
  })
})

describe('a sound trip', () => {
  it('warns nobody, whether or not there is a reason to open', () => {
    const { breaker } = manual({ trip: tripOf({ trips: (memory) => (memory === 2 ? 'two' : undefined), failure: (memory) => (memory as number) + 1 }) })
    fail(breaker)
    succeed(breaker)
    expect(breaker.state).toBe('closed')
    fail(breaker)
    expect(breaker.snapshot()).toMatchObject({ state: 'open', reason: 'two' })
    expect(warnings()).toEqual([])
  })

  it('may remember null, and may forget all by giving nothing', () => {
    const nothing = tripOf({ fresh: () => null, success: () => null, failure: () => undefined })
    expect(fold(nothing, undefined, 'success', false, NaN)).toBeNull()
    expect(fold(nothing, null, 'failure', false, NaN)).toBeUndefined()
    expect(warnings()).toEqual([])
  })

  it('shows only what it counts: no key that has no value (law 15)', () => {
    expect(Object.entries(countsOf(tripOf({ counts: () => ({ failures: 1 }) }), 3, NaN))).toEqual([['failures', 1]])
    const rich = tripOf({ counts: () => ({ failures: 1, calls: 0, slowCalls: 0, more: 5 }) })
    expect(Object.entries(countsOf(rich, 3, NaN))).toEqual([
      ['failures', 1],
      ['calls', 0],
      ['slowCalls', 0],
    ])
  })
})

describe('a memory that holds nothing', () => {
  const seeing = (counts: { failures: number; calls?: number; slowCalls?: number }) => isFresh(tripOf({ counts: () => counts }), {}, NaN)

  it('is one that counts nothing of any kind (law 20)', () => {
    expect(seeing({ failures: 0 })).toBe(true)
    expect(seeing({ failures: 0, calls: 0, slowCalls: 0 })).toBe(true)
    expect(seeing({ failures: 1 })).toBe(false)
    expect(seeing({ failures: 0, calls: 1 })).toBe(false)
    expect(seeing({ failures: 0, calls: 0, slowCalls: 1 })).toBe(false)
  })

  it('is, of numbers, the one that a fresh trip has, whatever it counts (law 20)', () => {
    const from = tripOf({ fresh: () => 100 })
    expect(isFresh(from, undefined, NaN)).toBe(true)
    expect(isFresh(from, 100, NaN)).toBe(true)
    expect(isFresh(from, 99, NaN)).toBe(false)
  })
})
