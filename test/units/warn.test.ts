// Where warnings go, how many there are, and how they show a value.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type * as Warn from '../../src/warn.js'

// It says each thing once a process: each test gets one that has said nothing yet.
let library: typeof Warn
beforeEach(async () => {
  vi.resetModules()
  library = await import('../../src/warn.js')
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function heard() {
  const told: unknown[][] = []
  vi.spyOn(process, 'emitWarning').mockImplementation((...said: unknown[]) => void told.push(said))
  return told
}

describe('a warning (law 17)', () => {
  it('goes to process.emitWarning, under the name of this library', () => {
    const told = heard()
    library.warn('a listener threw')
    expect(told).toEqual([['a listener threw', 'LazybreakerWarning']])
  })

  it.each([
    ['is no process', undefined],
    ['is one without emitWarning', {}],
    ['is one whose emitWarning is no function', { emitWarning: 'never' }],
  ])('goes to console.warn where there %s', (_, process) => {
    const warn = vi.fn()
    vi.stubGlobal('process', process)
    vi.stubGlobal('console', { warn })
    library.warn('a listener threw')
    expect(warn.mock.calls).toEqual([['LazybreakerWarning: a listener threw']])
  })

  it.each([
    ['no console', undefined],
    ['a console without warn', {}],
    [
      'a console that throws',
      {
        warn: () => {
          throw new Error('closed')
        },
      },
    ],
  ])('harms nobody where there is %s either', (_, console) => {
    vi.stubGlobal('process', undefined)
    vi.stubGlobal('console', console)
    expect(() => {
      library.warn('a listener threw')
    }).not.toThrow()
  })

  it('is said once, and of different ones a hundred', () => {
    const told = heard()
    for (let turn = 0; turn < 2; turn++) for (let n = 1; n <= 101; n++) library.warn(`number ${String(n)}`)
    expect(told).toHaveLength(100)
    expect(told.at(-1)?.[0]).toBe('number 100')
  })

  it('about an answer that is none says what was expected, if there is a word for it', () => {
    const told = heard()
    library.warnNonsense('random', 'x')
    library.warnNonsense('classifyError', false, 'a verdict')
    expect(told.map(([message]) => message)).toEqual([
      'random returned "x", which is not a valid answer; its default is used',
      'classifyError returned false; expected a verdict, so its default is used',
    ])
  })
})

describe('a promise where none belongs (law 17)', () => {
  it('that rejects is a warning, not an unhandled rejection', async () => {
    const told = heard()
    library.defuse('a listener', Promise.reject(new Error('too late')))
    library.warnNonsense('random', Promise.reject(new Error('no chance')))
    await Promise.resolve()
    expect(told.map(([message]) => message)).toEqual([
      'random returned a promise, which is not a valid answer; its default is used',
      'a listener threw: Error: too late',
      'random threw: Error: no chance',
    ])
  })

  it.each([undefined, null, 5, 'text', {}, { then: 'later' }])('is not what %o is', (value) => {
    const told = heard()
    library.defuse('a listener', value)
    expect(told).toEqual([])
  })

  it('that cannot be looked at is a warning, and so is one that throws when it is listened to', () => {
    const told = heard()
    const at = (then: PropertyDescriptor) => Object.defineProperty({}, 'then', then)
    library.defuse('one', at({ get: () => thrown('no entry') }))
    library.defuse('another', at({ value: () => thrown('no ear') }))
    expect(told.map(([message]) => message)).toEqual(['one threw: Error: no entry', 'another threw: Error: no ear'])
  })
})

function thrown(message: string): never {
  throw new Error(message)
}

describe('a value in a message', () => {
  it.each<[unknown, string]>([
    ['text', '"text"'],
    ['a "quoted"\nline', String.raw`"a \"quoted\"\nline"`],
    ['x'.repeat(60), `"${'x'.repeat(60)}"`],
    ['x'.repeat(61), `"${'x'.repeat(60)}…"`],
    [5, '5'],
    [-0, '-0'],
    [0, '0'],
    [NaN, 'NaN'],
    [10n, '10n'],
    [true, 'true'],
    [null, 'null'],
    [undefined, 'undefined'],
    [Symbol('s'), 'Symbol(s)'],
    [[1, 2], 'an array'],
    [{ a: 1 }, 'an object'],
    [Promise.resolve(1), 'a promise'],
    [{ then: () => 1 }, 'a promise'],
    [{ then: 1 }, 'an object'],
    [(() => () => 1)(), 'a function'],
    [function fetchUser() {}, 'the function fetchUser'],
    [new TypeError('wrong'), 'TypeError: wrong'],
    [new Error('x'.repeat(300)), `Error: ${'x'.repeat(193)}`],
  ])('%# is shown short, and so that it is known again', (value, shown) => {
    expect(library.describe(value)).toBe(shown)
  })

  it('that cannot be looked at is called what it is', () => {
    const object = Proxy.revocable({}, {})
    const method = Proxy.revocable(() => 1, {})
    object.revoke()
    method.revoke()
    expect(library.describe(object.proxy)).toBe('a hostile object')
    expect(library.describe(method.proxy)).toBe('a hostile function')
  })
})
