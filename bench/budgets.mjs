/** Measures every budget on the built library and says which are kept: `npm run bench:budgets`. */
import { fileURLToPath } from 'node:url'
import { dist, entry } from './library.mjs'
import { inChild, spread, undisturbed } from './measure.mjs'
import { markdown, rounded } from './report.mjs'
import { gzippedBytes } from './size.mjs'

const CASES = new URL('budget-cases.mjs', import.meta.url)
const PROCESSES = 5

/** The measured ratio in each of a few processes; `reduce` makes it from the turns of one. */
async function timed(task, input, reduce, processes = PROCESSES) {
  const values = []
  for (let i = 0; i < processes; i++) values.push(reduce(await inChild(CASES, task, input)))
  const measured = values.map((value) => value.measured)
  return {
    ...spread(measured),
    limit: spread(values.map((value) => value.limit)).median,
  }
}

const ratio = (above, below) => undisturbed(above) / undisturbed(below)

const over = (base, limit) => (times) => ({ measured: ratio(times.subject, times[base]), limit })

/** So many times the base, and two clock reads. */
const overAndClock = (base, limit) => (times) => ({
  measured: ratio(times.subject, times[base]),
  limit: limit + 2 * ratio(times.clockRead, times[base]),
})

async function heapBytes(kind, count, limit) {
  const { bytes } = await inChild(CASES, 'heap', { kind, count }, { flags: ['--max-old-space-size=6000'] })
  return { median: bytes, low: bytes, high: bytes, limit }
}

async function bytes(names, limit) {
  const folder = fileURLToPath(dist)
  const source = names === '*' ? `export * from ${JSON.stringify(fileURLToPath(entry))}` : `export { ${names} } from ${JSON.stringify(fileURLToPath(entry))}`
  const size = await gzippedBytes(source, folder)
  return { median: size, low: size, high: size, limit }
}

async function none(what) {
  const counted = await inChild(CASES, 'timers')
  return { median: counted[what], low: counted[what], high: counted[what], limit: 0 }
}

/** @type {{ what: string, unit: string, measure: () => Promise<{ median: number, low: number, high: number, limit: number }> }[]} */
const budgets = [
  { what: '`execute`, closed, consecutive failures', unit: '× thinnest wrapper', measure: () => timed('execute', { kind: 'consecutive' }, over('thinnest', 1.35)) },
  { what: '`execute`, closed, window of 100 calls', unit: '× thinnest wrapper', measure: () => timed('execute', { kind: 'count' }, over('thinnest', 1.7)) },
  {
    what: '`execute`, closed, window of 10 s (limit 1.7 and two clock reads)',
    unit: '× thinnest wrapper',
    measure: () => timed('execute', { kind: 'time' }, overAndClock('thinnest', 1.7)),
  },
  {
    what: '`execute`, closed, slow calls seen (limit 1.7 and two clock reads)',
    unit: '× thinnest wrapper',
    measure: () => timed('execute', { kind: 'slow' }, overAndClock('thinnest', 1.7)),
  },
  { what: '`tryAcquire` and `success`, closed', unit: '× clock read', measure: () => timed('permit', {}, over('clockRead', 0.7)) },
  { what: '`tryAcquire`, refused', unit: '× clock read', measure: () => timed('refusedPermit', {}, over('clockRead', 1.3)) },
  { what: '`execute`, refused and caught', unit: '× caught rejection', measure: () => timed('refusedCall', {}, over('rejection', 2.2)) },
  {
    what: '`registry.execute` at 1,000,000 keys',
    unit: '× `map.get` and thinnest wrapper',
    measure: () => timed('perKey', { count: 1_000_000, rounds: 60 }, over('thinnestPerKey', 1.5), 2),
  },
  { what: 'heap of a healthy breaker, registry of 1,000,000', unit: 'bytes', measure: () => heapBytes('healthy', 1_000_000, 130) },
  { what: 'the same, window of 10 buckets in use, of 250,000', unit: 'bytes', measure: () => heapBytes('buckets', 250_000, 450) },
  { what: 'the same, window of 100 calls in use, of 250,000', unit: 'bytes', measure: () => heapBytes('calls', 250_000, 300) },
  {
    what: '`CircuitBreaker`, `consecutiveFailures`, `singleProbe`, gzipped',
    unit: 'bytes',
    measure: () => bytes('CircuitBreaker, consecutiveFailures, singleProbe', 4_500),
  },
  { what: 'the whole main entry, gzipped', unit: 'bytes', measure: () => bytes('*', 7_500) },
  { what: 'timers begun by 10,000 breakers', unit: '', measure: () => none('timers') },
  { what: 'handles opened by 10,000 breakers', unit: '', measure: () => none('handles') },
]

/** @returns {Promise<{ what: string, unit: string, median: number, low: number, high: number, limit: number, kept: boolean }[]>} */
export async function measureBudgets(report = () => undefined, only = '') {
  const rows = []
  for (const { what, unit, measure } of budgets.filter((budget) => budget.what.includes(only))) {
    const result = await measure()
    const row = { what, unit, ...result, kept: result.median <= result.limit }
    rows.push(row)
    report(row)
  }
  return rows
}

/** @param {Awaited<ReturnType<typeof measureBudgets>>} rows */
export function budgetTable(rows) {
  return markdown(
    ['what', 'measured', 'at most', ''],
    rows.map((row) => [row.what, line(row), `${rounded(row.limit)} ${row.unit}`.trim(), row.kept ? 'ok' : '**missed**']),
  )
}

function line({ median, low, high }) {
  return low === high ? rounded(median) : `${rounded(median)} (${rounded(low)}–${rounded(high)})`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const begun = performance.now()
  const rows = await measureBudgets((row) => {
    console.log(`${row.kept ? 'ok    ' : 'MISSED'}  ${row.what}: ${line(row)} of ${rounded(row.limit)} ${row.unit}`)
  }, process.argv[2])
  const missed = rows.filter((row) => !row.kept).length
  console.log(`${rows.length - missed} kept, ${missed} missed, in ${Math.round((performance.now() - begun) / 1_000)} s on Node ${process.versions.node}`)
  process.exitCode = missed > 0 ? 1 : 0
}
