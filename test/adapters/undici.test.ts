// Whose breaker takes a call, when its place is free again, and what a refusal is, for each undici.
import { getEventListeners } from 'node:events'
import type { Dispatcher } from 'undici7'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { breakerInterceptor } from '../../src/adapters/undici.js'
import { BreakerRegistry, CircuitBreaker, CircuitOpenError, findCircuitOpenError, ManualClock, type RegistryLike } from '../../src/index.js'
import { MANY, rejectionOf, unhandledDuring } from '../support/calls.js'
import * as http from '../support/http.js'
import { Ledger } from '../support/outcomes.js'
import { clients, opened } from './undici-clients.js'

afterEach(http.closeServers)

describe.each(clients)('an interceptor of undici $version', ({ version, undici }) => {
  let clock: ManualClock
  let guards: BreakerRegistry
  let ledger: Ledger
  let agent: Dispatcher

  beforeEach(() => {
    clock = new ManualClock()
    guards = new BreakerRegistry({ clock, failureThreshold: 1, recoveryTimeout: 1_000, probeTimeout: 5_000 })
    ledger = new Ledger(guards)
    agent = opened(new undici.Agent()).compose(breakerInterceptor(guards))
  })

  const get = (origin: string | URL, dispatcher = agent) => dispatcher.request({ origin, path: '/', method: 'GET' })
  const keys = () => [...guards].map(([key]) => key)

  it('charges a call to its origin, however that is written', async () => {
    const { origin } = await http.serve(http.answer(200))
    for (const written of [origin, new URL(origin), origin.toUpperCase(), `${origin}/`]) await (await get(written)).body.dump()
    expect(keys()).toEqual([origin])
    expect(ledger.verdicts).toEqual(Array(4).fill('success'))
  })

  it('charges a call to where its URL leads now, though the same URL led elsewhere before', async () => {
    const servers = [await http.serve(http.answer(200)), await http.serve(http.answer(200))]
    const url = new URL(servers[0]!.origin)
    for (const { origin } of servers) {
      url.port = new URL(origin).port
      await (await get(url)).body.dump()
    }
    expect(keys()).toEqual(servers.map(({ origin }) => origin))
  })

  it('takes null for a signal as undici does: there is none', async () => {
    const { origin } = await http.serve(http.answer(200))
    await (await agent.request({ origin, path: '/', method: 'GET', signal: null })).body.dump()
    await rejectionOf(agent.request({ origin: await http.refused(), path: '/', method: 'GET', signal: null }))
    expect(ledger.verdicts).toEqual(['success', 'failure'])
  })

  it('charges a call to the key that it is told', async () => {
    const { origin } = await http.serve(http.answer(200))
    const byPath = breakerInterceptor(guards, { key: ({ method, path }) => `${method} ${path}` })
    await (await get(origin, opened(new undici.Agent()).compose(byPath))).body.dump()
    expect(keys()).toEqual(['GET /'])
  })

  it('takes keys of any kind, if it is told them', async () => {
    const server = await http.serve(http.answer(200))
    const tenant = Symbol('tenant')
    const bySymbol = new BreakerRegistry<symbol>()
    await (await get(server.origin, opened(new undici.Agent()).compose(breakerInterceptor(bySymbol, { key: () => tenant })))).body.dump()
    expect([...bySymbol].map(([key]) => key)).toEqual([tenant])
  })

  it('takes one breaker for all calls', async () => {
    const breaker = new CircuitBreaker()
    const one = new Ledger(breaker)
    const dispatcher = opened(new undici.Agent()).compose(breakerInterceptor(breaker))
    for (const { origin } of [await http.serve(http.answer(200)), await http.serve(http.answer(500))]) await (await get(origin, dispatcher)).body.dump()
    expect(one.verdicts).toEqual(['success', 'failure'])
  })

  it('says what to do if a client does not name its origin, and guards it all the same with one breaker', async () => {
    const { origin } = await http.serve(http.answer(200))
    const of = (interceptor: ReturnType<typeof breakerInterceptor>) => opened(new undici.Client(origin)).compose(interceptor).request({ path: '/', method: 'GET' })
    if (version === 8) await (await of(breakerInterceptor(guards))).body.dump()
    else expect(String(await rejectionOf(of(breakerInterceptor(guards))))).toMatch(/^TypeError: breakerInterceptor: the call names no origin .* key$/)
    await (await of(breakerInterceptor(guards, { key: () => 'the one' }))).body.dump()
    await (await of(breakerInterceptor(new CircuitBreaker()))).body.dump()
    expect(keys()).toEqual(version === 8 ? [origin, 'the one'] : ['the one'])
  })

  it('gives the caller what a key throws, and charges nobody', async () => {
    const mine = new Error('my own mistake')
    const broken = breakerInterceptor(guards, {
      key: () => {
        throw mine
      },
    })
    expect(await rejectionOf(get('http://127.0.0.1:1', opened(new undici.Agent()).compose(broken)))).toBe(mine)
    expect(keys()).toEqual([])
  })

  it('refuses a call without asking the host, and tells the caller why', async () => {
    const server = await http.serve(http.answer(503))
    await (await get(server.origin)).body.dump()
    const error = await rejectionOf(get(server.origin))
    expect(error).toBeInstanceOf(CircuitOpenError)
    expect(error).toMatchObject({ breaker: server.origin, reason: 'open', retryAfterMs: 1_000, cause: { message: 'The host answered with status 503' } })
    expect(server.requests).toBe(1)
  })

  it('says true to whoever dispatches a call that it refuses, and tells the handler once', () => {
    guards.for('http://upstream.test').forceOpen()
    const told: unknown[] = []
    const handler = { onConnect() {}, onHeaders: () => true, onData: () => true, onComplete() {}, onError: (error: Error) => void told.push(error) }
    const fresh = { onRequestStart() {}, onResponseError: (_: unknown, error: Error) => void told.push(error) }
    expect(agent.dispatch({ origin: 'http://upstream.test', path: '/', method: 'GET' }, (version === 8 ? fresh : handler) as Dispatcher.DispatchHandler)).toBe(
      version === 6 ? undefined : true,
    )
    expect(told.map((error) => findCircuitOpenError(error)?.reason)).toEqual(['forced-open'])
  })

  it('refuses the fetch of this undici too, where the refusal is the cause', async () => {
    const { origin } = await http.serve(http.answer(500))
    await (await undici.fetch(origin, { dispatcher: agent })).text()
    const error = await rejectionOf(undici.fetch(origin, { dispatcher: agent }))
    expect(error).toBeInstanceOf(TypeError)
    expect(findCircuitOpenError(error)).toMatchObject({ breaker: origin, reason: 'open' })
  })

  it('keeps the place of a probe until the body has ended', async () => {
    const exchanges = http.byHand()
    const { origin } = await http.serve(exchanges.answer)
    guards.for(origin).acquire().failure()
    clock.advance(1_000)
    const probe = get(origin)
    const { response } = await exchanges.next()
    response.write('the beginning')
    const { body } = await probe
    expect(await rejectionOf(get(origin))).toMatchObject({ reason: 'probing' })
    response.end()
    await body.dump()
    expect(guards.get(origin)?.state).toBe('closed')
  })

  it('frees the place of a probe that its caller gives up', async () => {
    const exchanges = http.byHand()
    const { origin } = await http.serve(exchanges.answer)
    guards.for(origin).acquire().failure()
    clock.advance(1_000)
    const controller = new AbortController()
    const probe = agent.request({ origin, path: '/', method: 'GET', signal: controller.signal })
    await exchanges.next()
    controller.abort()
    await rejectionOf(probe)
    expect(guards.get(origin)?.snapshot()).toMatchObject({ state: 'half-open', retryAfterMs: 0 })
  })

  it('lets another caller probe when a body is never read (law 12)', async () => {
    const { origin } = await http.serve(http.hangInBody, http.answer(200))
    guards.for(origin).acquire().failure()
    clock.advance(1_000)
    const unread = await get(origin)
    clock.advance(5_000)
    await (await get(origin)).body.dump()
    expect(guards.get(origin)?.state).toBe('closed')
    unread.body.on('error', () => {}).destroy()
  })

  it('takes no permit for a call that was given up before it began', async () => {
    const { origin } = await http.serve(http.answer(200))
    guards.for(origin).acquire().failure()
    clock.advance(1_000)
    await rejectionOf(agent.request({ origin, path: '/', method: 'GET', signal: AbortSignal.abort() }))
    expect(guards.get(origin)?.snapshot()).toMatchObject({ state: 'half-open', retryAfterMs: 0 })
  })

  it('frees the place when the dispatcher throws', () => {
    const broken = breakerInterceptor(guards)(() => {
      throw new Error('no dispatcher')
    })
    expect(() => broken({ origin: 'http://upstream.test', path: '/', method: 'GET' }, { onError() {} })).toThrow('no dispatcher')
    expect(ledger.verdicts).toEqual(['ignored'])
  })

  it('judges by the default where a classifier throws or says nonsense (law 17)', async () => {
    const { origin } = await http.serve(http.answer(500))
    const said = [() => Promise.reject(new Error('too late')), () => 'bad', () => ({ openFor: -1 })].map((classify) => classify as unknown as () => undefined)
    const thrown = () => {
      throw new Error('my own mistake')
    }
    const warnings: string[] = []
    const note = ({ name, message }: Error) => name === 'LazybreakerWarning' && warnings.push(message)
    process.on('warning', note)
    const unhandled = await unhandledDuring(async () => {
      for (const classify of [...said, thrown]) {
        const breaker = new CircuitBreaker()
        const one = new Ledger(breaker)
        await (await get(origin, opened(new undici.Agent()).compose(breakerInterceptor(breaker, { classify })))).body.dump()
        expect(one.verdicts).toEqual(['failure'])
      }
    })
    process.off('warning', note)
    expect(unhandled).toEqual([])
    // Each is said once, whichever client was first.
    if (version === 6)
      expect(warnings).toEqual(
        expect.arrayContaining([expect.stringContaining('classify returned "bad"'), expect.stringContaining('classify threw: Error: my own mistake')]),
      )
  })

  it('leaves no listener on a signal of ten thousand calls, and no warning', async () => {
    const server = await http.serve(http.answer(200))
    const { signal } = new AbortController()
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    for (let batch = 0; batch < MANY / 10; batch++) {
      // Ten at once are as many as Node lets listen to one signal without a warning, guarded or not.
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          const { body } = await agent.request({ origin: server.origin, path: '/', method: 'GET', signal })
          await body.dump()
        }),
      )
    }
    process.off('warning', note)
    expect(server.requests).toBe(MANY)
    expect(ledger.verdicts).toEqual(Array(MANY).fill('success'))
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(warnings).toEqual([])
  }, 60_000)
})

