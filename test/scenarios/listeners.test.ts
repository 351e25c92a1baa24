import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BreakerRegistry, CircuitBreaker, ManualClock, failureRate, type Settled, type Transition } from '../../src/index.js'
import { chainOf, fail, manual, rejectionOf, succeed, tripped, unhandledDuring } from '../support/calls.js'

const explode = (): never => {
  throw new Error('a bug in a listener')
}

describe('a listener that throws (B08, law 17)', () => {
  beforeEach(() => {
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('does not stand between the caller and the error of its own call', async () => {
    const { breaker } = manual()
    const told: Transition[] = []
    const settled: Settled[] = []
    breaker.observe({ transition: explode, settled: explode })
    breaker.observe({ transition: (event) => void told.push(event), settled: (event) => void settled.push(event) })
    const error = new TypeError('socket hang up')
    expect(await rejectionOf(breaker.execute(() => Promise.reject(error)))).toBe(error)
    expect(breaker.state).toBe('open')
    expect(breaker.snapshot()).toMatchObject({ trippedAt: 0, trips: 1 })
    expect(told).toHaveLength(1)
    expect(settled).toMatchObject([{ outcome: 'failure', late: false, error }])
  })

  it('does not stand between the caller and its value', async () => {
    const { breaker } = manual()
    breaker.observe({ settled: explode })
    expect(await breaker.execute(() => 42)).toBe(42)
  })

  it('does not stop a probe, nor keep its place', async () => {
    const { breaker, clock } = tripped({ recovery: undefined })
    breaker.observe({ transition: explode, settled: explode, rejected: explode })
    clock.advance(1_000)
    const probe = breaker.acquire()
    expect(breaker.tryAcquire()).toBeUndefined()
    expect(probe.ignore()).toBe(true)
    expect(await breaker.execute(() => 'well again')).toBe('well again')
    expect(breaker.state).toBe('closed')
  })

  it('is reported, once for each message', () => {
    const { breaker, clock } = manual()
    const throwing = (message: string) => () => {
      throw new Error(message)
    }
    breaker.observe({ settled: throwing('a bug of its own kind') })
    breaker.observe({ transition: throwing('another bug') })
    for (let n = 0; n < 20; n++) {
      fail(breaker)
      clock.advance(1_000)
    }
    const messages = vi.mocked(process.emitWarning).mock.calls.map(([warning]) => String(warning))
    expect(messages.filter((message) => message.includes('a bug of its own kind'))).toHaveLength(1)
    expect(messages.filter((message) => message.includes('another bug'))).toHaveLength(1)
  })

  it('may be asynchronous and reject: nothing unhandled reaches the process', async () => {
    const { breaker, clock } = manual()
    const reject = (): unknown => Promise.reject(new Error('an asynchronous bug'))
    breaker.observe({ transition: reject, settled: reject, rejected: reject })
    const unhandled = await unhandledDuring(async () => {
      fail(breaker)
      await rejectionOf(breaker.execute(() => 1))
      clock.advance(1_000)
      succeed(breaker)
    })
    expect(unhandled).toEqual([])
    expect(breaker.state).toBe('closed')
  })

  it.each([
    ['null', null],
    ['undefined', undefined],
    ['a frozen object', Object.freeze({})],
    ['an object that cannot be printed', { toString: explode, [Symbol.toPrimitive]: explode }],
    ['a Proxy that throws at everything', new Proxy({}, { get: explode, has: explode, getPrototypeOf: explode, ownKeys: explode })],
  ])('may throw %s', async (_, thrown) => {
    const { breaker } = manual()
    breaker.observe({
      settled: () => {
        throw thrown
      },
    })
    expect(await breaker.execute(() => 'fine')).toBe('fine')
  })
})

describe('the chain of transitions (B43, law 16)', () => {
  it('has every step: a failed probe, and a good one', () => {
    const { breaker, clock } = manual()
    const chain = chainOf(breaker)
    fail(breaker)
    clock.advance(1_000)
    fail(breaker)
    clock.advance(1_000)
    succeed(breaker)
    expect(chain).toEqual(['closed>open', 'open>half-open', 'half-open>open', 'open>half-open', 'half-open>closed'])
  })

  it('leaves exactly one state of a gauge at 1 after each event', () => {
    const { breaker, clock } = manual()
    const gauge: Record<string, number> = { closed: 1, open: 0, 'half-open': 0, 'forced-open': 0, disabled: 0 }
    const sums: number[] = []
    breaker.observe({
      transition: ({ from, to }) => {
        gauge[from] = gauge[from]! - 1
        gauge[to] = gauge[to]! + 1
        sums.push(Object.values(gauge).reduce((sum, value) => sum + value, 0))
        expect(breaker.state).toBe(to)
      },
    })
    fail(breaker)
    clock.advance(1_000)
    fail(breaker)
    breaker.forceOpen()
    breaker.disable()
    breaker.reset()
    expect(sums).toEqual([1, 1, 1, 1, 1, 1])
    expect(gauge).toEqual({ closed: 1, open: 0, 'half-open': 0, 'forced-open': 0, disabled: 0 })
  })

  it('is told in order though a listener changes the state in the middle', () => {
    const { breaker } = manual()
    const first: string[] = []
    const second: string[] = []
    breaker.observe({
      transition: ({ from, to }) => {
        first.push(`${from}>${to}`)
        if (to === 'open') {
          breaker.reset()
          expect(breaker.state).toBe('closed')
        }
      },
    })
    breaker.observe({ transition: ({ from, to }) => void second.push(`${from}>${to}`) })
    fail(breaker)
    expect(first).toEqual(['closed>open', 'open>closed'])
    expect(second).toEqual(['closed>open', 'open>closed'])
  })

  it('tells that a call settled before it tells what that caused', () => {
    const { breaker } = manual()
    const told: string[] = []
    breaker.observe({ settled: ({ outcome }) => void told.push(outcome), transition: ({ to }) => void told.push(to) })
    fail(breaker)
    expect(told).toEqual(['failure', 'open'])
  })

  it('hands out frozen copies with the numbers that caused them', () => {
    const error = new Error('no route to host')
    const { breaker } = manual({ failureThreshold: 3, name: 'host' })
    let event: Transition | undefined
    breaker.observe({ transition: (told) => void (event = told) })
    fail(breaker, 3, error)
    expect(event).toMatchObject({
      name: 'host',
      from: 'closed',
      to: 'open',
      at: 0,
      reason: 'consecutive-failures',
      failures: 3,
      trippedAt: 0,
      recoveryTimeout: 1_000,
      relapses: 0,
      error,
    })
    expect(Object.isFrozen(event)).toBe(true)
  })
})

describe('a listener that causes what it listens to', () => {
  it('is stopped in the end, with a warning, and the caller goes on (law 17)', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const [open, closed] = [new CircuitBreaker(), new CircuitBreaker()]
    open.forceOpen()
    let told = 0
    const again = (breaker: CircuitBreaker) => () => {
      if (++told > 1_000_000) throw new Error('there is no end to it')
      breaker.tryAcquire()?.success()
    }
    const leave = [open.observe({ rejected: again(open) }), closed.observe({ settled: again(closed) })]
    expect(open.tryAcquire()).toBeUndefined()
    expect(closed.acquire().success()).toBe(true)
    expect(told).toBeLessThan(1_000_000)
    expect(String(warned.mock.calls[0]?.[0])).toContain('a listener goes on causing what it listens to')
    for (const stop of leave) stop()
    const settled = vi.fn()
    closed.observe({ settled })
    succeed(closed)
    expect(settled).toHaveBeenCalledOnce()
    warned.mockRestore()
  })

  it.each([1, 2, 10])('is stopped also if it causes %i of them each time', (many) => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const breaker = new CircuitBreaker()
    let told = 0
    const leave = breaker.observe({
      settled: () => {
        if (++told > 1_000_000) throw new Error('there is no end to it')
        for (let i = 0; i < many; i++) succeed(breaker)
      },
    })
    succeed(breaker)
    // What it took up to three of them to cause, and ten thousand more.
    expect(told).toBe([0, 1, 2, 3].reduce((sum, depth) => sum + many ** depth, 10_000))
    leave()
    warned.mockRestore()
  })

  it('is not stopped as long as it comes to an end', () => {
    const breaker = new CircuitBreaker()
    let told = 0
    breaker.observe({ settled: () => ++told < 5_000 && breaker.acquire().success() })
    succeed(breaker)
    expect(told).toBe(5_000)
  })
})

