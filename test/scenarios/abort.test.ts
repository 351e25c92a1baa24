import { describe, expect, it } from 'vitest'
import { CircuitOpenError, type Settled } from '../../src/index.js'
import { deferred, fail, manual, rejectionOf, tripped } from '../support/calls.js'

/** What one call of `execute` that rejects so, with this signal, counts as. */
async function outcomeOf(error: unknown, signal?: AbortSignal): Promise<string | undefined> {
  const { breaker } = manual({ failureThreshold: 9 })
  const settled: Settled[] = []
  breaker.observe({ settled: (event) => void settled.push(event) })
  const call = deferred()
  const answer = breaker.execute(() => call.promise, { signal })
  call.reject(error)
  expect(await rejectionOf(answer)).toBe(error)
  expect(settled).toHaveLength(1)
  return settled[0]?.outcome
}

/** A signal that is live when the call starts and aborted when it rejects. */
async function outcomeOfAbort(reason: unknown, errorOf: (reason: unknown) => unknown = (given) => given): Promise<string | undefined> {
  const { breaker } = manual({ failureThreshold: 9 })
  const settled: Settled[] = []
  breaker.observe({ settled: (event) => void settled.push(event) })
  const controller = new AbortController()
  const { signal } = controller
  const answer = breaker.execute(
    () =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(errorOf(signal.reason)))
      }),
    { signal },
  )
  controller.abort(reason)
  await rejectionOf(answer)
  return settled[0]?.outcome
}

const timeout = () => new DOMException('The operation timed out.', 'TimeoutError')
const abort = () => new DOMException('This operation was aborted', 'AbortError')

describe('who cancelled decides, not what the error is called (B13, B14, law 8)', () => {
  it('ignores a call whose own caller aborted it, whatever the error', async () => {
    expect(await outcomeOfAbort(undefined)).toBe('ignored')
    expect(await outcomeOfAbort('navigated away')).toBe('ignored')
    expect(await outcomeOfAbort(new Error('shutting down'))).toBe('ignored')
    expect(await outcomeOfAbort(null)).toBe('ignored')
    expect(await outcomeOfAbort(undefined, (cause) => new Error('request failed', { cause }))).toBe('ignored')
  })

  it('counts a deadline of the caller: a TimeoutError is evidence', async () => {
    expect(await outcomeOfAbort(timeout())).toBe('failure')
    expect(await outcomeOfAbort(timeout(), (cause) => new Error('request failed', { cause }))).toBe('failure')
    expect(await outcomeOfAbort(Object.assign(new Error('deadline'), { name: 'TimeoutError' }))).toBe('failure')
  })

  it('looks at the reason of a signal made of several, not at the name of the error', async () => {
    const user = new AbortController()
    const deadline = new AbortController()
    const both = AbortSignal.any([user.signal, deadline.signal])
    deadline.abort(timeout())
    user.abort()
    expect(both.reason).toMatchObject({ name: 'TimeoutError' })
    const { breaker } = manual({ failureThreshold: 9 })
    const waiting = new AbortController()
    const either = AbortSignal.any([waiting.signal])
    const call = deferred()
    const answer = breaker.execute(() => call.promise, { signal: either })
    waiting.abort(timeout())
    call.reject(abort())
    await rejectionOf(answer)
    expect(breaker.snapshot().failures).toBe(1)
  })

  it('counts an AbortError that no caller of ours made', async () => {
    expect(await outcomeOf(abort())).toBe('failure')
    expect(await outcomeOf(abort(), new AbortController().signal)).toBe('failure')
    expect(await outcomeOf(timeout())).toBe('failure')
  })

  it('does not ask the classifier about what is no evidence', async () => {
    const asked: unknown[] = []
    const { breaker } = manual({
      classifyError: (error) => {
        asked.push(error)
        return 'failure'
      },
    })
    const controller = new AbortController()
    const call = deferred()
    const answer = breaker.execute(() => call.promise, { signal: controller.signal })
    controller.abort()
    call.reject(new Error('socket closed'))
    await rejectionOf(answer)
    expect(asked).toEqual([])
    expect(breaker.state).toBe('closed')
  })

  it('takes a value that arrives after the abort for what it is: a success', async () => {
    const { breaker } = manual({ failureThreshold: 2 })
    fail(breaker)
    const controller = new AbortController()
    const call = deferred<string>()
    const answer = breaker.execute(() => call.promise, { signal: controller.signal })
    controller.abort()
    call.resolve('it came all the same')
    expect(await answer).toBe('it came all the same')
    expect(breaker.snapshot().failures).toBe(0)
  })

  it('is the same for a permit, and whoever reports it', () => {
    const { breaker } = manual()
    const controller = new AbortController()
    const permit = breaker.acquire({ signal: controller.signal })
    controller.abort()
    expect(permit.failure(new Error('socket closed'))).toBe(true)
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failures: 0 })
    const other = breaker.acquire({ signal: AbortSignal.abort(timeout()) })
    other.failure(abort())
    expect(breaker.state).toBe('open')
  })

  it('frees the place of a cancelled probe, which decides nothing', async () => {
    const { breaker, clock } = tripped()
    clock.advance(1_000)
    const controller = new AbortController()
    const call = deferred()
    const answer = breaker.execute(() => call.promise, { signal: controller.signal })
    expect(breaker.canExecute).toBe(false)
    controller.abort()
    call.reject(controller.signal.reason)
    await rejectionOf(answer)
    expect(breaker.snapshot()).toMatchObject({ state: 'half-open', trips: 1 })
    expect(breaker.canExecute).toBe(true)
  })

  it('leaves an ignored call that was already slow counted as slow', () => {
    const { breaker, clock } = manual({ failureThreshold: 2, slowCallDuration: 100 })
    const controller = new AbortController()
    const permit = breaker.acquire({ signal: controller.signal })
    clock.advance(100)
    controller.abort()
    permit.failure(controller.signal.reason)
    expect(breaker.snapshot().failures).toBe(1)
  })
})

