import { expect, it } from 'vitest'
import { registryOf } from '../../../src/adapters/measured.js'
import { fail, tripped } from '../../support/calls.js'

it('one breaker, as a registry of one, is an outage as long as it is not closed', () => {
  const { breaker, clock } = tripped()
  const registry = registryOf(breaker)
  expect([...registry.outages()]).toEqual([[undefined, breaker]])
  clock.advance(1_000)
  breaker.acquire().success()
  expect([...registry.outages()]).toEqual([])
  fail(breaker)
  expect([...registry.outages()]).toHaveLength(1)
})
