import { assertType, expectTypeOf, test } from 'vitest'
import { BreakerRegistry, CircuitBreaker } from '../../src/index.js'
import { publish } from '../../src/adapters/diagnostics.js'

test('publishes a breaker, or a registry of any keys', () => {
  expectTypeOf(publish(new CircuitBreaker())).toEqualTypeOf<() => void>()
  assertType<() => void>(publish(new BreakerRegistry<symbol>()))
})

test('publishes nothing else', () => {
  // @ts-expect-error -- cannot be observed
  assertType<() => void>(publish({}))
})
