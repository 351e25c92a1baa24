import { describe, expect, it } from 'vitest'
import { failureRate, type Classify } from '../../src/index.js'
import { fail, manual, rejectionOf, tripped } from '../support/calls.js'
import { catchWarnings } from './warnings.js'

const warnings = catchWarnings()
const counting = () => failureRate({ rate: 1, window: { calls: 10 } })
const nonsense = (name: string, shown: string) =>
  `${name} returned ${shown}; expected 'success', 'failure', 'ignored' or { openFor: ms }, so its default is used`
const saying = (verdict: unknown) => (() => verdict) as Classify<unknown>

async function errorJudged(verdict: unknown) {
  const { breaker } = manual({ trip: counting(), classifyError: saying(verdict) })
  await rejectionOf(breaker.execute(() => Promise.reject(new Error('it failed'))))
  return breaker.snapshot()
}

async function resultJudged(verdict: unknown) {
  const { breaker } = manual({ trip: counting(), classifyResult: saying(verdict) })
  await breaker.execute(() => 'a result')
  return breaker.snapshot()
}

describe('what a classifier says', () => {
  it('counts as it is said, and warns nobody (law 8)', async () => {
    expect(await errorJudged('success')).toMatchObject({ failures: 0, calls: 1 })
    expect(await errorJudged('failure')).toMatchObject({ failures: 1, calls: 1 })
    expect(await errorJudged('ignored')).toMatchObject({ failures: 0, calls: 0 })
    expect(await resultJudged('success')).toMatchObject({ failures: 0, calls: 1 })
    expect(await resultJudged('failure')).toMatchObject({ failures: 1, calls: 1 })
    expect(await resultJudged('ignored')).toMatchObject({ failures: 0, calls: 0 })
    expect(await resultJudged({ openFor: 5_000 })).toMatchObject({ state: 'open', reason: 'open-for', retryAfterMs: 5_000 })
    expect(warnings()).toEqual([])
  })

  it('is the default if it says nothing: an error failed, a result is a success, and nobody is warned', async () => {
    expect(await errorJudged(undefined)).toMatchObject({ failures: 1, calls: 1 })
    expect(await resultJudged(undefined)).toMatchObject({ failures: 0, calls: 1 })
    expect(warnings()).toEqual([])
  })

  it('is the default for a probe too: silence about an error loses the recovery, silence about a result closes (law 14)', async () => {
    const { breaker, clock } = tripped({ classifyError: saying(undefined), classifyResult: saying(undefined) })
    clock.advance(1_000)
    await rejectionOf(breaker.execute(() => Promise.reject(new Error('it failed'))))
    expect(breaker.snapshot()).toMatchObject({ state: 'open', reason: 'probe-failed' })
    clock.advance(1_000)
    await breaker.execute(() => 'a result')
    expect(breaker.state).toBe('closed')
  })

  it.each([
    ['a word that is none of the three', 'succes', '"succes"'],
    ['true', true, 'true'],
    ['null', null, 'null'],
    ['a number', 7, '7'],
    ['an object without openFor', { open: 5 }, 'an object'],
    ['openFor of no time', { openFor: NaN }, 'an object'],
    ['openFor of a time that is past', { openFor: -1 }, 'an object'],
    ['openFor of text', { openFor: '5' }, 'an object'],
  ])('is the default if it is %s (law 17)', async (_, verdict, shown) => {
    expect(await errorJudged(verdict)).toMatchObject({ state: 'closed', failures: 1, calls: 1 })
    expect(await resultJudged(verdict)).toMatchObject({ state: 'closed', failures: 0, calls: 1 })
    for (const warning of warnings()) expect([nonsense('classifyError', shown), nonsense('classifyResult', shown)]).toContain(warning)
  })

  it('is shown by a warning if it is nonsense, and so is what a classifier throws: which of the two it was, and what it may say (law 17)', async () => {
    await errorJudged(Symbol('no'))
    await resultJudged(Symbol('maybe'))
    const { breaker } = manual({
      trip: counting(),
      classifyResult: () => {
        throw new Error('its own fault')
      },
    })
    expect(await breaker.execute(() => 'a result')).toBe('a result')
    expect(breaker.snapshot()).toMatchObject({ failures: 0, calls: 1 })
    expect(warnings()).toEqual([
      nonsense('classifyError', 'Symbol(no)'),
      nonsense('classifyResult', 'Symbol(maybe)'),
      'classifyResult threw: Error: its own fault',
    ])
  })
})

describe('a call that its caller gave up', () => {
  const aborting = (reason: () => unknown) => {
    const signal = {
      aborted: false,
      get reason() {
        return reason()
      },
    }
    const { breaker } = manual()
    const permit = breaker.acquire({ signal })
    signal.aborted = true
    permit.failure(new Error('cut short'))
    return breaker.state
  }

  it('is no evidence, whatever its reason is, even one that cannot be read (law 8)', () => {
    expect(aborting(() => new DOMException('stop', 'AbortError'))).toBe('closed')
    expect(aborting(() => undefined)).toBe('closed')
    expect(aborting(() => null)).toBe('closed')
    expect(
      aborting(() => {
        throw new Error('not to be read')
      }),
    ).toBe('closed')
  })

  it('is evidence if it was a deadline that the host missed', () => {
    expect(aborting(() => new DOMException('too late', 'TimeoutError'))).toBe('open')
  })

  it('is not what a signal that has not fired says', () => {
    const { breaker } = manual()
    const permit = breaker.acquire({ signal: new AbortController().signal })
    permit.failure(new Error('it failed'))
    expect(breaker.state).toBe('open')
    expect(() => fail(breaker)).toThrow(/refused/)
  })
})
