import { assertType, expectTypeOf, test } from 'vitest'
import { BreakerRegistry, CircuitBreaker, type Snapshot } from '../../src/index.js'
import { explain } from '../../src/adapters/explain.js'

test('takes a snapshot, some, a breaker, or a registry of any keys', () => {
  expectTypeOf(explain(new CircuitBreaker())).toEqualTypeOf<string>()
  assertType<string>(explain(new BreakerRegistry<symbol>()))
  assertType<string>(explain(new CircuitBreaker().snapshot()))
  assertType<string>(explain(JSON.parse('[]') as readonly Snapshot[]))
})

test('takes no string: JSON is parsed first', () => {
  // @ts-expect-error -- not parsed
  assertType<string>(explain('{}'))
})
