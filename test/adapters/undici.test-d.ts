// The interceptor is one of each undici's own, under each undici's own types.
import type { Dispatcher as Dispatcher6, Agent as Agent6 } from 'undici6'
import type { Dispatcher as Dispatcher7, Agent as Agent7 } from 'undici7'
import { assertType, describe, expectTypeOf, it } from 'vitest'
import { breakerInterceptor, type BreakerInterceptor } from '../../src/adapters/undici.js'
import type { BreakerRegistry, CircuitBreaker, Verdict } from '../../src/index.js'
import type { Dispatcher as Dispatcher8, Agent as Agent8 } from '../consumers/node_modules/undici8/index.js'

declare const upstreams: BreakerRegistry
declare const breaker: CircuitBreaker
declare const tenants: BreakerRegistry<symbol>

describe('breakerInterceptor', () => {
  it('is an interceptor of undici 6', () => {
    expectTypeOf(breakerInterceptor(upstreams)).toExtend<Dispatcher6.DispatcherComposeInterceptor>()
    expectTypeOf((agent: Agent6) => agent.compose(breakerInterceptor(breaker))).returns.toExtend<Dispatcher6>()
  })

  it('is an interceptor of undici 7', () => {
    expectTypeOf(breakerInterceptor(upstreams)).toExtend<Dispatcher7.DispatcherComposeInterceptor>()
    expectTypeOf((agent: Agent7) => agent.compose([breakerInterceptor(breaker)])).returns.toExtend<Dispatcher7>()
  })

  it('is an interceptor of undici 8', () => {
    // Should these be `any`, `npm run consumers` has not been run.
    expectTypeOf<Dispatcher8>().not.toBeAny()
    expectTypeOf(breakerInterceptor(upstreams)).toExtend<Dispatcher8.DispatcherComposeInterceptor>()
    expectTypeOf((agent: Agent8) => agent.compose(breakerInterceptor(breaker))).returns.toExtend<Dispatcher8>()
  })

  it('wants to be told the key of a registry whose keys are not strings', () => {
    // @ts-expect-error -- the origin is a string
    breakerInterceptor(tenants)
    expectTypeOf(breakerInterceptor(tenants, { key: () => Symbol('tenant') })).toExtend<Dispatcher7.DispatcherComposeInterceptor>()
    // @ts-expect-error -- not such a key
    breakerInterceptor(tenants, { key: ({ path }) => path })
  })

  it('knows its options', () => {
    assertType<BreakerInterceptor>(breakerInterceptor(upstreams, { classify: (status) => (status === 429 ? { openFor: 1_000 } : undefined) }))
    assertType<BreakerInterceptor>(breakerInterceptor(upstreams, { classify: (): Verdict => 'ignored', key: ({ method, path }) => `${method} ${path}` }))
    // @ts-expect-error -- no verdict
    breakerInterceptor(upstreams, { classify: () => 'fine' })
    // @ts-expect-error -- no such option
    breakerInterceptor(upstreams, { fallback: () => undefined })
  })
})
