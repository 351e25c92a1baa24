/**
 * The tables of outcomes in the README (event → verdict → what the caller gets) are what the tests of the adapters saw, not what somebody
 * remembers. A table stands between `<!-- outcomes:fetch -->` and `<!-- /outcomes:fetch -->`; `UPDATE_README=1 npx vitest run test/adapters`
 * writes what this run saw.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { Observer, Settled, Transition } from '../../src/index.js'

const README = fileURLToPath(new URL('../../README.md', import.meta.url))

export interface Outcome {
  readonly event: string
  /** As a `Ledger` gives it. */
  readonly verdict: string
  readonly gets: string
}

/** One client's table. */
export class Outcomes {
  readonly #client: 'fetch' | 'undici' | 'axios'
  readonly #rows: Outcome[] = []

  constructor(client: 'fetch' | 'undici' | 'axios') {
    this.#client = client
  }

  /** Adds what was seen. An event seen before must have ended as it did then, and stands once. */
  add(event: string, verdict: string, gets: string): void {
    const row: Outcome = { event, verdict, gets }
    const before = this.#rows.find((other) => other.event === event)
    if (before === undefined) this.#rows.push(row)
    else expect(row).toEqual(before)
  }

  get markdown(): string {
    const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
    const lines = this.#rows.map(({ event, verdict, gets }) => `| ${cell(event)} | ${cell(verdict)} | ${cell(gets)} |`)
    return ['| event | verdict | what the caller gets |', '| --- | --- | --- |', ...lines].join('\n')
  }

  /**
   * Compares the README's table, once it has one, with this, or rewrites it if asked to by `UPDATE_README`.
   * @param events - how many were to be seen; a run of only some of the tests has nothing to compare
   */
  expectReadme(events: number): void {
    expect(this.#rows.length, 'every event of the table has its test').toBe(events)
    const readme = existsSync(README) ? readFileSync(README, 'utf8') : ''
    const [begin, end] = [`<!-- outcomes:${this.#client} -->\n`, `\n<!-- /outcomes:${this.#client} -->`]
    const from = readme.indexOf(begin)
    const to = readme.indexOf(end, from)
    if (from < 0 || to < 0) return
    const table = `\n${this.markdown}\n`
    const stands = readme.slice(from + begin.length, to)
    if (process.env.UPDATE_README !== undefined) {
      if (stands !== table) writeFileSync(README, readme.slice(0, from + begin.length) + table + readme.slice(to))
      return
    }
    expect(stands, `the README's table of ${this.#client} is not what the tests saw; UPDATE_README=1 npx vitest run test/adapters writes it anew`).toBe(table)
  }
}

/** What a breaker, or a registry, was told about its calls, and concluded. */
export class Ledger {
  readonly settled: Settled[] = []
  readonly transitions: Transition[] = []

  constructor(observed: { observe(observer: Observer<never>): () => void }) {
    observed.observe({
      settled: (event: Settled) => void this.settled.push(event),
      transition: (event: Transition) => void this.transitions.push(event),
    })
  }

  /** The verdicts so far, in order. */
  get verdicts(): string[] {
    return this.settled.map(({ outcome }) => outcome)
  }

  /** For a table: the verdict on the one call there was, `none` if nothing was charged, and for how long a `Retry-After` opened. */
  get verdict(): string {
    const opened = this.transitions.find(({ reason }) => reason === 'open-for')
    const wait = opened?.recoveryTimeout === undefined ? '' : `, opens for ${String(Math.round(opened.recoveryTimeout / 1_000))} s`
    return this.settled.length === 0 ? 'none' : this.verdicts.join(', ') + wait
  }
}

/** An error as a table shows it: `` `TypeError` ``, with its own code if `codes` (a cause's code differs from version to version). */
export function errorText(error: unknown, codes = false): string {
  if (!(error instanceof Error)) return `\`${JSON.stringify(error)}\``
  const { code } = error as { code?: unknown }
  return codes && typeof code === 'string' ? `\`${error.name}\` (\`${code}\`)` : `\`${error.name}\``
}
