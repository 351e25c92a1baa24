import type { Rejected } from '../index.js'
import { isRegistry, registryOf, type MeasuredBreaker, type MeasuredRegistry } from './measured.js'
import { SeriesByGroup } from './series-by-group.js'
import { SeriesByKey } from './series-by-key.js'
import type { Series, SeriesTable } from './series.js'

/** What happens besides the counting. What these throw becomes a warning, and loses no count. */
export interface Asides<Key> {
  /** A call took so long. Given, it makes each breaker read its clock twice per call. */
  timed?: ((series: Series, ms: number) => void) | undefined
  rejected?: ((event: Rejected<Key>) => void) | undefined
}

/** Counts, by series, what happens to a registry's breakers, or to one breaker. It has `maxSeries` of them, and `other`, at most. */
export class Tally<Key> {
  readonly #registry: MeasuredRegistry<Key>
  readonly #table: SeriesTable<Key>

  constructor(source: MeasuredRegistry<Key> | MeasuredBreaker, group: ((key: Key) => unknown) | undefined, maxSeries: number) {
    if (isRegistry(source)) {
      this.#registry = source
      this.#table = group === undefined ? new SeriesByKey(source, maxSeries) : new SeriesByGroup(source, group, maxSeries)
    } else {
      // Its events may name it by a key of the registry it is from: it is one series, whatever they say.
      const name = source.name
      this.#registry = registryOf(source)
      this.#table = new SeriesByGroup(this.#registry, () => (group === undefined ? (name ?? 'unnamed') : group(name as Key)), maxSeries)
    }
  }

  /** Counts all that happens from now on, until the returned function is called. */
  observe({ timed, rejected }: Asides<Key> = {}): () => void {
    const table = this.#table
    return this.#registry.observe({
      transition({ name, from, to }) {
        table.of(name).moved(from, to)
      },
      settled({ name, outcome, duration }) {
        const series = table.of(name)
        series.calls[outcome]++
        if (timed !== undefined && duration !== undefined) timed(series, duration)
      },
      rejected(event) {
        table.of(event.name).calls.rejected++
        rejected?.(event)
      },
      durations: timed !== undefined,
    })
  }

  /** All series, with their states as they are now. */
  look(): Iterable<Series> {
    return this.#table.look()
  }

  /** Begins anew. */
  reset(): void {
    this.#table.reset()
  }
}
