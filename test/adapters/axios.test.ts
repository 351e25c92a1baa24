// Whose breaker takes a call of axios, what a refusal is, and what is no evidence.
import { getEventListeners } from 'node:events'
import axios, { AxiosError, type AxiosAdapter, type AxiosResponse } from 'axios'
import { afterEach, describe, expect, it } from 'vitest'
import { breakerAdapter } from '../../src/adapters/axios.js'
import { BreakerRegistry, CircuitBreaker, CircuitOpenError, ManualClock, type RegistryLike } from '../../src/index.js'
import { MANY, rejectionOf, unhandledDuring } from '../support/calls.js'
import * as http from '../support/http.js'
import { Ledger } from '../support/outcomes.js'

afterEach(http.closeServers)

const valid = "expected 'success', 'failure', 'ignored' or { openFor: ms }, so its default is used"

describe('a guarded adapter of axios', () => {
  const answers = (response: object = { status: 200, data: '' }) => (() => Promise.resolve(response)) as unknown as AxiosAdapter
  const instance = (guards: RegistryLike, adapter = answers()) => axios.create({ adapter: breakerAdapter(guards, adapter) })
  const keysOf = (guards: BreakerRegistry) => [...guards].map(([key]) => key)

  it.each([
    [{ url: 'https://a.test/path' }, 'https://a.test'],
    [{ url: '/path', baseURL: 'https://b.test:8443/api/' }, 'https://b.test:8443'],
    [{ url: 'path', baseURL: 'HTTPS://B.test:443' }, 'https://b.test'],
    [{ baseURL: 'https://b.test' }, 'https://b.test'],
    [{ url: 'https://a.test/path', baseURL: 'https://b.test' }, 'https://a.test'],
    [{ url: 'https://a.test/path', baseURL: 'https://b.test', allowAbsoluteUrls: false }, 'https://b.test'],
  ])('charges a call of %j to %s', async (config, key) => {
    const guards = new BreakerRegistry()
    await instance(guards).request(config)
    expect(keysOf(guards)).toEqual([key])
  })

  it('charges a call to the key that it is told', async () => {
    const guards = new BreakerRegistry<symbol>()
    const tenant = Symbol('tenant')
    const seen: string[] = []
    const adapter = breakerAdapter(guards, answers(), {
      key: (url) => {
        seen.push(url.href)
        return tenant
      },
    })
    await axios.create({ baseURL: 'https://b.test', adapter }).get('/path')
    expect({ seen, keys: [...guards].map(([key]) => key) }).toEqual({ seen: ['https://b.test/path'], keys: [tenant] })
  })

  // Whatever its types say.
  it.each([
    [{ url: 'https://a.test/path', signal: null }, 'https://a.test'],
    [{ url: 'https://a.test/path', cancelToken: null, data: null }, 'https://a.test'],
    [{ url: 'https://a.test/path', baseURL: null, allowAbsoluteUrls: false }, 'https://a.test'],
    [{ url: null, baseURL: 'https://b.test' }, 'https://b.test'],
  ])('takes null for nothing, as axios does: %j is charged to %s, and judged by its answer or its error', async (config, key) => {
    const guards = new BreakerRegistry()
    const ledger = new Ledger(guards)
    await instance(guards).request(config as object)
    const error = new AxiosError('Network Error', 'ERR_NETWORK')
    expect(await rejectionOf(instance(guards, () => Promise.reject(error)).request(config as object))).toBe(error)
    expect({ keys: keysOf(guards), verdicts: ledger.verdicts }).toEqual({ keys: [key], verdicts: ['success', 'failure'] })
  })

  it('charges nobody for a URL of null that nothing completes', async () => {
    const guards = new BreakerRegistry()
    await instance(guards).request({ url: null, baseURL: null } as object)
    expect(keysOf(guards)).toEqual([])
  })

  it('asks for no key when there is one breaker for all', async () => {
    const breaker = new CircuitBreaker({ failureThreshold: 1 })
    const adapter = breakerAdapter(breaker, answers({ status: 500, data: '' }), { key: () => expect.unreachable() })
    await axios.create({ adapter }).get('https://a.test')
    expect(await rejectionOf(axios.create({ adapter }).get('https://b.test'))).toBeInstanceOf(CircuitOpenError)
  })

  it('does not guard what reaches no host', async () => {
    const guards = new BreakerRegistry()
    const { data } = await instance(guards, axios.getAdapter('http')).get<unknown>('data:text/plain,hello')
    expect({ data: String(data), keys: keysOf(guards) }).toEqual({ data: 'hello', keys: [] })
  })

  it('refuses without asking the adapter, and tells why', async () => {
    const breaker = new CircuitBreaker({ failureThreshold: 1, clock: new ManualClock() })
    const asked: unknown[] = []
    const api = axios.create({
      adapter: breakerAdapter(breaker, (config) => {
        asked.push(config)
        return answers({ status: 500, data: '' })(config)
      }),
    })
    await api.get('https://a.test')
    const error = await rejectionOf(api.get('https://a.test'))
    expect(error).toBeInstanceOf(CircuitOpenError)
    expect(error).toMatchObject({ reason: 'open', retryAfterMs: 30_000, cause: { message: 'The host answered with status 500' } })
    expect(asked).toHaveLength(1)
  })

  it('takes a network error of an adapter of somebody else, whatever its kind, as a failure', async () => {
    const guards = new BreakerRegistry()
    const ledger = new Ledger(guards)
    for (const error of [new TypeError('fetch failed'), undefined, 'a string', new AxiosError('Network Error', 'ERR_NETWORK')]) {
      const failing = (() => Promise.reject(error)) as AxiosAdapter
      expect(await rejectionOf(instance(guards, failing).get('https://a.test'))).toBe(error)
    }
    expect(ledger.verdicts).toEqual(Array(4).fill('failure'))
  })

  it('hands on whatever an adapter of somebody else answers', async () => {
    const breaker = new CircuitBreaker()
    const ledger = new Ledger(breaker)
    const adapter = breakerAdapter(breaker, () => Promise.resolve(undefined as unknown as AxiosResponse)) as unknown as (config: object) => Promise<unknown>
    expect(await adapter({ url: 'https://a.test' })).toBe(undefined)
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('counts a refusal below it as no evidence (law 8)', async () => {
    const below = new BreakerRegistry()
    below.for('https://a.test').forceOpen()
    const guards = new BreakerRegistry()
    const ledger = new Ledger(guards)
    await rejectionOf(instance(guards, breakerAdapter(below, answers())).get('https://a.test'))
    expect(ledger.verdicts).toEqual(['ignored'])
  })

  it.each([
    ['http', MANY],
    ['fetch', MANY / 5],
  ] as const)(
    'with the adapter for %s, leaves no listener on a signal of %i calls, and no warning',
    async (name, calls) => {
      const server = await http.serve(http.answer(200))
      const breaker = new CircuitBreaker()
      const ledger = new Ledger(breaker)
      const api = axios.create({ proxy: false, adapter: breakerAdapter(breaker, axios.getAdapter(name)) })
      const { signal } = new AbortController()
      const warnings: Error[] = []
      const note = (warning: Error) => void warnings.push(warning)
      process.on('warning', note)
      for (let batch = 0; batch < calls / 10; batch++) await Promise.all(Array.from({ length: 10 }, () => api.get(server.origin, { signal })))
      process.off('warning', note)
      expect(ledger.verdicts).toEqual(Array(calls).fill('success'))
      expect(getEventListeners(signal, 'abort')).toEqual([])
      expect(warnings).toEqual([])
    },
    120_000,
  )

  it('judges by the default where a classifier throws or says nonsense (law 17)', async () => {
    const said = [() => Promise.reject(new Error('too late')), () => 'bad', () => ({ openFor: NaN })].map((classify) => classify as unknown as () => undefined)
    const thrown = () => {
      throw new Error('my own mistake')
    }
    const warnings: string[] = []
    const note = ({ name, message }: Error) => name === 'LazybreakerWarning' && warnings.push(message)
    process.on('warning', note)
    const unhandled = await unhandledDuring(async () => {
      for (const classify of [...said, thrown]) {
        const breaker = new CircuitBreaker()
        const ledger = new Ledger(breaker)
        await axios.create({ adapter: breakerAdapter(breaker, answers({ status: 500, data: '' }), { classify }) }).get('https://a.test')
        expect(ledger.verdicts).toEqual(['failure'])
      }
    })
    process.off('warning', note)
    expect(unhandled).toEqual([])
    expect(warnings).toEqual([
      `classify returned an object; ${valid}`,
      `classify returned "bad"; ${valid}`,
      'classify threw: Error: my own mistake',
    ])
  })

  it.each([
    ['guards', [null, answers()], 'breakerAdapter: expected a registry or a breaker, got null'],
    ['an adapter', [new CircuitBreaker(), 'http'], 'breakerAdapter: expected an adapter, got "http"; axios.getAdapter(…) gives the one of a name'],
    ['options', [new CircuitBreaker(), answers(), null], 'breakerAdapter: expected an object of options, got null'],
    ['an option', [new CircuitBreaker(), answers(), { fallback: () => 1 }], 'breakerAdapter: unknown option "fallback"; known are key, classify'],
    ['a key', [new CircuitBreaker(), answers(), { key: 'host' }], 'key: expected a function, got "host"'],
  ])('does not take what is not %s', (_what, args, message) => {
    expect(() => breakerAdapter(...(args as unknown as [RegistryLike, AxiosAdapter]))).toThrow(new TypeError(message))
  })
})