describe('an interceptor', () => {
  it('works below the fetch of the platform', async () => {
    const { undici } = clients.find(({ version }) => version === 7)!
    const guards = new BreakerRegistry({ failureThreshold: 1 })
    const dispatcher = opened(new undici.Agent()).compose(breakerInterceptor(guards))
    const { origin } = await http.serve(http.cutBody)
    const ask = () => fetch(origin, { dispatcher } as unknown as RequestInit)
    await rejectionOf((await ask()).text())
    expect(findCircuitOpenError(await rejectionOf(ask()))).toMatchObject({ breaker: origin, reason: 'open' })
  })

  it.each([
    ['guards', [undefined], 'breakerInterceptor: expected a registry or a breaker, got undefined'],
    ['options', [new CircuitBreaker(), null], 'breakerInterceptor: expected an object of options, got null'],
    ['option', [new CircuitBreaker(), { clasify: () => 'success' }], 'breakerInterceptor: unknown option "clasify"; known are key, classify'],
    ['key', [new CircuitBreaker(), { key: 'host' }], 'key: expected a function, got "host"'],
    ['classify', [new CircuitBreaker(), { classify: {} }], 'classify: expected a function, got an object'],
  ])('does not take wrong %s', (_what, args, message) => {
    expect(() => breakerInterceptor(...(args as unknown as [RegistryLike]))).toThrow(new TypeError(message))
  })

  it('takes undefined for an option as if it had not been given', () => {
    expect(breakerInterceptor(new CircuitBreaker(), { key: undefined, classify: undefined })).toBeTypeOf('function')
  })
})
