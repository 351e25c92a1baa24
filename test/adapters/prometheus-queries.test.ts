import { readFileSync } from 'node:fs'
import { Registry } from 'prom-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { BreakerRegistry, ManualClock } from '../../src/index.js'
import { instrument } from '../../src/adapters/prometheus.js'
import { fail, succeed } from '../support/calls.js'

/** The queries of the readme: every block of PromQL in it. */
const queries = Array.from(readFileSync(new URL('../../README.md', import.meta.url), 'utf8').matchAll(/^```promql\n(.*?)^```/gms), ([, query = '']) => query.trim())

/** What can be asked of the exposition: for each series name, its labels and their values. */
type Exposed = Map<string, Map<string, Set<string>>>

/** Every state, outcome and change of state there is, from the real client. */
async function exposition(): Promise<Exposed> {
  const clock = new ManualClock()
  const upstreams = new BreakerRegistry({ clock, failureThreshold: 1, recoveryTimeout: 1_000 })
  const register = new Registry()
  instrument(upstreams, { register, durations: true })
  const breaker = upstreams.for('payments')
  fail(breaker)
  breaker.tryAcquire()
  clock.advance(1_000)
  succeed(breaker)
  const exposed: Exposed = new Map()
  for (const [, name = '', labels = ''] of (await register.metrics()).matchAll(/^(\w+)\{(.*)\} /gm)) {
    const known = exposed.get(name) ?? new Map<string, Set<string>>()
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="(.*?)"/g)) known.set(label, (known.get(label) ?? new Set()).add(value))
    exposed.set(name, known)
  }
  return exposed
}

/** Each `metric{label="value"}` of a query. */
function selectorsOf(query: string): { metric: string; labels: [string, string[]][] }[] {
  return Array.from(query.matchAll(/(\w*circuit_breaker\w*)(?:\{(.*?)\})?/g), ([, metric = '', inside = '']) => ({
    metric,
    labels: Array.from(inside.matchAll(/(\w+)=~?"(.*?)"/g), ([, label = '', values = '']): [string, string[]] => [label, values.split('|')]),
  }))
}

describe('the queries of the readme', () => {
  let exposed: Exposed
  beforeAll(async () => {
    exposed = await exposition()
  })

  it('answer which circuits are open, which share is refused, and which flap', () => {
    const all = queries.join('\n')
    for (const asked of ['state=~"open|forced-open"', 'outcome="rejected"', 'circuit_breaker_transitions_total']) expect(all).toContain(asked)
  })

  it.each(queries)('ask for what is there: %s', (query) => {
    const selectors = selectorsOf(query)
    expect(selectors.length).toBeGreaterThan(0)
    for (const { metric, labels } of selectors) {
      expect([...exposed.keys()]).toContain(metric)
      for (const [label, values] of labels) for (const value of values) expect([...(exposed.get(metric)?.get(label) ?? [])], `${metric}, ${label}`).toContain(value)
    }
    for (const [, by = ''] of query.matchAll(/by \((.*?)\)/g)) {
      for (const label of by.split(', ')) expect([...(exposed.get(selectors[0]?.metric ?? '')?.keys() ?? [])]).toContain(label)
    }
  })

  it('never watch half-open, in which a host is that nobody calls', () => {
    for (const query of queries)
      for (const { labels } of selectorsOf(query)) for (const [label, values] of labels) if (label === 'state') expect(values).not.toContain('half-open')
  })
})
