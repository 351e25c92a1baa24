import { describe, expect, it } from 'vitest'
import { BreakerRegistry, CircuitOpenError, ManualClock, type BreakerRegistryOptions, type CircuitBreaker } from '../../src/index.js'
import { chainOf, fail, rejectionOf, succeed } from '../support/calls.js'

/** A breaker that somebody holds, and that its registry has forgotten. */
function forgotten(options: BreakerRegistryOptions = {}) {
  const clock = new ManualClock()
  const registry = new BreakerRegistry({ failureThreshold: 2, recoveryTimeout: 1_000, ...options, clock })
  const held = registry.for('a')
  return { clock, registry, held, forget: () => expect(registry.delete('a')).toBe(true) }
}

describe('a breaker that was forgotten and is still held (law 21)', () => {
  it.each<[string, (held: CircuitBreaker) => unknown]>([
    ['acquire', (held) => held.acquire().failure()],
    ['tryAcquire', (held) => held.tryAcquire()?.failure()],
    ['execute', (held) => held.execute(() => Promise.reject(new Error('down'))).catch(() => {})],
    [
      'wrap',
      (held) =>
        held
          .wrap(() => Promise.reject(new Error('down')))()
          .catch(() => {}),
    ],
  ])('hands its calls on: %s', async (_, call) => {
    const { registry, held, forget } = forgotten()
    forget()
    await call(held)
    await call(held)
    expect(registry.get('a')?.state).toBe('open')
    expect(registry.get('a')).not.toBe(held)
    expect(held.tryAcquire()).toBeUndefined()
    await expect(held.execute(() => 1)).rejects.toMatchObject({ code: 'ERR_CIRCUIT_OPEN', breaker: 'a' })
  })

  it('hands its reads on, and makes nothing by them', () => {
    const { registry, held, clock, forget } = forgotten()
    fail(held, 2)
    forget()
    expect([held.state, held.canExecute, held.retryAfterMs]).toEqual(['closed', true, 0])
    expect(held.snapshot()).toMatchObject({ name: 'a', state: 'closed', failures: 0, retryAfterMs: 0 })
    expect(registry.size).toBe(0)
    fail(registry.for('a'), 2)
    clock.advance(400)
    expect([held.state, held.canExecute, held.retryAfterMs, held.name]).toEqual(['open', false, 600, 'a'])
    expect(held.snapshot()).toEqual(registry.get('a')!.snapshot())
  })

  it('reads as a new one while there is no other', () => {
    const { registry, held, clock, forget } = forgotten()
    fail(held, 2)
    clock.advance(1_000)
    succeed(held)
    forget()
    const read = held.snapshot()
    expect(read).toEqual(registry.for('a').snapshot())
  })

  it.each([
    ['forceOpen', 'forced-open'],
    ['disable', 'disabled'],
    ['reset', 'closed'],
  ] as const)('hands its commands on: %s', (command, state) => {
    const { registry, held, forget } = forgotten()
    forget()
    if (command === 'reset') registry.for('a').forceOpen()
    held[command]()
    expect([registry.get('a')?.state, held.state]).toEqual([state, state])
  })

  it.each(['forceOpen', 'disable', 'reset', 'snapshot'] as const)('does so also if its clock is what has it forgotten: %s', (what) => {
    let onRead = () => {}
    const registry = new BreakerRegistry({ failureThreshold: 1, clock: { now: () => (onRead(), 0) } })
    const held = registry.for('a')
    fail(held)
    onRead = () => {
      onRead = () => {}
      registry.delete('a')
      fail(registry.for('a'))
    }
    held[what]()
    expect(held.state).toBe(registry.get('a')!.state)
    expect(held.snapshot()).toEqual(registry.get('a')!.snapshot())
    registry.for('a').forceOpen()
    expect(held.state).toBe('forced-open')
  })

  it('hands on those who begin to listen', () => {
    const { registry, held, forget } = forgotten()
    forget()
    const chain = chainOf(held)
    fail(registry.for('a'), 2)
    expect(chain).toEqual(['closed>open'])
  })

  it('hands on again, however often its successors are forgotten', () => {
    const { registry, held, forget } = forgotten()
    const line = [held]
    for (let n = 0; n < 5; n++) {
      forget()
      line.push(registry.for('a'))
    }
    fail(held)
    fail(line[2]!)
    expect(line.map((breaker) => breaker.state)).toEqual(Array.from({ length: 6 }, () => 'open'))
    expect(registry.size).toBe(1)
  })

  it('takes no report on calls of before: they are late, and their callers get what is theirs (law 4)', async () => {
    const { registry, held, forget } = forgotten()
    const events: unknown[] = []
    registry.observe({ settled: ({ outcome, late }) => void events.push([outcome, late]) })
    const permits = [held.acquire(), held.acquire()]
    let resolve: (value: string) => void = () => {}
    const value = held.execute(() => new Promise<string>((yes) => (resolve = yes)))
    forget()
    expect([permits[0]!.failure(), permits[1]!.success()]).toEqual([false, false])
    resolve('its own')
    expect(await value).toBe('its own')
    expect(registry.size).toBe(0)
    expect(events).toEqual([
      ['failure', true],
      ['success', true],
      ['success', true],
    ])
  })

  it('takes no report on probes of before either, and counts none of its hanging calls as slow', () => {
    const { registry, held, clock, forget } = forgotten({ slowCallDuration: 100 })
    fail(held, 2)
    clock.advance(1_000)
    const probe = held.acquire()
    forget()
    expect(probe.success()).toBe(false)
    const hanging = registry.for('a').acquire()
    forget()
    clock.advance(5_000)
    succeed(registry.for('a'))
    expect(registry.for('a').snapshot()).toMatchObject({ state: 'closed', failures: 0, trips: 0 })
    expect(hanging.failure()).toBe(false)
  })

  it('meets a registry in which there is no room: each of its calls runs on one that is not kept', () => {
    const { registry, held } = forgotten({ maxSize: 1, failureThreshold: 1 })
    fail(registry.for('down'))
    expect(registry.get('a')).toBeUndefined()
    succeed(held)
    fail(held)
    expect([registry.size, registry.overflows, registry.get('down')?.state]).toEqual([1, 2, 'open'])
    expect(held.state).toBe('closed')
  })

  it('gives the error of configure to the call that needs a new breaker, without throwing it past the promise (law 19)', async () => {
    let isBroken = false
    const { registry, held, forget } = forgotten({
      configure: (): undefined => {
        if (isBroken) throw new Error('no settings')
      },
    })
    forget()
    isBroken = true
    expect(await rejectionOf(held.execute(() => 1))).toMatchObject({ message: expect.stringMatching(/configure\("a"\).*no settings/) })
    expect(() => held.acquire()).toThrow(/configure\("a"\).*no settings/)
    expect(held.state).toBe('closed')
    isBroken = false
    expect(await held.execute(() => 'served')).toBe('served')
    expect(registry.size).toBe(1)
  })
})

describe('delete', () => {
  it('forgets an outage too: the next call starts anew', async () => {
    const { registry, held, forget } = forgotten()
    fail(held, 2)
    expect(await rejectionOf(registry.execute('a', () => 1))).toBeInstanceOf(CircuitOpenError)
    forget()
    expect([...registry.outages()]).toEqual([])
    expect(await registry.execute('a', () => 1)).toBe(1)
  })
})
