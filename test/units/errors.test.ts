import { afterEach, describe, expect, it } from 'vitest'
import { CircuitOpenError, findCircuitOpenError } from '../../src/index.js'
import { rejectionOf, tripped, manual } from '../support/calls.js'

const refusalOf = async (name?: string) => (await rejectionOf(tripped({ name }).breaker.execute(() => 1))) as CircuitOpenError

describe('a refusal', () => {
  it('says who refused, why, and for how long', async () => {
    expect((await refusalOf()).message).toBe('The circuit refused the call (open); retry in 1000 ms')
    expect((await refusalOf('db')).message).toBe('The circuit "db" refused the call (open); retry in 1000 ms')
  })

  it('has the name of its class, as errors have it, and can be given another', async () => {
    expect(Object.getOwnPropertyDescriptor(CircuitOpenError.prototype, 'name')).toEqual({
      value: 'CircuitOpenError',
      writable: true,
      enumerable: false,
      configurable: true,
    })
    expect(Object.assign(await refusalOf(), { name: 'Busy' }).name).toBe('Busy')
  })

  it('says, forced open, that no waiting ends it', async () => {
    const { breaker } = manual({ name: 'db' })
    breaker.forceOpen()
    expect(((await rejectionOf(breaker.execute(() => 1))) as Error).message).toBe('The circuit "db" refused the call: it is forced open until reset()')
  })

  it('has the error that tripped for its cause, and no cause at all if there was none', async () => {
    const { breaker } = manual()
    const error = new Error('it failed')
    breaker.acquire().failure(error)
    expect(await rejectionOf(breaker.execute(() => 1))).toHaveProperty('cause', error)
    breaker.forceOpen()
    expect(Object.hasOwn((await rejectionOf(breaker.execute(() => 1))) as Error, 'cause')).toBe(false)
  })
})

describe('a refusal on a platform with its own idea of stacks', () => {
  const before = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')!
  afterEach(() => void Object.defineProperty(Error, 'stackTraceLimit', before))

  it('leaves the number of frames as it was', async () => {
    Error.stackTraceLimit = 7
    await refusalOf()
    expect(Error.stackTraceLimit).toBe(7)
  })

  it('leaves it so also where there is no stack left to build a refusal on', () => {
    const { breaker } = tripped()
    // Asked at each of the last frames that there are, of different sizes.
    const deep = (...frame: number[]): void => {
      try {
        deep(...frame)
      } catch (error) {
        try {
          breaker.acquire()
        } catch {
          // Refused, or out of stack.
        }
        throw error
      }
    }
    for (let size = 0; size < 40; size++) {
      expect(() => {
        deep(...Array<number>(size).fill(0))
      }).toThrow(RangeError)
      expect(Error.stackTraceLimit).toBe(before.value)
    }
  })

  it('invents no such number where there is none', async () => {
    delete (Error as Partial<typeof Error>).stackTraceLimit
    await refusalOf()
    const invented = 'stackTraceLimit' in Error
    Object.defineProperty(Error, 'stackTraceLimit', before)
    expect(invented).toBe(false)
  })

  it('is given all the same where that number is frozen (law 19)', async () => {
    Object.defineProperty(Error, 'stackTraceLimit', { value: 5, writable: false, configurable: true })
    expect(await refusalOf()).toMatchObject({ code: 'ERR_CIRCUIT_OPEN', reason: 'open' })
  })
})

describe('the search for a refusal', () => {
  const under = (causes: number, refusal: unknown) => {
    let error = refusal
    for (let n = 0; n < causes; n++) error = { cause: error }
    return error
  }

  it('goes fifteen causes down and no further', async () => {
    const refusal = await refusalOf()
    expect(findCircuitOpenError(under(15, refusal))).toBe(refusal)
    expect(findCircuitOpenError(under(16, refusal))).toBeUndefined()
  })

  it('ends where a cause is null', () => {
    expect(findCircuitOpenError(null)).toBeUndefined()
    expect(findCircuitOpenError({ cause: null })).toBeUndefined()
  })

  it('takes no function for one, whatever it carries', () => {
    expect(findCircuitOpenError(Object.assign(() => 1, { code: 'ERR_CIRCUIT_OPEN' }))).toBeUndefined()
  })
})
