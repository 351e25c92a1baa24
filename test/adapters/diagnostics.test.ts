import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { BreakerRegistry, CircuitBreaker, ManualClock } from '../../src/index.js'
import { CHANNELS, publish } from '../../src/adapters/diagnostics.js'
import { fail, succeed, unhandledDuring } from '../support/calls.js'

const undo: (() => unknown)[] = []
afterEach(() => {
  for (const step of undo.splice(0)) step()
})

/** A registry on a manual clock that publishes until the test is over, and whose breakers trip at the first failure. */
function published() {
  const clock = new ManualClock()
  const upstreams = new BreakerRegistry({ clock, failureThreshold: 1, recoveryTimeout: 1_000 })
  const stop = publish(upstreams)
  undo.push(stop)
  return { clock, upstreams, stop }
}

/** Hears a channel until the test is over. */
function hear(channel: string, listener: (message: never) => void = () => {}): unknown[] {
  const heard: unknown[] = []
  const subscriber = (message: unknown) => {
    heard.push(message)
    listener(message as never)
  }
  subscribe(channel, subscriber)
  undo.push(() => unsubscribe(channel, subscriber))
  return heard
}

describe('the channels', () => {
  it('carry changes of state, refusals and settlements, each on its own', () => {
    const [transitions, refusals, settlements] = [hear(CHANNELS.transition), hear(CHANNELS.refusal), hear(CHANNELS.settlement)]
    const { upstreams } = published()
    const error = new Error('down')
    succeed(upstreams.for('payments'))
    fail(upstreams.for('payments'), 1, error)
    upstreams.for('payments').tryAcquire()
    expect(settlements).toMatchObject([
      { name: 'payments', outcome: 'success', late: false },
      { name: 'payments', outcome: 'failure', error },
    ])
    expect(transitions).toMatchObject([{ name: 'payments', from: 'closed', to: 'open', reason: 'consecutive-failures', error }])
    expect(refusals).toEqual([{ name: 'payments', reason: 'open', retryAfterMs: 1_000 }])
  })

  it('have names that tell whose they are', () => {
    expect(CHANNELS).toEqual({ transition: 'lazybreaker:transition', refusal: 'lazybreaker:refusal', settlement: 'lazybreaker:settlement' })
  })

  it('reach those who subscribe later, and no one who has left', () => {
    const { upstreams } = published()
    succeed(upstreams.for('payments'))
    const heard = hear(CHANNELS.settlement)
    succeed(upstreams.for('payments'))
    undo.pop()?.()
    succeed(upstreams.for('payments'))
    expect(heard).toHaveLength(1)
  })

  it('are silent after what publish returned was called', () => {
    const heard = hear(CHANNELS.settlement)
    const { upstreams, stop } = published()
    stop()
    stop()
    succeed(upstreams.for('payments'))
    expect(heard).toEqual([])
  })

  it('carry one breaker as well as a registry', () => {
    const heard = hear(CHANNELS.transition)
    const breaker = new CircuitBreaker({ name: 'payments' })
    undo.push(publish(breaker))
    breaker.forceOpen()
    expect(heard).toMatchObject([{ name: 'payments', to: 'forced-open' }])
  })
})

describe('nobody', () => {
  it('has an event built for them: while no one subscribes to a channel, no one listens to the breaker for it', () => {
    const observers: { wanted(): boolean }[] = []
    publish({ observe: (observer) => (observers.push(observer as never), () => {}) })
    const wanted = () => observers.map((observer) => observer.wanted())
    expect(wanted()).toEqual([false, false, false])
    hear(CHANNELS.settlement)
    expect(wanted()).toEqual([false, false, true])
  })

  it('is published to while nobody subscribes, and no clock is read for it', () => {
    const { clock, upstreams } = published()
    const now = vi.spyOn(clock, 'now')
    succeed(upstreams.for('payments'), 3)
    expect(now).not.toHaveBeenCalled()
  })

  it('is bothered where the platform has no such channels', () => {
    for (const process of [undefined, {}, { getBuiltinModule: () => undefined }]) {
      const observe = vi.fn()
      vi.stubGlobal('process', process)
      try {
        expect(publish({ observe })()).toBeUndefined()
      } finally {
        vi.unstubAllGlobals()
      }
      expect(observe).not.toHaveBeenCalled()
    }
  })

  it('gets away with something that is neither registry nor breaker', () => {
    for (const wrong of [undefined, null, {}, 'payments']) {
      expect(() => publish(wrong as never)).toThrow(new TypeError('publish: expected a registry or a breaker'))
    }
  })
})

describe('what a subscriber does changes nothing for callers (law 17)', () => {
  it('one that blocks for a minute delays the call, and decides nothing', async () => {
    const { clock, upstreams } = published()
    const block = () => clock.advance(60_000)
    hear(CHANNELS.settlement, block)
    hear(CHANNELS.transition, block)
    const error = new Error('down')
    await expect(upstreams.execute('payments', () => Promise.reject(error))).rejects.toBe(error)
    expect(upstreams.for('payments').snapshot()).toMatchObject({ state: 'half-open', trips: 1, relapses: 0, phase: { inFlight: 0 } })
    await expect(upstreams.execute('payments', () => 'fine')).resolves.toBe('fine')
    expect(upstreams.for('payments').state).toBe('closed')
  })

  it("one that throws is the platform's affair, which raises it later: the call, the state and the next subscriber know nothing of it", async () => {
    const { upstreams } = published()
    const mine = new Error("a subscriber of one's own")
    hear(CHANNELS.settlement, () => {
      throw mine
    })
    const next = hear(CHANNELS.settlement)
    const raised = await unhandledDuring(async () => {
      await expect(upstreams.execute('payments', () => 'fine')).resolves.toBe('fine')
    })
    expect(raised).toEqual([mine])
    expect(next).toHaveLength(1)
    expect(upstreams.for('payments').snapshot()).toMatchObject({ state: 'closed', failures: 0 })
  })

  it('one that uses the breaker hears of that afterwards, in order (law 16)', () => {
    const { upstreams } = published()
    const chain = hear(CHANNELS.transition, ({ to }: { to: string }) => {
      if (to === 'open') upstreams.for('payments').reset()
    })
    fail(upstreams.for('payments'))
    expect(chain).toMatchObject([
      { from: 'closed', to: 'open' },
      { from: 'open', to: 'closed' },
    ])
  })
})
