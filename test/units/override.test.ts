import { describe, expect, it } from 'vitest'
import { BreakerRegistry, ManualClock } from '../../src/index.js'
import { manual } from '../support/calls.js'

describe('a breaker that somebody has set by hand', () => {
  it('gives that as the reason, to readers and to listeners (laws 15 and 16)', () => {
    const { breaker } = manual()
    const reasons: string[] = []
    breaker.observe({ transition: ({ from, to, reason }) => void reasons.push(`${from}>${to}: ${reason}`) })
    breaker.forceOpen()
    expect(breaker.snapshot()).toMatchObject({ state: 'forced-open', reason: 'forced-open' })
    breaker.disable()
    expect(breaker.snapshot()).toMatchObject({ state: 'disabled', reason: 'disabled' })
    breaker.reset()
    expect(breaker.snapshot()).not.toHaveProperty('reason')
    expect(reasons).toEqual(['closed>forced-open: forced-open', 'forced-open>disabled: disabled', 'disabled>closed: reset'])
  })
})

describe('a breaker that was forgotten, of whose key there is no other', () => {
  it('reads as a new one: closed, and without a reason (law 21)', () => {
    const registry = new BreakerRegistry({ clock: new ManualClock() })
    const breaker = registry.for('host')
    breaker.forceOpen()
    registry.delete('host')
    expect(breaker.snapshot()).toEqual({ name: 'host', state: 'closed', at: 0, retryAfterMs: 0, trips: 0, failures: 0 })
    expect(Object.keys(breaker.snapshot())).not.toContain('reason')
  })
})
