import { describe, expect, it } from 'vitest'
import { tripped } from '../support/calls.js'

/** What a snapshot shows of the error that tripped. */
function shown(error: unknown) {
  const { breaker } = tripped()
  breaker.reset()
  breaker.acquire().failure(error)
  return breaker.snapshot().error
}

const long = (length: number) => 'x'.repeat(length)

describe('the error in a snapshot', () => {
  it('is its name, its message and its code, or the code of its cause, and no code where there is none', () => {
    expect(shown(new RangeError('too far'))).toStrictEqual({ name: 'RangeError', message: 'too far' })
    expect(shown(Object.assign(new Error('it hung up'), { code: 'ECONNRESET' }))).toStrictEqual({ name: 'Error', message: 'it hung up', code: 'ECONNRESET' })
    expect(shown(new TypeError('fetch failed', { cause: { code: 14 } }))).toStrictEqual({ name: 'TypeError', message: 'fetch failed', code: 14 })
    expect(shown(new TypeError('fetch failed', { cause: null }))).toStrictEqual({ name: 'TypeError', message: 'fetch failed' })
  })

  it('is, of a thrown value that is no object, its type and its text', () => {
    expect(shown('gone')).toStrictEqual({ name: 'string', message: 'gone' })
    expect(shown(404)).toStrictEqual({ name: 'number', message: '404' })
    expect(shown(null)).toStrictEqual({ name: 'object', message: 'null' })
  })

  it('is, of an object that is no error, what it has of one', () => {
    expect(shown({})).toStrictEqual({ name: 'Object', message: '' })
    expect(shown({ name: 5, message: ['a'], code: Infinity })).toStrictEqual({ name: 'Object', message: '' })
    expect(shown({ name: 'StatusError', code: 503 })).toStrictEqual({ name: 'StatusError', message: '', code: 503 })
  })

  it('is shortened to 200 characters in each part, of which the last says so', () => {
    const [whole, cut] = [long(200), `${long(199)}…`]
    expect(shown({ name: whole, message: whole, code: whole })).toStrictEqual({ name: whole, message: whole, code: whole })
    expect(shown({ name: long(201), message: long(201), code: long(201) })).toStrictEqual({ name: cut, message: cut, code: cut })
    expect(shown(long(201))).toStrictEqual({ name: 'string', message: cut })
  })

  it('is said to be unreadable if it is (law 17)', () => {
    const hostile = {
      get message(): string {
        throw new Error('none of your business')
      },
    }
    expect(shown(hostile)).toStrictEqual({ name: 'unknown', message: 'an error that cannot be read' })
  })
})
