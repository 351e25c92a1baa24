import { describe, expect, it } from 'vitest'
import { CircuitBreaker } from '../../src/index.js'
import { manual } from '../support/calls.js'

describe('the options of a breaker', () => {
  it('are no function: the error says where that goes (law 18)', () => {
    const call = () => 1
    expect(() => new CircuitBreaker(call as object)).toThrow('options: expected an object, got a function; the function goes to execute(fn) or wrap(fn)')
  })
})

describe('the signal of a permit', () => {
  it('may be left out, or undefined (law 18)', () => {
    const { breaker } = manual()
    expect(breaker.acquire({}).success()).toBe(true)
    expect(breaker.tryAcquire({ signal: undefined })?.success()).toBe(true)
  })
})
