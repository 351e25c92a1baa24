import { afterEach, beforeEach, describe as group, expect, it, vi } from 'vitest'
import { describe } from '../../../src/adapters/warning.js'
import { catchWarnings } from '../warnings.js'

group('a warning', () => {
  const warnings = catchWarnings()
  let warn: (message: string) => void

  beforeEach(async () => {
    vi.resetModules()
    warn = (await import('../../../src/adapters/warning.js')).warn
  })
  afterEach(() => { vi.unstubAllGlobals() })

  it('is said once, as one of this library, and a hundred different ones at most (law 17)', () => {
    warn('group threw')
    warn('group threw')
    expect(vi.mocked(process.emitWarning).mock.calls).toEqual([['group threw', 'LazybreakerWarning']])
    for (let n = 1; n < 200; n++) warn(`group threw ${String(n)}`)
    expect(warnings()).toHaveLength(100)
    expect(warnings().at(-1)).toBe('group threw 99')
  })

  it.each([
    ['no process', undefined],
    ['a process that emits no warnings', {}],
  ])('goes to the console where there is %s', (_, process) => {
    const said = vi.fn()
    vi.stubGlobal('process', process)
    vi.stubGlobal('console', { warn: said })
    warn('group threw')
    vi.unstubAllGlobals()
    expect(said.mock.calls).toEqual([['LazybreakerWarning: group threw']])
    expect(warnings()).toEqual([])
  })

  it('that cannot be given to anybody costs its caller nothing', () => {
    vi.mocked(process.emitWarning).mockImplementation(() => {
      throw new Error('no warnings, please')
    })
    expect(() => { warn('group threw') }).not.toThrow()
    vi.stubGlobal('process', undefined)
    vi.stubGlobal('console', undefined)
    expect(() => { warn('group threw again') }).not.toThrow()
  })
})

group('a value in a message', () => {
  const hostile = {
    get [Symbol.toStringTag]() {
      throw new Error('no')
    },
  }

  it.each<[unknown, string]>([
    ['a "host"', String.raw`"a \"host\""`],
    ['x'.repeat(60), `"${'x'.repeat(60)}"`],
    ['x'.repeat(61), `"${'x'.repeat(60)}…"`],
    [() => 'secret', 'a function'],
    [new RangeError('too far'), 'RangeError: too far'],
    [new Error('x'.repeat(300)), `Error: ${'x'.repeat(193)}`],
    [['a', 'b'], 'an array'],
    [{ a: 1 }, 'an object'],
    [Object.create(null), 'an object'],
    [null, 'null'],
    [undefined, 'undefined'],
    [NaN, 'NaN'],
    [Symbol('a'), 'Symbol(a)'],
  ])('%#: is short, and says what it is: %s', (value, words) => {
    expect(describe(value)).toBe(words)
  })

  it('may be hostile', () => {
    const unreadable = new Error('no')
    Object.defineProperty(unreadable, 'message', { value: hostile })
    expect(describe(unreadable)).toBe('a hostile object')
  })
})
