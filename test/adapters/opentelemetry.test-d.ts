import { metrics, trace } from '@opentelemetry/api'
import { assertType, expectTypeOf, test } from 'vitest'
import { BreakerRegistry, CircuitBreaker } from '../../src/index.js'
import { instrument } from '../../src/adapters/opentelemetry.js'

const upstreams = new BreakerRegistry<URL>()
const meter = metrics.getMeter('types')

test('takes a meter and the trace API as they come from @opentelemetry/api', () => {
  expectTypeOf(instrument(upstreams, { meter, trace })).toEqualTypeOf<() => void>()
  assertType<() => void>(instrument(new CircuitBreaker(), { meter, trace: undefined, prefix: 'mine.' }))
})

test('group is given the keys of the registry', () => {
  assertType<() => void>(instrument(upstreams, { meter, group: (url) => url.host }))
  // @ts-expect-error -- the keys are URLs
  assertType<() => void>(instrument(upstreams, { meter, group: (key: string) => key }))
})

test('wants a meter', () => {
  // @ts-expect-error -- nowhere to export to
  assertType<() => void>(instrument(upstreams, { trace }))
})
