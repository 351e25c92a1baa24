// A service's use of the packed types. It is compiled, not run: by several compilers, as an ES module and as CommonJS.
import {
  anyOf,
  BreakerRegistry,
  CircuitBreaker,
  CircuitOpenError,
  consecutiveFailures,
  exponentialBackoff,
  failureRate,
  findCircuitOpenError,
  gradual,
  ManualClock,
  probes,
  singleProbe,
} from 'lazybreaker'
import type {
  BreakerRegistryOptions,
  CircuitBreakerOptions,
  Clock,
  Observer,
  Permit,
  Phase,
  Recovery,
  Rejected,
  Settled,
  Snapshot,
  State,
  Transition,
  Trip,
  Verdict,
} from 'lazybreaker'

const options: CircuitBreakerOptions = {
  name: 'payments',
  trip: anyOf(consecutiveFailures(5), failureRate({ rate: 0.5, window: { ms: 10_000 }, minimumCalls: 20 })),
  slowCallDuration: 1_000,
  recovery: gradual(),
  recoveryTimeout: exponentialBackoff({ initial: 1_000, jitter: 0.5 }),
  classifyError: (error): Verdict => (error instanceof RangeError ? 'ignored' : 'failure'),
}
const recoveries: Recovery[] = [singleProbe(), probes({ maxConcurrent: 2 }), gradual([{ ratio: 0.5, successThreshold: 3 } satisfies Phase])]
const breaker = new CircuitBreaker({ ...options, recovery: recoveries[0] })

const answer: Promise<number> = breaker.execute(() => 42)
const maybe: Promise<number | undefined> = breaker.execute(async () => 42, { fallback: () => undefined })
const guarded = breaker.wrap((id: number, _note?: string) => Promise.resolve(String(id)))
const text: Promise<string> = guarded(1)
// @ts-expect-error the guarded function takes what the function takes
void guarded('1')
// @ts-expect-error an option nobody knows
new CircuitBreaker({ resetTimeout: 30_000 })

const permit: Permit | undefined = breaker.tryAcquire()
permit?.success()

const clock: Clock = new ManualClock()
interface Host {
  readonly tier: number
}
const registryOptions: BreakerRegistryOptions<Host> = { clock, configure: ({ tier }) => (tier === 1 ? { failureThreshold: 3 } : undefined) }
const registry = new BreakerRegistry<Host>(registryOptions)
const observer: Observer = {
  transition(event: Transition) {
    const to: State = event.to
    return to
  },
  settled(event: Settled) {
    return event.outcome
  },
  rejected(event: Rejected) {
    return event.retryAfterMs
  },
}
const end: () => void = breaker.observe(observer)
for (const [{ tier }, one] of registry) {
  const snapshot: Snapshot = one.snapshot()
  void [tier, snapshot.state]
}

const everySecond: Trip<number> = {
  needsTime: false,
  fresh: () => 0,
  success: (memory) => memory,
  failure: (memory) => memory + 1,
  trips: (memory) => (memory % 2 === 1 ? 'odd' : undefined),
  counts: (memory) => ({ failures: memory }),
}

export function inspect(error: unknown): number {
  if (error instanceof CircuitOpenError) return error.retryAfterMs
  return findCircuitOpenError(error)?.retryAfterMs ?? 0
}
export { answer, end, everySecond, maybe, text }
