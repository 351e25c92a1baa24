import type { MeasuredRegistry } from './measured.js'
import { labelOf, named, OTHER, type Series, type SeriesTable } from './series.js'
import { describe, warn } from './warning.js'

/** Breakers that one look comes to at most, or `maxSeries`, if that is more. */
const LOOK = 10_000

/**
 * A series for each group, as long as there is room, and `other` for the rest.
 *
 * Which group a breaker is in, only `group` knows, so they are counted by asking it of each. A large registry is gone through in rounds of
 * several looks. Until a round is over, the counts of the one before stand; what is broken is always looked at.
 */
export class SeriesByGroup<Key> implements SeriesTable<Key> {
  readonly #registry: MeasuredRegistry<Key>
  readonly #group: (key: Key) => unknown
  readonly #maxSeries: number
  readonly #byName = new Map<string, Series>()
  /** How many breakers each series stands for: as of the last round, and so far in this one. */
  #members = new Map<Series, number>()
  #counting = new Map<Series, number>()
  #round: Iterator<[Key, unknown]> | null = null
  /** Has the round ended since the last look? */
  #hasEnded = false

  constructor(registry: MeasuredRegistry<Key>, group: (key: Key) => unknown, maxSeries: number) {
    this.#registry = registry
    this.#group = group
    this.#maxSeries = maxSeries
  }

  of(key: Key): Series {
    // An iterator that stands still keeps all tables that its map has outgrown, so each event takes a round under way one step on.
    if (this.#round !== null) this.#step(this.#round)
    return this.#seriesOf(key)
  }

  #seriesOf(key: Key): Series {
    const name = this.#nameOf(key)
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const hasRoom = this.#byName.size - (this.#byName.has(OTHER) ? 1 : 0) < this.#maxSeries
    // What the registry does not keep would lose a series after a round.
    return named(this.#byName, hasRoom && this.#registry.get(key) !== undefined ? name : OTHER)
  }

  look(): Iterable<Series> {
    const isRoundOver = this.#hasEnded || this.#count()
    this.#hasEnded = false
    for (const series of this.#byName.values()) {
      series.empty()
      series.states.closed = this.#members.get(series) ?? this.#counting.get(series) ?? 0
    }
    for (const [key, breaker] of this.#registry.outages()) {
      const { states } = this.#seriesOf(key)
      // One made after its place was passed is broken, but not counted yet.
      states.closed = Math.max(0, states.closed - 1)
      states[breaker.state]++
    }
    // Last: who was counted in `other` for want of room is not to be looked up elsewhere now that there is some.
    if (isRoundOver) this.#drop()
    return this.#byName.values()
  }

  reset(): void {
    this.#byName.clear()
    this.#members.clear()
    this.#counting.clear()
    this.#round = null
    this.#hasEnded = false
  }

  /** Goes on with the round; tells whether it is over. */
  #count(): boolean {
    if (this.#round === null) {
      this.#round = this.#registry[Symbol.iterator]()
      this.#counting = new Map(Array.from(this.#byName.values(), (series) => [series, 0]))
    }
    for (let looks = 0; looks <= Math.max(LOOK, this.#maxSeries); looks++) if (this.#step(this.#round)) return true
    return false
  }

  /** Counts the next breaker of the round; tells whether there was none left. */
  #step(round: Iterator<[Key, unknown]>): boolean {
    const next = round.next()
    if (next.done === true) {
      this.#round = null
      this.#members = this.#counting
      this.#hasEnded = true
      return true
    }
    const series = this.#seriesOf(next.value[0])
    this.#counting.set(series, (this.#counting.get(series) ?? 0) + 1)
    return false
  }

  /** Forgets the series that were there when the round began, and of which it found nobody. */
  #drop(): void {
    for (const series of this.#members.keys()) if (series.isEmpty && series.name !== OTHER) this.#byName.delete(series.name)
  }

  #nameOf(key: Key): string {
    let group: unknown
    try {
      group = this.#group(key)
    } catch (error) {
      warn(`instrument: group threw: ${describe(error)}`)
    }
    if (typeof group !== 'string') return OTHER
    // A name that is known is clean.
    return this.#byName.has(group) ? group : labelOf(group)
  }
}
