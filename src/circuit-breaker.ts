import { Circuit, Ground } from './breaker.js'
import { checkCall, checkSignal, checkString } from './check.js'
import { execute, type ExecuteOptions } from './execute.js'
import { Flight } from './in-flight.js'
import { Audience, type Observer, type State } from './observer.js'
import { DISABLED, Override } from './override.js'
import { Ticket, type AcquireOptions, type Permit } from './permit.js'
import { checkNames, makePlan, type SharedOptions } from './plan.js'
import { DEFAULT_RECOVERY_TIMEOUT } from './recovery-timeout.js'
import type { Snapshot } from './snapshot.js'
import type { CircuitOpenError } from './errors.js'
import type { AbortSignalLike } from './verdict.js'
import { wrap, type AnyFunction, type Guarded, type WrapOptions } from './wrap.js'

export interface CircuitBreakerOptions extends SharedOptions {
  /** Shown in errors, events and metrics. */
  readonly name?: string | undefined
}

/**
 * A circuit breaker that recovers when asked, not when a timer says so.
 *
 * @example
 * ```ts
 * const payments = new CircuitBreaker({ name: 'payments', failureThreshold: 5, recoveryTimeout: 30_000 })
 * const receipt = await payments.execute(() => charge(order))
 * ```
 */
export class CircuitBreaker extends Circuit {
  /** @throws TypeError or RangeError naming the option, the rule and the value got */
  constructor(options?: CircuitBreakerOptions)
  /** A breaker of a registry. @internal */
  constructor(ground: Ground, key: unknown)
  constructor(options: CircuitBreakerOptions | Ground = {}, key?: unknown) {
    if (options instanceof Ground) {
      super(options, key)
    } else {
      if (typeof options === 'function') throw new TypeError('options: expected an object, got a function; the function goes to execute(fn) or wrap(fn)')
      const { name } = checkNames(options, ['name'])
      super(new Ground(makePlan(options), new Audience(), null), name === undefined ? undefined : checkString('name', name))
    }
  }

  /**
   * Calls `fn` if the circuit lets it, and judges the call by what becomes of it. The caller gets `fn`'s own value or error, the same object.
   * Never throws synchronously.
   *
   * @returns rejects with `CircuitOpenError` if the call is refused and there is no fallback, with the signal's reason if that is aborted already,
   * with a TypeError if `fn` is no function or an option is wrong
   */
  execute<T, Fallback = never>(fn: () => T, options?: ExecuteOptions<Fallback>): Promise<Awaited<T> | Awaited<Fallback>> {
    return execute(this, fn, options)
  }

  /**
   * Guards a function once and for all. Made once, where the function is; a breaker that is made for each call has no memory.
   * @throws TypeError if `fn` is not a function, or an option is wrong
   */
  wrap<Fn extends AnyFunction, Fallback = never>(fn: Fn, options: WrapOptions<Fn, Fallback> = {}): Guarded<Fn, Fallback> {
    return wrap(() => this, fn, options)
  }

  /** What the breaker is now. Reading changes nothing. */
  get state(): State {
    const { outage, now } = this.look()
    return outage === null ? 'closed' : outage.stateAt(now)
  }

  /** Would a call be admitted now? Reading takes no place. */
  get canExecute(): boolean {
    const { outage, now } = this.look()
    return outage?.refusalAt(now) === undefined
  }

  /**
   * Milliseconds until a call may be admitted: 0 if one would be now, else a time after which none is refused for being early. May be
   * fractional; for a timer use `Math.ceil(ms) + 1`.
   */
  get retryAfterMs(): number {
    const { outage, now, clock } = this.look()
    return outage?.refusalAt(now) === undefined ? 0 : outage.patience(clock)
  }

  /** A copy of what the breaker knows, as plain data. */
  snapshot(): Snapshot {
    return this.describe()
  }

  /**
   * Asks to make a call, whose outcome the caller then reports.
   * @throws CircuitOpenError if the call is refused, TypeError if an option is wrong
   */
  acquire(options?: AcquireOptions): Permit {
    const answer = this.issue(options, true)
    if (answer instanceof Ticket) return answer
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- a refusal that is explained is an error
    throw answer
  }

  /**
   * As `acquire`, but a refused call gets `undefined`: nothing is thrown and nothing is built.
   * @throws TypeError if an option is wrong
   */
  tryAcquire(options?: AcquireOptions): Permit | undefined {
    return this.issue(options, false) as Ticket | undefined
  }

  /** Refuses all calls until `reset()`. */
  forceOpen(): void {
    const wait = this.plainWait()
    this.command(new Override('forced-open', 'forced-open', wait === 0 ? DEFAULT_RECOVERY_TIMEOUT : wait), 'forced-open')
  }

  /** Admits all calls and judges none, until `reset()`. */
  disable(): void {
    this.command(DISABLED, 'disabled')
  }

  /** Closes, with an empty memory. Calls in flight are no longer waited for. */
  reset(): void {
    this.command(null, 'reset')
  }

  /**
   * Listens to this breaker until the returned function is called. Of a registry's breaker one usually observes the registry.
   * @throws TypeError if `observer` has a listener of another name, or one that is not a function
   */
  observe(observer: Observer): () => void {
    return this.listen(observer)
  }

  /** @internal */
  private issue(options: AcquireOptions | undefined, explain: boolean): Ticket | CircuitOpenError | undefined {
    const signal = options === undefined ? undefined : signalOf(options, explain)
    const epoch = this.enter()
    if (epoch >= 0) return new Ticket(this, epoch, null, signal)
    const self = this.owner()
    const answer = self.admit(explain)
    return answer instanceof Flight ? new Ticket(self, answer.epoch, answer, signal) : answer
  }
}

function signalOf(options: AcquireOptions, explain: boolean): AbortSignalLike | undefined {
  const { signal } = checkCall(explain ? 'acquire' : 'tryAcquire', options, SIGNAL)
  if (signal !== undefined) checkSignal(explain ? 'acquire: signal' : 'tryAcquire: signal', signal)
  return signal
}

const SIGNAL = ['signal'] as const
