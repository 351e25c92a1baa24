import { describe, expect, it } from 'vitest'
import { configurations } from './explore/configurations.js'
import { type Bounds, type Findings, explore, lineOf } from './explore/explorer.js'

// The ordinary run goes to fixed depths, so that two runs are the same; EXPLORE_SECONDS=600 goes as deep as ten minutes go.
const seconds = Number(process.env.EXPLORE_SECONDS ?? 0)

describe('every interleaving', () => {
  const found: Findings[] = []
  const end = performance.now() + seconds * 1_000

  /** Of the time that is left, each gets the same share: what the small ones do not need is for the large ones. */
  const boundsOf = (depth: number): Bounds =>
    seconds > 0 ? { depth: Infinity, ms: (end - performance.now()) / (configurations.length - found.length) } : { depth, ms: Infinity }

  it.each(configurations)(
    '$name',
    (configuration) => {
      const findings = explore(configuration, boundsOf(configuration.depth))
      found.push(findings)
      console.log(lineOf(findings))
      expect(findings.edges).toBeGreaterThan(findings.states)
      // Complete, or as deep as was asked for.
      expect(findings.isComplete || seconds > 0 || findings.depth === configuration.depth).toBe(true)
    },
    Math.max(120_000, seconds * 1_000),
  )

  it('is summed up', () => {
    const sum = (of: (findings: Findings) => number) => found.reduce((total, findings) => total + of(findings), 0)
    const complete = found.filter(({ isComplete }) => isComplete).length
    console.log(`together: ${sum(({ states }) => states)} states, ${sum(({ edges }) => edges)} edges; ${complete} of ${found.length} complete`)
    expect(found).toHaveLength(configurations.length)
  })
})
