// What is guarded keeps its type: Node's fetch here; browsers and workers are checked as consumers of the package.
import type { KyInstance, Options as KyOptions } from 'ky'
import type { ClientOptions } from 'openai'
import type { fetch as fetch6 } from 'undici6'
import type { fetch as fetch7, Response as Response7 } from 'undici7'
import { describe, expectTypeOf, it } from 'vitest'
import { breakerFetch, type BreakerFetchOptions } from '../../src/adapters/fetch.js'
import { BreakerRegistry, type BreakerLike, type CircuitBreaker, type CircuitOpenError, type RegistryLike } from '../../src/index.js'

declare const registry: BreakerRegistry
declare const breaker: CircuitBreaker

describe('breakerFetch', () => {
  it('gives the type of the global fetch', () => {
    expectTypeOf(breakerFetch(registry)).toEqualTypeOf<typeof fetch>()
    expectTypeOf(breakerFetch(breaker, { retryAfter: true, body: 'settle' })).toEqualTypeOf<typeof fetch>()
    expectTypeOf(breakerFetch({} as RegistryLike | BreakerLike)).toEqualTypeOf<typeof fetch>()
    expectTypeOf(breakerFetch(registry)('http://a.example')).resolves.toEqualTypeOf<Response>()
  })

  it('types a wrapped fetch that is written in place by its use', () => {
    const guarded = breakerFetch(registry, {
      fetch: (input, init) => {
        expectTypeOf(init).toEqualTypeOf<RequestInit | undefined>()
        return fetch(input, { ...init, redirect: 'error' })
      },
    })
    expectTypeOf(guarded).toEqualTypeOf<typeof fetch>()
  })

  it('gives the type of another fetch', () => {
    expectTypeOf(breakerFetch(registry, { fetch: {} as typeof fetch6 })).toExtend<typeof fetch6>()
    expectTypeOf(breakerFetch(registry, { fetch: {} as typeof fetch7 })).toExtend<typeof fetch7>()
    type Bare = (url: string) => Promise<{ status: number; headers: Map<string, string> & { get(name: string): string | null }; extra: 1 }>
    expectTypeOf(breakerFetch(registry, { fetch: {} as Bare })).toEqualTypeOf<Bare>()
    type Preconnecting = typeof fetch & { preconnect(url: string): void }
    expectTypeOf(breakerFetch<Preconnecting>(registry, { fetch: {} as Preconnecting })).toEqualTypeOf<Preconnecting>()
  })

  it('fits where clients take a fetch', () => {
    expectTypeOf(breakerFetch(registry)).toExtend<NonNullable<KyOptions['fetch']>>()
    expectTypeOf<KyInstance>().toHaveProperty('extend')
    expectTypeOf(breakerFetch(registry)).toExtend<NonNullable<ClientOptions['fetch']>>()
  })

  it('types what its functions get', () => {
    breakerFetch(registry, {
      key: (url) => {
        expectTypeOf(url).toEqualTypeOf<URL>()
        return url.host
      },
      classify: (status, response) => {
        expectTypeOf(status).toBeNumber()
        expectTypeOf(response).toEqualTypeOf<Response>()
        return status === 429 ? 'failure' : undefined
      },
      fallback: (error, request) => {
        expectTypeOf(error).toEqualTypeOf<CircuitOpenError>()
        expectTypeOf(request).toEqualTypeOf<Request>()
        return new Response(request.url)
      },
    })
    expectTypeOf<BreakerFetchOptions<typeof fetch7>['classify']>().parameter(1).toEqualTypeOf<Response7>()
  })

  it('takes keys of any type, of a registry that has them', () => {
    const tenants = new BreakerRegistry<{ tenant: string }>()
    expectTypeOf(breakerFetch(tenants, { key: (url) => ({ tenant: url.host }) })).toEqualTypeOf<typeof fetch>()
    // @ts-expect-error -- an origin is no key of this registry
    breakerFetch(tenants)
    // @ts-expect-error -- nor is a number
    breakerFetch(tenants, { key: () => 5 })
    // @ts-expect-error -- nor of one whose keys are strings
    breakerFetch(registry, { key: () => 5 })
  })

  it('admits undefined everywhere', () => {
    expectTypeOf(breakerFetch(registry, undefined)).toEqualTypeOf<typeof fetch>()
    breakerFetch(registry, { fetch: undefined, key: undefined, classify: undefined, retryAfter: undefined, body: undefined, fallback: undefined })
    breakerFetch(registry, { retryAfter: { max: undefined } })
  })

  it('refuses what it does not know', () => {
    expectTypeOf(breakerFetch).toBeCallableWith(registry, { body: 'settle' })
    // @ts-expect-error -- unknown option
    breakerFetch(registry, { retryafter: true })
    // @ts-expect-error -- no such way
    breakerFetch(registry, { body: 'ignore' })
    // @ts-expect-error -- a number of what?
    breakerFetch(registry, { retryAfter: 5_000 })
    // @ts-expect-error -- neither a registry nor a breaker
    breakerFetch(new Map())
    // @ts-expect-error -- not a Response
    breakerFetch(registry, { fallback: () => 'cached' })
    // @ts-expect-error -- not a verdict
    breakerFetch(registry, { classify: () => 'bad' })
  })
})
