import { afterEach, describe, expect, it, vi } from 'vitest'
import { InFlight } from '../src/in-flight.js'
import { Recovering } from '../src/outage.js'
import { type Configuration, configurations } from './explore/configurations.js'
import { type Bounds, type Findings, explore, lineOf } from './explore/explorer.js'
import { mostInFlight } from './explore/moves.js'
import { checkSameness } from './explore/sameness.js'

// The ordinary run goes to fixed depths, so that two runs are the same; EXPLORE_SECONDS=600 goes as deep as ten minutes go.
const seconds = Number(process.env.EXPLORE_SECONDS ?? 0)

const named = (name: string): Configuration => configurations.find((configuration) => configuration.name === name)!

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
      // Complete, or as deep as was asked for.
      expect(findings.isComplete || seconds > 0 || findings.depth === configuration.depth).toBe(true)
      const { extras, options } = configuration
      const more = extras.filter((extra) => extra === 'disable' || extra === 'read' || (extra === 'slip' && options.slowCallDuration !== undefined))
      expect([...findings.moves].sort()).toEqual(['abandon', 'clock', 'forceOpen', 'reset', 'settle', 'start', ...more].sort())
      expect(findings.inFlight).toBe(mostInFlight)
    },
    Math.max(120_000, seconds * 1_000),
  )

  it('is summed up', () => {
    const sum = (of: (findings: Findings) => number) => found.reduce((total, findings) => total + of(findings), 0)
    const complete = found.filter(({ isComplete }) => isComplete).length
    const [states, edges] = [sum((findings) => findings.states), sum((findings) => findings.edges)]
    console.log(`together: ${states} states, ${edges} edges; ${complete} of ${found.length} complete`)
    expect(found).toHaveLength(configurations.length)
    // What it finds less from one day to the next, it no longer tells apart, or no longer does.
    if (seconds === 0) expect([states, edges]).toEqual([106_583, 561_856])
  })
})

describe('places that the explorer takes for the same are the same', () => {
  it.each(configurations)('$name', (configuration) => {
    // From a place itself it looks one move ahead. Slow calls take twice as long, and one move less.
    const less = configuration.options.slowCallDuration === undefined ? 1 : 2
    expect(checkSameness(configuration, configuration.depth - less)).toBeGreaterThan(100)
  })
})

describe('the explorer notices a breaker', () => {
  afterEach(() => void vi.restoreAllMocks())

  it.each<[string, string, () => void]>([
    ['in which a probe that has settled keeps its place', 'consecutiveFailures(1), probes 2/2', () => vi.spyOn(Recovering.prototype, 'release').mockReturnValue()],
    ['that no failed probe reopens', 'consecutiveFailures(1), singleProbe', () => vi.spyOn(Recovering.prototype, 'fail').mockReturnValue(false)],
    ['that does not see hangs', 'consecutiveFailures(1), singleProbe, slow calls', () => vi.spyOn(InFlight.prototype, 'takeSlow').mockReturnValue(undefined)],
    ['that refuses no one in a ramp', 'consecutiveFailures(1), gradual of three', () => vi.spyOn(Recovering.prototype, 'arrive').mockReturnValue(undefined)],
  ])('%s', (_, name, breakIt) => {
    breakIt()
    const { depth } = named(name)
    expect(() => explore(named(name), { depth: Math.min(depth, 5), ms: Infinity })).toThrow(/law|must be|must answer/)
  })
})
