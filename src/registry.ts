import { Ground, type Circuit, type Home } from './breaker.js'
import { checkCount, checkFunction } from './check.js'
import { Eviction } from './eviction.js'
import { CircuitBreaker } from './circuit-breaker.js'
import { execute, notAFunction, reject, type ExecuteOptions } from './execute.js'
import { Audience, type Observer } from './observer.js'
import { checkNames, copyShared, makePlan, overlay, type SharedOptions } from './plan.js'
import type { Snapshot } from './snapshot.js'
import { defuse, describe } from './warn.js'
import { wrap, type AnyFunction, type Guarded, type WrapOptions } from './wrap.js'

/** What `configure` may give for one key: laid over the registry's options. `trip` and `failureThreshold` each replace either. */
export type KeyOptions = Omit<SharedOptions, 'clock'>

export interface BreakerRegistryOptions<Key = string> extends SharedOptions {
  /** Options of one key, asked for when its breaker is made. The same object gives the same plan, so return one per kind of host. */
  readonly configure?: ((key: Key) => KeyOptions | undefined) | undefined
  /** Breakers kept at once; at least 1, default 100,000. */
  readonly maxSize?: number | undefined
}

/**
 * A breaker per key, made on first use, for any number of keys: memory is bounded by `maxSize` and nothing runs in the background.
 *
 * At `maxSize` a new key makes room by forgetting a breaker that knows nothing, else one that knows little. One that is waiting out an
 * outage, forced open or disabled is never forgotten; if all are, the new key's calls run on a breaker that is not kept.
 *
 * @example
 * ```ts
 * const upstreams = new BreakerRegistry<string>({ recoveryTimeout: 10_000 })
 * const rows = await upstreams.execute(shard.host, () => shard.query(sql))
 * ```
 */
export class BreakerRegistry<Key = string> implements Iterable<[Key, CircuitBreaker]> {
  readonly #options: SharedOptions
  readonly #configure: ((key: Key) => KeyOptions | undefined) | undefined
  readonly #maxSize: number
  readonly #audience = new Audience()
  readonly #home: Home
  readonly #ground: Ground
  /** The ground for each object that `configure` gave. */
  readonly #grounds = new WeakMap<object, Ground>()
  readonly #breakers = new Map<Key, CircuitBreaker>()
  readonly #outages = new Set<CircuitBreaker>()
  /** Keys that `configure` is being asked about. */
  readonly #asking = new Set<Key>()
  /** Made when the registry is full for the first time: below that it would only cost memory. */
  #eviction: Eviction<CircuitBreaker> | null = null
  #overflows = 0

