import { describe, expect, it } from 'vitest'
import { checkFunctions, checkMethods, checkNames, refuse } from '../../../src/adapters/options.js'

describe('a value that breaks a rule (law 18)', () => {
  it('is out of range if it is a number where a number is wanted, else of the wrong type', () => {
    expect(() => refuse('maxSeries', 'a whole number of at least 1', 0)).toThrow(new RangeError('maxSeries: expected a whole number of at least 1, got 0'))
    expect(() => refuse('maxSeries', 'a whole number of at least 1', '7')).toThrow(new TypeError('maxSeries: expected a whole number of at least 1, got "7"'))
    expect(() => refuse('group', 'a function', 7)).toThrow(new TypeError('group: expected a function, got 7'))
  })
})

describe('options', () => {
  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    [[], 'an array'],
    ['fast', '"fast"'],
  ])('are an object: %o is not', (options, got) => {
    expect(() => { checkNames('instrument', options, ['prefix']) }).toThrow(new TypeError(`instrument: expected an object of options, got ${got}`))
  })

  it('have known names', () => {
    expect(() => { checkNames('instrument', { prefix: '' }, ['prefix', 'names']) }).not.toThrow()
    expect(() => { checkNames('instrument', { suffix: '' }, ['prefix', 'names']) }).toThrow(
      new TypeError('instrument: unknown option "suffix"; known are prefix, names'),
    )
  })

  it('that are functions may be left out, and are nothing else', () => {
    expect(() => { checkFunctions({ keyOf: () => 'a', classify: undefined }) }).not.toThrow()
    expect(() => { checkFunctions({ keyOf: () => 'a', classify: 'strict' }) }).toThrow(new TypeError('classify: expected a function, got "strict"'))
    expect(() => { checkFunctions({ keyOf: null }) }).toThrow(new TypeError('keyOf: expected a function, got null'))
  })
})

it('what is asked for its methods needs all of them', () => {
  const meter = { createHistogram: () => undefined, createObservableGauge: () => undefined }
  const names = Object.keys(meter)
  expect(() => { checkMethods('meter', 'a Meter', meter, names) }).not.toThrow()
  for (const given of [null, undefined, {}, { ...meter, createHistogram: true }, { createObservableGauge: () => undefined }]) {
    expect(() => { checkMethods('meter', 'a Meter', given, names) }).toThrow(/^meter: expected a Meter, got (null|undefined|an object)$/)
  }
})