describe('a signal that is already aborted (B66, law 8)', () => {
  it.each(['closed', 'half-open', 'open', 'forced-open'] as const)('wins in state %s: nothing runs, nothing is taken, nothing counts', async (state) => {
    const { breaker, clock } = state === 'closed' ? manual() : tripped()
    if (state === 'half-open') clock.advance(1_000)
    if (state === 'forced-open') breaker.forceOpen()
    const before = breaker.snapshot()
    const told: unknown[] = []
    breaker.observe({ settled: (event) => void told.push(event), rejected: (event) => void told.push(event), transition: (event) => void told.push(event) })
    const reason = new Error('left before it began')
    let called = false
    const options = { signal: AbortSignal.abort(reason), fallback: () => 'old' }
    expect(await rejectionOf(breaker.execute(() => void (called = true), options))).toBe(reason)
    expect(called).toBe(false)
    expect(told).toEqual([])
    expect(breaker.snapshot()).toEqual(before)
  })

  it('may have a reason that is no error', async () => {
    const { breaker } = manual()
    for (const reason of ['bye', 0, null, false]) {
      expect(await rejectionOf(breaker.execute(() => 1, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    }
  })

  it('frees the place of a probe that is aborted between admission and its function', async () => {
    const { breaker, clock } = tripped()
    clock.advance(1_000)
    const controller = new AbortController()
    const end = breaker.observe({ transition: () => controller.abort() })
    await breaker.execute(() => Promise.reject(controller.signal.reason), { signal: controller.signal }).catch(() => {})
    end()
    expect(breaker.snapshot()).toMatchObject({ state: 'half-open', trips: 1 })
    expect(breaker.canExecute).toBe(true)
  })
})

describe('the reason of an abort (B64)', () => {
  it('reaches the caller untouched', async () => {
    const reason = { because: 'the user left' }
    const controller = new AbortController()
    const { breaker } = manual()
    const answer = breaker.execute(
      () =>
        new Promise((_, reject) => {
          controller.signal.addEventListener('abort', () => reject(controller.signal.reason))
        }),
      { signal: controller.signal },
    )
    controller.abort(reason)
    expect(await rejectionOf(answer)).toBe(reason)
  })

  it('gives way to the error of the function itself', async () => {
    const own = new Error('its own')
    const controller = new AbortController()
    const { breaker } = manual()
    const call = deferred()
    const answer = breaker.execute(() => call.promise, { signal: controller.signal })
    controller.abort('ours')
    call.reject(own)
    expect(await rejectionOf(answer)).toBe(own)
  })
})

describe('the signal is the caller’s own (B63)', () => {
  it('is not listened to: however many calls it guards, it holds none of them', async () => {
    const { breaker } = manual()
    const { signal } = new AbortController()
    let added = 0
    const add = signal.addEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      added++
      add(...args)
    }
    for (let n = 0; n < 50; n++) await breaker.execute(() => n, { signal })
    expect(added).toBe(0)
    expect(signal.aborted).toBe(false)
  })

  it('of one call says nothing about the next', async () => {
    const { breaker, clock } = manual()
    const controller = new AbortController()
    controller.abort()
    await breaker.execute(() => 1, { signal: controller.signal }).catch(() => {})
    fail(breaker)
    clock.advance(1_000)
    expect(await breaker.execute(() => 'fine', { signal: new AbortController().signal })).toBe('fine')
  })

  it('may be chosen per call of a wrapped function', async () => {
    const { breaker } = manual()
    const guarded = breaker.wrap((_path: string, { signal }: { signal?: AbortSignal } = {}) => Promise.reject(signal?.reason ?? new Error('down')), {
      signal: (_path, init) => init?.signal,
    })
    const controller = new AbortController()
    const answer = guarded('/x', { signal: controller.signal })
    controller.abort()
    await rejectionOf(answer)
    expect(await rejectionOf(guarded('/x', { signal: controller.signal }))).toBe(controller.signal.reason)
    expect(breaker.state).toBe('closed')
    await rejectionOf(guarded('/x'))
    expect(breaker.state).toBe('open')
  })
})

describe('a refusal is never evidence (B41, law 8)', () => {
  it('of an inner breaker reaches the caller with the inner name, and the outer breaker counts nothing', async () => {
    const inner = tripped({ name: 'inner' }).breaker
    const { breaker: outer } = manual({ name: 'outer' })
    const error = await rejectionOf(outer.execute(() => inner.execute(() => 1)))
    expect(error).toBeInstanceOf(CircuitOpenError)
    expect(error).toMatchObject({ breaker: 'inner' })
    expect(outer.snapshot()).toMatchObject({ state: 'closed', failures: 0 })
  })

  it('is none when it is the cause of another error, nor when somebody reports it by hand, nor when a classifier says so', async () => {
    const inner = tripped().breaker
    const refusal = await rejectionOf(inner.execute(() => 1))
    const { breaker: outer } = manual({ classifyError: () => 'failure' })
    await rejectionOf(outer.execute(() => Promise.reject(new Error('all tries failed', { cause: new Error('last', { cause: refusal }) }))))
    outer.acquire().failure(refusal)
    expect(outer.snapshot()).toMatchObject({ state: 'closed', failures: 0 })
  })

  it('retries inside a breaker are one failure, a breaker inside retries as many as there were tries', async () => {
    const threeTimes = async (attempt: () => Promise<unknown>) => {
      for (let n = 1; ; n++) {
        try {
          return await attempt()
        } catch (error) {
          if (n === 3 || (error as { code?: string }).code === 'ERR_CIRCUIT_OPEN') throw error
        }
      }
    }
    const down = () => Promise.reject(new Error('down'))
    const { breaker: outside } = manual({ failureThreshold: 9 })
    await rejectionOf(outside.execute(() => threeTimes(down)))
    expect(outside.snapshot().failures).toBe(1)
    const { breaker: inside } = manual({ failureThreshold: 2 })
    const error = await rejectionOf(threeTimes(() => inside.execute(down)))
    expect(error).toMatchObject({ code: 'ERR_CIRCUIT_OPEN', retryAfterMs: 1_000 })
    expect(inside.snapshot().trips).toBe(1)
  })
})