  /** @throws TypeError or RangeError naming the option, the rule and the value got */
  constructor(options: BreakerRegistryOptions<Key> = {}) {
    const { configure, maxSize = 100_000 } = checkNames(options, ['configure', 'maxSize'])
    if (configure !== undefined) checkFunction('configure', configure)
    this.#configure = configure
    this.#maxSize = checkCount('maxSize', maxSize)
    this.#options = copyShared(options)
    this.#home = {
      audience: this.#audience,
      for: (key) => this.for(key as Key),
      get: (key) => this.#breakers.get(key as Key),
      moved: (circuit) => {
        this.#moved(circuit)
      },
      settled: (circuit, now) => {
        // Eviction is who watches, and what is not kept it does not know.
        this.#eviction!.settled(this.#kept(circuit)!, now)
      },
    }
    this.#ground = new Ground(makePlan(this.#options), this.#audience, this.#home)
  }

  /** Breakers kept now. */
  get size(): number {
    return this.#breakers.size
  }

  /** How often a new key found no room, and its calls ran on a breaker that was not kept. */
  get overflows(): number {
    return this.#overflows
  }

  /**
   * The breaker of `key`, made on first use.
   * @throws TypeError or RangeError naming the key, if `configure` throws, gives wrong options, or asks for the same key
   */
  for(key: Key): CircuitBreaker {
    return this.#breakers.get(key) ?? this.#make(key)
  }

  /** The breaker of `key`, if there is one: makes nothing. */
  get(key: Key): CircuitBreaker | undefined {
    this.#refuseRecursion(key)
    return this.#breakers.get(key)
  }

  /** Calls `fn` through the breaker of `key`; see `CircuitBreaker.execute`. Never throws synchronously. */
  execute<T, Fallback = never>(key: Key, fn: () => T, options?: ExecuteOptions<Fallback>): Promise<Awaited<T> | Awaited<Fallback>> {
    let breaker: CircuitBreaker
    try {
      if (typeof fn !== 'function') throw notAFunction('execute(key, fn): fn', fn)
      breaker = this.for(key)
    } catch (error) {
      return reject(error)
    }
    return execute(breaker, fn, options)
  }

  /**
   * Guards a function by the breaker of the key that `keyOf` finds in its arguments, or in its `this`; see `CircuitBreaker.wrap`.
   * @throws TypeError if `keyOf` or `fn` is not a function, or an option is wrong
   */
  wrap<Fn extends AnyFunction, Fallback = never>(keyOf: (...args: Parameters<Fn>) => Key, fn: Fn, options: WrapOptions<Fn, Fallback> = {}): Guarded<Fn, Fallback> {
    checkFunction('wrap: keyOf', keyOf)
    if (typeof fn !== 'function') throw notAFunction('wrap(keyOf, fn): fn', fn)
    return wrap((self, args) => this.for(Reflect.apply(keyOf, self, args)), fn, options)
  }

  /** Forgets the breaker of `key`, whatever its state; tells whether there was one. A breaker you still hold then forwards to that key's next one. */
  delete(key: Key): boolean {
    const breaker = this.#breakers.get(key)
    if (breaker === undefined) return false
    this.#forget(breaker)
    return true
  }

  /** All breakers, with their keys, in the order in which they were made. */
  [Symbol.iterator](): IterableIterator<[Key, CircuitBreaker]> {
    return this.#breakers.entries()
  }

  /** Those not closed, with their keys. Costs what is broken, not what exists. */
  outages(): IterableIterator<[Key, CircuitBreaker]> {
    return [...this.#outages].map((breaker): [Key, CircuitBreaker] => [breaker.key as Key, breaker]).values()
  }

  /** A snapshot of each breaker. */
  snapshot(): Snapshot[] {
    return Array.from(this.#breakers.values(), (breaker) => breaker.snapshot())
  }

  /** Closes all breakers, with an empty memory. */
  resetAll(): void {
    // A listener may have forgotten some on the way.
    for (const [key, breaker] of [...this.#breakers]) if (this.#breakers.get(key) === breaker) breaker.reset()
  }

  /**
   * Listens to all breakers, those made later too, until the returned function is called. In events `name` is the key itself.
   * @throws TypeError if `observer` has a listener of another name, or one that is not a function
   */
  observe(observer: Observer<Key>): () => void {
    return this.#audience.add(observer)
  }

  #make(key: Key): CircuitBreaker {
    const breaker = new CircuitBreaker(this.#groundOf(key), key)
    if (this.#breakers.size >= this.#maxSize) {
      const hasRoom = this.#makeRoom()
      // The clock, or a trip, may have made it meanwhile.
      const made = this.#breakers.get(key)
      if (made !== undefined) return made
      if (!hasRoom) {
        this.#overflows++
        return breaker
      }
    }
    this.#breakers.set(key, breaker)
    this.#eviction?.add(breaker)
    return breaker
  }

  #makeRoom(): boolean {
    this.#eviction ??= new Eviction([...this.#breakers.values()].filter((breaker) => breaker.isClosed && !breaker.isObserved), this.#outages)
    const victim = this.#eviction.victim(this.#ground.plan.clock.now())
    if (victim !== undefined) this.#forget(victim)
    return victim !== undefined
  }

  #forget(breaker: CircuitBreaker): void {
    this.#breakers.delete(breaker.key as Key)
    this.#outages.delete(breaker)
    this.#eviction?.remove(breaker)
    breaker.forget()
  }

  #moved(circuit: Circuit): void {
    const breaker = this.#kept(circuit)
    if (breaker === undefined) return
    if (breaker.isClosed) this.#outages.delete(breaker)
    else this.#outages.add(breaker)
    this.#eviction?.moved(breaker)
  }

  /** One that was never kept is no business of the registry's. */
  #kept(circuit: Circuit): CircuitBreaker | undefined {
    const breaker = this.#breakers.get(circuit.key as Key)
    return breaker === circuit ? breaker : undefined
  }

  #groundOf(key: Key): Ground {
    if (this.#configure === undefined) return this.#ground
    this.#refuseRecursion(key)
    let given: unknown
    this.#asking.add(key)
    try {
      given = this.#configure(key)
    } catch (error) {
      throw new TypeError(`configure(${describe(key)}) threw: ${describe(error)}`, { cause: error })
    } finally {
      this.#asking.delete(key)
    }
    if (given === undefined) return this.#ground
    defuse('configure', given)
    try {
      return this.#grounds.get(given as object) ?? this.#layGround(given as KeyOptions)
    } catch (error) {
      throw new TypeError(`configure(${describe(key)}): ${error instanceof Error ? error.message : describe(error)}`, { cause: error })
    }
  }

  #layGround(options: KeyOptions): Ground {
    const plan = makePlan(overlay(this.#options, options), this.#ground.plan.clock)
    const ground = new Ground(plan, this.#audience, this.#home)
    this.#grounds.set(options, ground)
    return ground
  }

  #refuseRecursion(key: Key): void {
    if (this.#asking.has(key)) throw new TypeError(`configure(${describe(key)}): asked for the breaker of the key it is configuring`)
  }
}