describe('all that a listener causes is told, however much it is (laws 16, 17)', () => {
  const many = 30_000

  it('when it closes all breakers of a registry', () => {
    const registry = new BreakerRegistry<number>({ failureThreshold: 1 })
    const down = new Set<unknown>()
    registry.observe({ transition: ({ name, to }) => (to === 'closed' ? down.delete(name) : down.add(name)) })
    for (let key = 0; key < many; key++) fail(registry.for(key))
    expect(down.size).toBe(many)
    const uplink = new CircuitBreaker()
    uplink.observe({ transition: ({ to }) => to === 'closed' && registry.resetAll() })
    uplink.forceOpen()
    uplink.reset()
    expect(down.size).toBe(0)
  })

  it('when it gives up all calls in flight, and what comes after them too', () => {
    const { breaker } = manual()
    const chain = chainOf(breaker)
    const permits = Array.from({ length: many }, () => breaker.acquire())
    let settled = 0
    breaker.observe({ settled: () => settled++, transition: () => permits.splice(0).forEach((permit) => permit.ignore()) })
    breaker.forceOpen()
    breaker.reset()
    expect(settled).toBe(many)
    expect(chain).toEqual(['closed>forced-open', 'forced-open>closed'])
  })

  it('when listeners to that cause more', () => {
    const registry = new BreakerRegistry<number>({ failureThreshold: 1 })
    let refused = 0
    registry.observe({
      transition: ({ to, name }) => to === 'forced-open' && registry.for(name).tryAcquire(),
      rejected: () => refused++,
    })
    const switchboard = new CircuitBreaker()
    switchboard.observe({
      transition: () => {
        for (let key = 0; key < many; key++) registry.for(key).forceOpen()
      },
    })
    switchboard.forceOpen()
    expect(refused).toBe(many)
  })
})

