import { afterEach, expect, it, vi } from 'vitest'
import { CircuitBreaker } from '../../src/index.js'

afterEach(() => void vi.useRealTimers())

it('probes again after thirty seconds', async () => {
  vi.useFakeTimers()
  const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 30_000 })
  await expect(breaker.execute(() => Promise.reject(new Error('down')))).rejects.toThrow('down')
  expect(breaker.state).toBe('open')

  vi.advanceTimersByTime(30_000)
  expect(await breaker.execute(() => 'up again')).toBe('up again')
  expect(breaker.state).toBe('closed')
})
