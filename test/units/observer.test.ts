import { describe, expect, it, vi } from 'vitest'
import { BreakerRegistry, type Observer } from '../../src/index.js'
import { Audience, HEARS } from '../../src/observer.js'
import { fail, manual, succeed, tripped } from '../support/calls.js'
import { catchWarnings } from './warnings.js'

const warnings = catchWarnings()

describe('one who listens to a registry', () => {
  it('hears a breaker also when one who listened to that alone has left', () => {
    const registry = new BreakerRegistry()
    const settled = vi.fn()
    registry.observe({ settled })
    const leave = registry.for('a').observe({ settled: () => {} })
    leave()
    succeed(registry.for('a'))
    expect(settled).toHaveBeenCalledOnce()
  })

  it('hears of a breaker also what one who listens to that alone does not', () => {
    const registry = new BreakerRegistry()
    const settled = vi.fn()
    registry.observe({ settled })
    registry.for('a').observe({ transition: () => {} })
    succeed(registry.for('a'))
    expect(settled).toHaveBeenCalledOnce()
  })
})

describe('one who has left', () => {
  it('is not told what happened before and was not yet told to all', () => {
    const { breaker } = manual()
    const transition = vi.fn()
    let leave = () => {}
    breaker.observe({
      transition: () => {
        leave()
      },
    })
    leave = breaker.observe({ transition })
    breaker.forceOpen()
    expect(transition).not.toHaveBeenCalled()
  })
})

describe('one who may not want an event', () => {
  it('is not told of it, though another is', () => {
    const { breaker } = manual()
    const [unwanted, settled] = [vi.fn(), vi.fn()]
    breaker.observe({ settled: unwanted, wanted: () => false })
    breaker.observe({ settled, wanted: () => true })
    succeed(breaker)
    expect(unwanted).not.toHaveBeenCalled()
    expect(settled).toHaveBeenCalledOnce()
  })

  it('is asked before the event is built, and if nobody wants it, not again', () => {
    const { breaker } = tripped()
    const wanted = vi.fn(() => false)
    breaker.observe({ rejected: () => {}, wanted })
    expect(breaker.tryAcquire()).toBeUndefined()
    expect(wanted).toHaveBeenCalledOnce()
    breaker.disable()
    breaker.observe({ settled: () => {}, wanted })
    succeed(breaker)
    expect(wanted).toHaveBeenCalledTimes(2)
  })
})

describe('an event that nobody hears', () => {
  it('is not built, of whatever kind it is', () => {
    const post = vi.spyOn(Audience.prototype, 'post')
    const { breaker, clock } = tripped()
    breaker.observe({ rejected: () => {}, settled: () => {}, transition: () => {}, wanted: () => false })
    expect(breaker.tryAcquire()).toBeUndefined()
    clock.advance(breaker.retryAfterMs)
    succeed(breaker)
    expect(breaker.state).toBe('closed')
    expect(post).not.toHaveBeenCalled()
    post.mockRestore()
  })

  it('is asked for by nobody where none happens: to forget a breaker is no change of its state', () => {
    const registry = new BreakerRegistry({ failureThreshold: 1 })
    fail(registry.for('a'))
    const wanted = vi.fn(() => true)
    registry.observe({ transition: () => {}, wanted })
    registry.delete('a')
    expect(wanted).not.toHaveBeenCalled()
  })

  it('is known for one at once where no listener is at all, and only there', () => {
    const audience = new Audience()
    expect(audience.isDeafTo(HEARS.rejected)).toBe(true)
    const leave = audience.add({ rejected: () => {} })
    expect([audience.isDeafTo(HEARS.rejected), audience.isDeafTo(HEARS.settled)]).toEqual([false, true])
    leave()
    expect(audience.isDeafTo(HEARS.rejected)).toBe(true)
    expect(new Audience(audience).isDeafTo(HEARS.rejected)).toBe(false)
  })
})

describe('the wrong observer', () => {
  it.each<[object, string]>([
    [{ settled: 1 }, 'settled: expected a function, got 1'],
    [{ durations: 'yes' }, 'durations: expected true or false, got "yes"'],
    [{ wanted: true }, 'wanted: expected a function, got true'],
  ])('%o is told what is wrong with it (law 18)', (observer, message) => {
    expect(() => manual().breaker.observe(observer as Observer)).toThrow(message)
  })

  it('that throws or rejects when told of an event is said to, and of which (law 17)', async () => {
    const { breaker } = manual()
    breaker.observe({
      settled: () => {
        throw new Error('cannot listen')
      },
      // eslint-disable-next-line @typescript-eslint/no-misused-promises -- that is the mistake
      transition: () => Promise.reject(new Error('cannot hear')),
    })
    fail(breaker)
    await Promise.resolve()
    expect(warnings()).toEqual(['a listener to settled threw: Error: cannot listen', 'a listener to transition threw: Error: cannot hear'])
  })

  it('that gives nonsense when asked what it wants is said to, and is told nothing (law 17)', () => {
    const { breaker } = manual()
    const settled = vi.fn()
    breaker.observe({ settled, wanted: () => 'perhaps' as unknown as boolean })
    succeed(breaker)
    expect(settled).not.toHaveBeenCalled()
    expect(warnings()).toEqual(['wanted returned "perhaps"; expected true or false, so false is taken'])
  })
})

describe('a listener that was taken out of its observer', () => {
  it('is not called any more, and nobody is warned', () => {
    const { breaker } = manual()
    const observer: { settled?: () => void } = { settled: () => {} }
    breaker.observe(observer)
    delete observer.settled
    succeed(breaker)
    expect(warnings()).toEqual([])
  })
})
