import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CircuitBreaker } from 'lazybreaker'

test('probes again after thirty seconds', async ({ mock }) => {
  mock.timers.enable({ apis: ['Date'] })
  // Only Date is faked here, so the breaker is told to go by it.
  const clock = { now: () => Date.now() }
  const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 30_000, clock })
  await assert.rejects(
    breaker.execute(() => Promise.reject(new Error('down'))),
    /down/,
  )
  assert.equal(breaker.state, 'open')

  mock.timers.tick(30_000)
  assert.equal(await breaker.execute(() => 'up again'), 'up again')
  assert.equal(breaker.state, 'closed')
})
