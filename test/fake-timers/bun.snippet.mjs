import { afterEach, expect, jest, test } from 'bun:test'
import { CircuitBreaker } from 'lazybreaker'

afterEach(() => jest.useRealTimers())

test('probes again after thirty seconds', async () => {
  jest.useFakeTimers()
  const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 30_000 })
  await expect(breaker.execute(() => Promise.reject(new Error('down')))).rejects.toThrow('down')
  expect(breaker.state).toBe('open')

  jest.advanceTimersByTime(30_000)
  expect(await breaker.execute(() => 'up again')).toBe('up again')
  expect(breaker.state).toBe('closed')
})
