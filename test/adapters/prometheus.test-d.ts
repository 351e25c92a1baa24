import { Registry, register, type OpenMetricsContentType } from 'prom-client'
import { assertType, expectTypeOf, test } from 'vitest'
import { BreakerRegistry, CircuitBreaker } from '../../src/index.js'
import { instrument } from '../../src/adapters/prometheus.js'

const upstreams = new BreakerRegistry<URL>()

test('takes the register of prom-client, of either format, and a registry or a breaker', () => {
  expectTypeOf(instrument(upstreams, { register })).toEqualTypeOf<() => void>()
  assertType<() => void>(instrument(new BreakerRegistry(), { register: new Registry<OpenMetricsContentType>() }))
  assertType<() => void>(instrument(new CircuitBreaker(), { register: new Registry(), prefix: undefined, names: { state: undefined }, group: () => 'mine' }))
})

test('group is given the keys of the registry', () => {
  assertType<() => void>(instrument(upstreams, { register, group: (url) => url.host }))
  // @ts-expect-error -- the keys are URLs
  assertType<() => void>(instrument(upstreams, { register, group: (key: string) => key }))
  // @ts-expect-error -- a label is a string
  assertType<() => void>(instrument(upstreams, { register, group: () => 1 }))
})

test('wants a register, and names of metrics that it has', () => {
  // @ts-expect-error -- nowhere to export to
  assertType<() => void>(instrument(upstreams, {}))
  // @ts-expect-error -- no such metric
  assertType<() => void>(instrument(upstreams, { register, names: { stat: 'x' } }))
})
