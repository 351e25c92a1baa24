import type { State } from '../index.js'

export const STATES = ['closed', 'open', 'half-open', 'forced-open', 'disabled'] as const

/** Under this name is counted what has no series of its own. */
export const OTHER = 'other'

/** Everything that is exported under one name. */
export class Series {
  /** How many of its breakers are in each state, as of the last look. */
  readonly states: Record<State, number> = { closed: 0, open: 0, 'half-open': 0, 'forced-open': 0, disabled: 0 }
  readonly calls = { success: 0, failure: 0, ignored: 0, rejected: 0 }
  /** The usual ones are there from the start: of a counter that first appears at 1, a rate does not see that 1. */
  readonly #moves: Record<string, number> = { 'closed>open': 0, 'open>half-open': 0, 'half-open>closed': 0, 'half-open>open': 0 }

  constructor(readonly name: string) {}

  /** Has it, as of the last look, no breaker? */
  get isEmpty(): boolean {
    return STATES.every((state) => this.states[state] === 0)
  }

  /** Before a look. */
  empty(): void {
    for (const state of STATES) this.states[state] = 0
  }

  moved(from: State, to: State): void {
    const move = `${from}>${to}`
    this.#moves[move] = (this.#moves[move] ?? 0) + 1
  }

  /** Each change of state that was counted: from, to, how often. */
  *moves(): Iterable<[string, string, number]> {
    for (const [move, times] of Object.entries(this.#moves)) {
      const [from, to] = move.split('>') as [string, string]
      yield [from, to, times]
    }
  }
}

/** In which series each key is counted, and what is to be said of each series. Their number is bounded. */
export interface SeriesTable<Key> {
  /** The series that counts what happens to the breaker of `key`. */
  of(key: Key): Series
  /** All series, with their states as they are now. */
  look(): Iterable<Series>
  /** Begins anew. */
  reset(): void
}

/** The series of that name, made on first use. */
export function named(byName: Map<string, Series>, name: string): Series {
  let series = byName.get(name)
  if (series === undefined) {
    series = new Series(name)
    byName.set(name, series)
  }
  return series
}

/** A name for any key: short, and of a URL only what says whom it reaches. */
export function labelOf(key: unknown): string {
  let label: string
  try {
    label = String(key)
  } catch {
    return 'unprintable key'
  }
  // Bounded twice, for a key may be what a stranger sends: each word might begin a scheme.
  label = label.slice(0, 1_000).replace(/\b([a-z][a-z\d+.-]{0,30}:\/\/)(?:[^\s/?#@]*@)?([^\s/?#]*)\S*/gi, '$1$2')
  return label.length > 120 ? `${label.slice(0, 119)}…` : label
}
