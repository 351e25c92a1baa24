import { describe, expect, it, vi } from 'vitest'
import { BreakerRegistry, CircuitBreaker, ManualClock } from '../src/index.js'
import { succeed } from './support/calls.js'

describe('an observer that is asked whether it wants events', () => {
  it('hears nothing while it wants none, and what happens from then on once it does', () => {
    const breaker = new CircuitBreaker()
    const settled = vi.fn()
    let wanted = false
    breaker.observe({ settled, wanted: () => wanted })
    succeed(breaker)
    wanted = true
    succeed(breaker, 2)
    wanted = false
    succeed(breaker)
    expect(settled).toHaveBeenCalledTimes(2)
  })

  it('is asked only about what it listens to, and no clock is read for durations that it does not want', () => {
    const clock = new ManualClock()
    const upstreams = new BreakerRegistry({ clock })
    const wanted = vi.fn(() => false)
    upstreams.observe({ rejected: () => {}, wanted })
    upstreams.observe({ settled: () => {}, durations: true, wanted: () => false })
    const now = vi.spyOn(clock, 'now')
    succeed(upstreams.for('payments'))
    expect(wanted).not.toHaveBeenCalled()
    expect(now).not.toHaveBeenCalled()
  })

  it('takes nothing from others who listen', () => {
    const upstreams = new BreakerRegistry()
    const settled = vi.fn()
    upstreams.observe({ settled: () => expect.unreachable(), wanted: () => false })
    upstreams.for('payments').observe({ settled })
    succeed(upstreams.for('payments'))
    expect(settled).toHaveBeenCalledOnce()
  })

  it('wants nothing if it throws when asked, and the call is none the wiser (law 17)', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const breaker = new CircuitBreaker()
    const settled = vi.fn()
    breaker.observe({
      settled,
      wanted: () => {
        throw new Error('who knows')
      },
    })
    await expect(breaker.execute(() => 'fine')).resolves.toBe('fine')
    expect(settled).not.toHaveBeenCalled()
    expect(warned).toHaveBeenCalledWith('wanted threw: Error: who knows', 'LazybreakerWarning')
    warned.mockRestore()
  })

  it('must be asked by a function', () => {
    expect(() => new CircuitBreaker().observe({ wanted: true as never })).toThrow(TypeError)
  })
})
