/**
 * What watching costs: `node bench/metrics-cost.mjs`, after a build. Nanoseconds added to `await breaker.execute(fn)` on a closed breaker of a
 * registry, round by round beside the same with nothing attached; and what a scrape costs, of a million healthy breakers and ten outages.
 */
import { fileURLToPath } from 'node:url'
import { Registry } from 'prom-client'
import { ok } from './baseline.mjs'
import { BreakerRegistry, dist } from './library.mjs'
import { awaiting, inChild, spread, takeTurns } from './measure.mjs'
import { markdown, rounded } from './report.mjs'

const { instrument } = await import(new URL('prometheus.js', dist))
const { publish } = await import(new URL('diagnostics.js', dist))
const { subscribe } = await import('node:diagnostics_channel')

const BUDGET_NS = 150
const NEVER = 1e9

const attachments = {
  nothing: () => undefined,
  Prometheus: (source) => instrument(source, { register: new Registry() }),
  'Prometheus, in groups': (source) => instrument(source, { register: new Registry(), group: (key) => key.slice(key.indexOf('.') + 1) }),
  'Prometheus, with durations': (source) => instrument(source, { register: new Registry(), durations: true }),
  'diagnostics channels, nobody subscribed': (source) => publish(source),
  'diagnostics channels, one subscriber': (source) => {
    subscribe('lazybreaker:settlement', () => undefined)
    publish(source)
  },
}

/** One attachment beside nothing, in a process of its own; `fresh` has never had an observer, `left` had one that has gone. */
export function cost({ attached }) {
  const watched = new BreakerRegistry()
  attachments[attached](watched)
  const left = new BreakerRegistry()
  instrument(left, { register: new Registry() })()
  const loop = (registry) => {
    const breaker = registry.for('payments.example')
    return awaiting(() => breaker.execute(ok))
  }
  return takeTurns({ fresh: loop(new BreakerRegistry()), left: loop(left), watched: loop(watched) }, { rounds: 61, warmMs: 400 })
}

/** Milliseconds of processor time of one scrape of `healthy` breakers and `broken` outages, the text included. */
export async function scrape({ healthy, broken, group }) {
  const upstreams = new BreakerRegistry({ maxSize: healthy + broken, failureThreshold: 1, recoveryTimeout: NEVER })
  for (let n = 0; n < healthy; n++) upstreams.for(`host-${n}.example`)
  for (let n = 0; n < broken; n++) upstreams.for(`broken-${n}.example`).acquire().failure()
  const register = new Registry()
  instrument(upstreams, { register, ...(group && { group: (key) => key.slice(0, key.indexOf('-') + 2) }) })
  const took = []
  for (let n = 0; n < 36; n++) {
    const begun = process.cpuUsage()
    await register.metrics()
    const { user, system } = process.cpuUsage(begun)
    took.push((user + system) / 1_000)
  }
  return took.slice(5)
}

/** The attachment's own price per call, less what it cost beside it with nothing attached; the median over rounds and processes. */
async function costOf(attached, processes = 3) {
  const added = []
  const ratio = []
  for (let n = 0; n < processes; n++) {
    const { fresh, left, watched } = await inChild(import.meta.url, 'cost', { attached })
    added.push(spread(watched.map((ns, round) => ns - fresh[round])).median)
    ratio.push(spread(left.map((ns, round) => ns / fresh[round])).median)
  }
  return { added, ratio }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rows = []
  const lefts = []
  for (const attached of Object.keys(attachments)) {
    const { added, ratio } = await costOf(attached)
    lefts.push(...ratio)
    const { median } = spread(added)
    rows.push([attached, rounded(median), `${rounded(Math.min(...added))} to ${rounded(Math.max(...added))}`])
    if (attached === 'Prometheus' && median > BUDGET_NS) process.exitCode = 1
  }
  console.log(markdown(['attached', 'ns more per call', 'processes'], rows))
  const { median, low, high } = spread(lefts)
  console.log(`\nTaken off again, a call costs ${rounded(median)} (${rounded(low)} to ${rounded(high)}) of one where nothing was ever attached.\n`)

  const scrapes = []
  for (const input of [
    { healthy: 1_000, broken: 10 },
    { healthy: 1_000_000, broken: 10 },
    { healthy: 1_000_000, broken: 10, group: true },
  ]) {
    const { median, low, high } = spread(await inChild(import.meta.url, 'scrape', input, { flags: ['--max-old-space-size=4000'] }))
    scrapes.push([
      `${input.healthy.toLocaleString('en-US')}${input.group ? ', in groups' : ''}`,
      String(input.broken),
      rounded(median),
      `${rounded(low)} to ${rounded(high)}`,
    ])
  }
  console.log(markdown(['healthy breakers', 'outages', 'ms of processor per scrape', 'quartiles'], scrapes))
}
