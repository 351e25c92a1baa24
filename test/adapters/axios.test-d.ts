// A guarded adapter of axios is an adapter of axios.
import axios, { type AxiosAdapter, type AxiosInstance } from 'axios'
import { assertType, describe, expectTypeOf, it } from 'vitest'
import { breakerAdapter } from '../../src/adapters/axios.js'
import type { BreakerRegistry, CircuitBreaker } from '../../src/index.js'

declare const upstreams: BreakerRegistry
declare const breaker: CircuitBreaker
declare const tenants: BreakerRegistry<symbol>
declare const adapter: AxiosAdapter

describe('breakerAdapter', () => {
  it('is an adapter', () => {
    expectTypeOf(breakerAdapter(upstreams, adapter)).toExtend<AxiosAdapter>()
    expectTypeOf(breakerAdapter(breaker, axios.getAdapter(['http', 'fetch']))).toExtend<AxiosAdapter>()
    expectTypeOf(axios.create({ adapter: breakerAdapter(upstreams, axios.getAdapter(axios.defaults.adapter)) })).toEqualTypeOf<AxiosInstance>()
  })

  it('wants to be told the key of a registry whose keys are not strings', () => {
    // @ts-expect-error -- the origin is a string
    breakerAdapter(tenants, adapter)
    expectTypeOf(breakerAdapter(tenants, adapter, { key: () => Symbol('tenant') })).toExtend<AxiosAdapter>()
  })

  it('knows its options', () => {
    assertType<AxiosAdapter>(
      breakerAdapter(upstreams, adapter, {
        key: (url, config) => `${url.hostname} ${config.baseURL ?? ''}`,
        classify: (status) => (status === 404 ? 'failure' : undefined),
      }),
    )
    // @ts-expect-error -- no verdict
    breakerAdapter(upstreams, adapter, { classify: () => 'fine' })
    // @ts-expect-error -- no such option
    breakerAdapter(upstreams, adapter, { fallback: () => undefined })
  })
})