describe('one event for one change (B44, law 16)', () => {
  it('names both rates when the same call takes both over', () => {
    const clock = new ManualClock()
    const trip = failureRate({ rate: 0.5, slowCallRate: 0.5, window: { calls: 2 } })
    const breaker = new CircuitBreaker({ trip, slowCallDuration: 10, clock })
    const events: Transition[] = []
    breaker.observe({ transition: (event) => void events.push(event) })
    const slow = breaker.acquire()
    clock.advance(10)
    slow.failure()
    fail(breaker)
    expect(events).toHaveLength(1)
    expect(events[0]!.reason).toBe('failure-rate+slow-call-rate')
  })

  it('does not tell what did not change', () => {
    const { breaker } = manual()
    const chain = chainOf(breaker)
    breaker.reset()
    breaker.forceOpen()
    breaker.forceOpen()
    breaker.disable()
    breaker.disable()
    breaker.reset()
    breaker.reset()
    expect(chain).toEqual(['closed>forced-open', 'forced-open>disabled', 'disabled>closed'])
  })

  it('tells each of many calls that fail at once that it settled, and one transition', () => {
    const { breaker } = manual({ failureThreshold: 3 })
    const settled: Settled[] = []
    const chain = chainOf(breaker)
    breaker.observe({ settled: (event) => void settled.push(event) })
    const permits = Array.from({ length: 6 }, () => breaker.acquire())
    expect(permits.map((permit) => permit.failure())).toEqual([true, true, true, false, false, false])
    expect(settled.map(({ late }) => late)).toEqual([false, false, false, true, true, true])
    expect(chain).toEqual(['closed>open'])
  })
})

describe('an observer that goes', () => {
  it('is told nothing more, and going twice is going once', () => {
    const { breaker, clock } = manual()
    const told: string[] = []
    const end = breaker.observe({ transition: ({ to }) => void told.push(to) })
    fail(breaker)
    end()
    end()
    clock.advance(1_000)
    succeed(breaker)
    expect(told).toEqual(['open'])
  })

  it('may go while it is being told, and leaves the others their events', () => {
    const { breaker } = manual()
    const told: string[] = []
    const end = breaker.observe({
      transition: () => {
        told.push('first')
        end()
      },
    })
    breaker.observe({ transition: () => void told.push('second') })
    fail(breaker)
    breaker.reset()
    expect(told).toEqual(['first', 'second', 'second'])
  })
})

describe('refusals are told apart from outcomes', () => {
  it('tells why and for how long a call was refused, and no outcome', () => {
    const { breaker } = tripped({ name: 'host' })
    const settled: Settled[] = []
    const rejected: unknown[] = []
    breaker.observe({ settled: (event) => void settled.push(event), rejected: (event) => void rejected.push(event) })
    expect(breaker.tryAcquire()).toBeUndefined()
    expect(rejected).toMatchObject([{ name: 'host', reason: 'open', retryAfterMs: 1_000 }])
    expect(settled).toEqual([])
  })
})
