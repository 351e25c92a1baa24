import { describe, expect, it } from 'vitest'
import { type CircuitOpenError, findCircuitOpenError } from '../../src/index.js'
import { fail, rejectionOf, tripped } from '../support/calls.js'

const refusalOf = async () => (await rejectionOf(tripped({ name: 'host' }).breaker.execute(() => 1))) as CircuitOpenError

describe('telling a refusal from everything else (B73)', () => {
  it('finds the error itself, and one anywhere in its chain of causes', async () => {
    const refusal = await refusalOf()
    expect(findCircuitOpenError(refusal)).toBe(refusal)
    expect(findCircuitOpenError(new Error('outer', { cause: refusal }))).toBe(refusal)
    expect(findCircuitOpenError(new Error('outer', { cause: { cause: new AggregateError([], 'middle', { cause: refusal }) } }))).toBe(refusal)
  })

  it('finds one of another copy of the package, by its code', () => {
    const foreign = Object.assign(new Error('open'), { name: 'CircuitOpenError', code: 'ERR_CIRCUIT_OPEN', reason: 'open', retryAfterMs: 5, breaker: 'x' })
    expect(findCircuitOpenError(foreign)).toBe(foreign)
  })

  it.each([
    ['null', null],
    ['undefined', undefined],
    ['a string', 'ERR_CIRCUIT_OPEN'],
    ['a number', 7],
    ['a symbol', Symbol('open')],
    ['a function', () => {}],
    ['a frozen object', Object.freeze({ code: 'ECONNRESET' })],
    ['an ordinary error', new Error('CircuitOpenError')],
    ['an error with another code', Object.assign(new Error('x'), { code: 'ECONNREFUSED' })],
    ['an object without a prototype', Object.create(null)],
  ])('finds none in %s, and does not throw', (_, value) => {
    expect(findCircuitOpenError(value)).toBeUndefined()
  })

  it('finds none in a chain that has no end', () => {
    const loop: { cause?: unknown } = {}
    loop.cause = { cause: { cause: loop } }
    const self = new Error('self')
    self.cause = self
    expect(findCircuitOpenError(loop)).toBeUndefined()
    expect(findCircuitOpenError(self)).toBeUndefined()
  })

  it('survives values that throw when looked at', () => {
    const explode = (): never => {
      throw new Error('do not touch')
    }
    const hostile = new Proxy({}, { get: explode, has: explode, getPrototypeOf: explode, getOwnPropertyDescriptor: explode })
    expect(findCircuitOpenError(hostile)).toBeUndefined()
    expect(
      findCircuitOpenError({
        get cause() {
          return explode()
        },
      }),
    ).toBeUndefined()
    expect(
      findCircuitOpenError({
        get code() {
          return explode()
        },
      }),
    ).toBeUndefined()
  })

  it('is not fooled by a clone that lost its code', async () => {
    const clone: unknown = structuredClone(await refusalOf())
    expect(() => findCircuitOpenError(clone)).not.toThrow()
  })
})

describe('a refusal says what a caller can act on', () => {
  it('has a name, a code, the breaker, a reason, a wait above 0 and a cause', async () => {
    const refusal = await refusalOf()
    expect(refusal).toBeInstanceOf(Error)
    expect(refusal).toMatchObject({ name: 'CircuitOpenError', code: 'ERR_CIRCUIT_OPEN', breaker: 'host', reason: 'open', retryAfterMs: 1_000 })
    expect(refusal.cause).toBeInstanceOf(Error)
    expect(refusal.message).toContain('host')
  })

  it('gives each reason its name', async () => {
    const { breaker, clock } = tripped()
    const reason = async () => ((await rejectionOf(breaker.execute(() => 1))) as CircuitOpenError).reason
    expect(await reason()).toBe('open')
    clock.advance(1_000)
    breaker.acquire()
    expect(await reason()).toBe('probing')
    breaker.forceOpen()
    expect(await reason()).toBe('forced-open')
  })

  it('asks to wait more than nothing, whatever the recovery timeout is', async () => {
    const { breaker } = tripped({ recoveryTimeout: 0 })
    breaker.forceOpen()
    const refusal = (await rejectionOf(breaker.execute(() => 1))) as CircuitOpenError
    expect(refusal.retryAfterMs).toBeGreaterThan(0)
    expect(breaker.retryAfterMs).toBe(refusal.retryAfterMs)
  })

  it('has no cause if nobody threw', async () => {
    const { breaker } = tripped()
    breaker.forceOpen()
    expect(((await rejectionOf(breaker.execute(() => 1))) as CircuitOpenError).cause).toBeUndefined()
  })

  it('names the error of the newest failure of the recovery as cause', async () => {
    const { breaker, clock } = tripped()
    const later = new Error('still down')
    clock.advance(1_000)
    fail(breaker, 1, later)
    expect(((await rejectionOf(breaker.execute(() => 1))) as CircuitOpenError).cause).toBe(later)
  })
})
