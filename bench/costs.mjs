/** Measures what calls and breakers cost in each library, by turns, a process each. */
import { inChild, runChild, spread, undisturbed } from './measure.mjs'
import { load } from './peers/index.mjs'
import { gzippedBytes } from './size.mjs'

const CASES = new URL('cost-cases.mjs', import.meta.url)
const ROUNDS = 5
const HEAP_LIMIT = 3e9
const KEYS_MS = 30_000
const roomy = { flags: ['--max-old-space-size=9000'], timeoutMs: 180_000 }

export const kinds = ['consecutive', 'count', 'time']

/** @typedef {{ median: number, low: number, high: number }} Spread */

/** Of several processes, what the subject costs more than `base`, if there is one. */
function added(runs, base, name = 'subject') {
  return spread(runs.map((run) => undisturbed(run[name]) - (base ? undisturbed(run[base]) : 0)))
}

/**
 * @param {string[]} ids of the libraries, see peers/index.mjs
 * @param {(line: string) => void} say told what is measured now
 */
export async function measureCalls(ids, say) {
  const jobs = []
  for (const id of ids) {
    const { costs } = await load(id)
    const leanest = Object.keys(costs)[0]
    for (const kind of Object.keys(costs)) jobs.push({ id, kind, what: 'success', base: 'bare' })
    jobs.push({ id, kind: leanest, what: 'failure', base: 'bare' }, { id, kind: leanest, what: 'refused' }, { id, kind: leanest, what: 'construct' })
    if (costs[leanest].perKey) jobs.push({ id, kind: leanest, what: 'constructKeyed' })
    if (costs[leanest].quiet) jobs.push({ id, kind: leanest, what: 'quiet' })
  }
  const runs = jobs.map(() => [])
  for (let round = 0; round < ROUNDS; round++) {
    say(`calls, round ${round + 1} of ${ROUNDS}: ${jobs.length} processes`)
    for (const [i, { id, kind, what }] of jobs.entries()) runs[i].push(await inChild(CASES, what, { name: id, kind }))
  }
  const cells = {}
  for (const [i, { id, kind, what, base }] of jobs.entries()) (cells[id] ??= {})[what === 'success' ? kind : what] = added(runs[i], base)
  return { cells, bases: bases(jobs, runs) }
}

/** The rows that no library is in: taken from the very processes that measured the libraries. */
function bases(jobs, runs) {
  const of = (what, name, base) => added(runs.filter((_, i) => jobs[i].what === what).flat(), base, name)
  return {
    bare: { success: of('success', 'bare'), failure: of('failure', 'bare'), refused: of('refused', 'rejection') },
    thinnest: { success: of('success', 'thinnest', 'bare'), failure: of('failure', 'thinnest', 'bare') },
    clockRead: of('quiet', 'clockRead'),
  }
}

/** Heap and timers per breaker for 10,000 and for 1,000,000, as far as those fit. */
export async function measureHeap(ids, say) {
  const rows = []
  for (const id of ids) {
    const { costs } = await load(id)
    for (const kind of id === 'lazybreaker' ? Object.keys(costs) : [Object.keys(costs)[0]]) {
      for (const alone of costs[kind].alone ? [false, true] : [false]) {
        say(`heap: ${id}, ${kind}${alone ? ', alone' : ''}`)
        const few = await inChild(CASES, 'heap', { name: id, kind, alone, count: 10_000 }, roomy)
        rows.push({ id, kind, alone, few, many: await million({ name: id, kind, alone }, few.bytes) })
      }
    }
  }
  return rows
}

async function million(subject, bytes) {
  const count = 1_000_000
  if (bytes * count > HEAP_LIMIT) return { why: `does not fit ${HEAP_LIMIT / 1e9} GB` }
  const { answer, end } = await runChild(CASES, 'heap', { ...subject, count }, roomy)
  return answer ?? { why: end === 'SIGKILL' ? `not done in ${roomy.timeoutMs / 1_000} s` : `ended with ${end}` }
}

/** The event loop with ten thousand idle breakers, and with none. */
export async function measureIdle(ids, say) {
  const rows = []
  for (const id of [undefined, ...ids]) {
    say(`idle: ${id ?? 'no breakers'}`)
    const kind = id && Object.keys((await load(id)).costs)[0]
    rows.push({ id, ...(await inChild(CASES, 'idle', { name: id, kind, count: 10_000, ms: 3_000 }, roomy)) })
  }
  return rows
}

export const keyCounts = [10, 1_000, 100_000, 1_000_000]

/** A call by key while the keys grow. `heap` tells which counts fit. */
export async function measureKeys(ids, heap, say) {
  const rows = []
  for (const id of [undefined, ...ids]) {
    say(`keys: ${id ?? 'the thinnest wrapper'}`)
    const kind = id && Object.keys((await load(id)).costs)[0]
    const bytes = id ? heap.find((row) => row.id === id).few.bytes : 0
    const cells = []
    for (const count of keyCounts) {
      if (bytes * count > HEAP_LIMIT) cells.push({ why: '–' })
      else {
        const { answer } = await runChild(CASES, 'perKey', { name: id, kind, count, rounds: 60 }, { ...roomy, timeoutMs: KEYS_MS })
        cells.push(answer ? { ns: undisturbed(answer.subject) } : { why: `not done in ${KEYS_MS / 1_000} s` })
      }
    }
    rows.push({ id, cells })
  }
  return rows
}

/** Bytes of the smallest useful import of each. */
export async function measureSizes(ids) {
  const sizes = {}
  const folder = new URL('peers/', import.meta.url).pathname
  for (const id of ids) sizes[id] = await gzippedBytes((await load(id)).smallest, folder)
  return sizes
}
