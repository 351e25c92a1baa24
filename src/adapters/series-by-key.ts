import type { MeasuredRegistry } from './measured.js'
import { labelOf, named, OTHER, type Series, type SeriesTable } from './series.js'

/**
 * A series for each key, as long as there is room, and `other` for the rest. A look costs the keys that have a series and the breakers that
 * are broken, however many are healthy.
 */
export class SeriesByKey<Key> implements SeriesTable<Key> {
  readonly #registry: MeasuredRegistry<Key>
  readonly #maxSeries: number
  readonly #byName = new Map<string, Series>()
  /** The keys that have a series of their own; those that read the same have it together. */
  readonly #byKey = new Map<Key, Series>()

  constructor(registry: MeasuredRegistry<Key>, maxSeries: number) {
    this.#registry = registry
    this.#maxSeries = maxSeries
  }

  of(key: Key): Series {
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    // What the registry does not keep would lose a series at the next look.
    if (!this.#hasRoom || this.#registry.get(key) === undefined) return named(this.#byName, OTHER)
    const series = named(this.#byName, labelOf(key))
    this.#byKey.set(key, series)
    return series
  }

  look(): Iterable<Series> {
    for (const series of this.#byName.values()) series.empty()
    for (const [key, { states }] of this.#byKey) {
      const breaker = this.#registry.get(key)
      if (breaker === undefined) this.#byKey.delete(key)
      else states[breaker.state]++
    }
    if (this.#hasRoom) this.#fill()
    this.#lookAtTheRest()
    for (const [name, series] of this.#byName) if (name !== OTHER && series.isEmpty) this.#byName.delete(name)
    return this.#byName.values()
  }

  reset(): void {
    this.#byName.clear()
    this.#byKey.clear()
  }

  get #hasRoom(): boolean {
    return this.#byKey.size < this.#maxSeries
  }

  /** Gives a series to those that no event has told of. Each step comes to a key that has one or gets one, so they are `maxSeries` at most. */
  #fill(): void {
    for (const [key, breaker] of this.#registry) {
      if (this.#byKey.has(key)) continue
      this.of(key).states[breaker.state]++
      if (!this.#hasRoom) return
    }
  }

  /** Those without a series: the broken ones are known, all others are closed. */
  #lookAtTheRest(): void {
    let closed = this.#registry.size - this.#byKey.size
    if (closed === 0) return
    const { states } = named(this.#byName, OTHER)
    for (const [key, breaker] of this.#registry.outages()) {
      if (this.#byKey.has(key)) continue
      states[breaker.state]++
      closed--
    }
    states.closed += closed
  }
}
