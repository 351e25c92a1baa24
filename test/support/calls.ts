import { CircuitBreaker, ManualClock, type CircuitBreakerOptions, type Transition } from '../../src/index.js'

/** As many calls as show what leaks: fewer where each test runs a thousand times, on faults made on purpose. Divides by 16 and by 10. */
export const MANY = Number(process.env.MANY_CALLS ?? 10_000)

/** The tests' few words: fail, succeed, ignore, each so many calls in a row; a refused call is an error of the test. */
export function fail(breaker: CircuitBreaker, times = 1, error: unknown = new Error('the downstream failed')): void {
  for (let n = 0; n < times; n++) breaker.acquire().failure(error)
}

export function succeed(breaker: CircuitBreaker, times = 1): void {
  for (let n = 0; n < times; n++) breaker.acquire().success()
}

export function ignore(breaker: CircuitBreaker, times = 1): void {
  for (let n = 0; n < times; n++) breaker.acquire().ignore()
}

/** A breaker on a manual clock, which trips at the first failure and stays open for a second unless told otherwise. */
export function manual(options: CircuitBreakerOptions = {}): { breaker: CircuitBreaker; clock: ManualClock } {
  const clock = new ManualClock()
  const trip = options.trip === undefined ? { failureThreshold: 1 } : {}
  return { clock, breaker: new CircuitBreaker({ ...trip, recoveryTimeout: 1_000, ...options, clock }) }
}

/** The same, and tripped at this moment. */
export function tripped(options: CircuitBreakerOptions = {}): { breaker: CircuitBreaker; clock: ManualClock } {
  const made = manual(options)
  fail(made.breaker)
  return made
}

/** Every transition from here on, written `closed>open`. */
export function chainOf(breaker: { observe: CircuitBreaker['observe'] }): string[] {
  const chain: string[] = []
  breaker.observe({ transition: ({ from, to }: Transition) => void chain.push(`${from}>${to}`) })
  return chain
}

/** A promise and the two ways to settle it. */
export function deferred<T = unknown>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (reason: unknown) => void } {
  let resolve!: (value: T) => void
  let reject!: (reason: unknown) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

/** What a promise rejects with; that it does not reject is an error. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  const nothing = Symbol('nothing')
  const reason: unknown = await promise.then(
    () => nothing,
    (error: unknown) => error,
  )
  if (reason === nothing) throw new Error('the promise resolved')
  return reason
}

/** What becomes of everything that nobody handles while `act` runs, and one turn of the event loop longer. */
export async function unhandledDuring(act: () => unknown): Promise<unknown[]> {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  process.on('uncaughtException', note)
  try {
    await act()
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
  } finally {
    process.off('unhandledRejection', note)
    process.off('uncaughtException', note)
  }
  return unhandled
}
