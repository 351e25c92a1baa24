/** The tables of what it costs, in words people read. */
import { keyCounts, kinds } from './costs.mjs'
import { load } from './peers/index.mjs'
import { markdown, rounded } from './report.mjs'

const NONE = '–'
const bold = (id, text) => (id === 'lazybreaker' && text !== NONE ? `**${text}**` : text)

const cell = (sign, value) => (value ? `${sign && value.median >= 0 ? sign : ''}${rounded(value.median)} <sub>${rounded(value.low)}–${rounded(value.high)}</sub>` : NONE)

export function callTable(ids, { cells, bases }) {
  const rows = [
    [
      'bare `await fn()`',
      ...kinds.map((_, i) => (i === 0 ? cell('', bases.bare.success) : NONE)),
      cell('', bases.bare.failure),
      cell('', bases.bare.refused),
      NONE,
      NONE,
    ],
    ['thinnest wrapper, `fn().then(onValue, onError)`', cell('+', bases.thinnest.success), NONE, NONE, cell('+', bases.thinnest.failure), NONE, NONE, NONE],
    ['one clock read, `performance.now()`', NONE, NONE, NONE, NONE, NONE, cell('', bases.clockRead), NONE],
    ...ids.flatMap((id) => {
      const row = cells[id]
      const whole = [
        bold(id, id),
        ...kinds.map((kind) => bold(id, cell('+', row[kind]))),
        bold(id, cell('+', row.failure)),
        bold(id, cell('', row.refused)),
        bold(id, cell('', row.quiet)),
        bold(id, cell('', row.construct)),
      ]
      const keyed = [bold(id, `${id}, in a registry`), ...kinds.map(() => NONE), NONE, NONE, NONE, bold(id, cell('', row.constructKeyed))]
      return row.constructKeyed ? [whole, keyed] : [whole]
    }),
  ]
  return `Nanoseconds, the median of five processes and <sub>the least and the greatest</sub>; a + is what is added to the bare call. (–: not offered.)

${markdown(['', 'success: failures in a row', 'success: window of 100 calls', 'success: window of 10 s', 'failure', 'refusal, caught', 'refusal, no exception', 'making one'], rows)}`
}

export function idleAndSizeTable(ids, heap, idle, sizes) {
  const none = idle.find((row) => row.id === undefined)
  const rows = heap.map(({ id, kind, alone, few, many }) => {
    const leanest = !alone && heap.find((row) => row.id === id).kind === kind
    const resting = idle.find((row) => row.id === id)
    return [
      bold(id, leanest ? id : `${id}, ${alone ? 'outside of a registry' : kind === 'count' ? 'window of 100 calls' : 'window of 10 s'}`),
      bold(id, rounded(few.bytes)),
      bold(id, many.why ?? rounded(many.bytes)),
      bold(id, rounded(few.timers)),
      ...(leanest ? [`${rounded(resting.busy * 100)} %`, rounded(resting.p99), rounded(sizes[id])].map((text) => bold(id, text)) : [NONE, NONE, NONE]),
    ]
  })
  rows.unshift(['no breakers', NONE, NONE, NONE, `${rounded(none.busy * 100)} %`, rounded(none.p99), NONE])
  return `Breakers at rest, each used once, in a map by host (its share of the map included, the key not). Delays are of an event loop with 10,000 of them and nothing else to do.

${markdown(['', 'bytes each, of 10,000', 'bytes each, of 1,000,000', 'timers each', 'processor, 10,000 idle', 'loop delay p99, ms', 'smallest import, min+gzip, bytes'], rows)}`
}

/** What most people ask for, of the libraries that most people have. */
export function shortTable(ids, { cells, bases }, heap, sizes) {
  const added = (value) => (value ? `+${rounded(value.median)}` : NONE)
  const rows = ids.map((id) => {
    const { few } = heap.find((row) => row.id === id && !row.alone)
    const row = [id, added(cells[id].consecutive), added(cells[id].time), rounded(cells[id].refused.median), rounded(few.bytes), rounded(few.timers), rounded(sizes[id])]
    return row.map((text) => bold(id, text))
  })
  rows.unshift(['thinnest wrapper, `fn().then(onValue, onError)`', added(bases.thinnest.success), NONE, NONE, NONE, NONE, NONE])
  return `Nanoseconds are medians of five processes; a + is what is added to a bare call.

${markdown(['', 'success: failures in a row', 'success: window of 10 s', 'refusal, caught', 'bytes each, of 10,000', 'timers each', 'smallest import, min+gzip, bytes'], rows)}`
}

export function keyTable(keys) {
  const rows = keys.map(({ id, cells }) => [
    id === undefined ? '`map.get` and the thinnest wrapper' : bold(id, id),
    ...cells.map((value) => bold(id, value.why ?? rounded(value.ns))),
  ])
  return `Nanoseconds of a whole successful call to one of so many hosts, in an order no cache foresees. (–: does not fit 3 GB.)

${markdown(['', ...keyCounts.map((count) => `${rounded(count)} hosts`)], rows)}`
}

/** How each library was configured. */
export async function configurations(ids) {
  const lines = []
  for (const id of ids) {
    const { name, costs } = await load(id)
    const words = Object.entries(costs).map(([kind, { config }]) => (Object.keys(costs).length > 1 ? `${kind}: ${config}` : config))
    const quiet = Object.values(costs)[0].quietConfig
    lines.push(`- ${name}: ${words.join('; ')}${quiet ? `; refused without an exception: ${quiet}` : ''}.`)
  }
  return `${lines.join('\n')}

Failing and refused calls, making one, and rest are measured in the first configuration named. Each measured thing runs in processes of its own
(five, taking turns with those of all others), so that no other shape or call site disturbs it, and there takes turns of a millisecond with
the bare call; what a process says is what the fastest fifth of its turns kept to, so that what else the machine had to do is left out.
Making one is measured by the thousand.`
}
