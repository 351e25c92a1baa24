/** How it behaves, beside the others: `npm run compare`. Each trap is played on each library; a cell says what was seen. */
import { existsSync } from 'node:fs'
import { installPeers } from './install.mjs'
import { entry } from './library.mjs'
import { runChild } from './measure.mjs'
import { load } from './peers/index.mjs'
import { markdown, writeIntoReadme } from './report.mjs'
import { traps } from './traps/index.mjs'

const CASES = new URL('compare-cases.mjs', import.meta.url)
const PATIENCE_MS = 20_000
const EXIT_MS = 5_000
const MARKS = { kept: '✓', broken: '✗', absent: '–', failed: '?' }

if (!existsSync(entry)) throw new Error('The library is not built: npm run build')

const only = process.argv[2] ?? ''
const { peers, missing } = await installPeers()
const ids = ['lazybreaker', ...peers.map(({ id }) => id)]

/** @returns {Promise<{ mark: keyof typeof MARKS, seen: string }>} */
async function play(trap, id) {
  const task = trap.lingers ? 'playAndLinger' : 'play'
  const { answer, end, errors } = await runChild(CASES, task, { id: trap.id, name: id }, { timeoutMs: trap.lingers ? EXIT_MS : PATIENCE_MS })
  if (trap.lingers && end === 'SIGKILL') return { mark: 'broken', seen: `alive ${EXIT_MS / 1_000} s later` }
  if (end === 'SIGKILL') return { mark: 'broken', seen: `no end in ${PATIENCE_MS / 1_000} s` }
  return answer ?? { mark: 'failed', seen: errors.split('\n').find((line) => /Error/.test(line)) ?? end }
}

const rows = []
for (const trap of traps.filter(({ id }) => id.includes(only))) {
  const cells = []
  for (let i = 0; i < ids.length; i += 2) cells.push(...(await Promise.all(ids.slice(i, i + 2).map((id) => play(trap, id)))))
  rows.push({ trap, cells })
  console.error(`${trap.id}: ${ids.map((id, i) => `${id} ${MARKS[cells[i].mark]} ${cells[i].seen}`).join(' | ')}`)
}

const labels = await Promise.all(ids.map(async (id) => (await load(id)).name))
const versions = `Run with \`npm run compare\` on Node ${process.versions.node}: ${peers.map(({ name, version, note }) => `${name} ${version}${note ? ` (${note}; it ran)` : ''}`).join(', ')}. ${missing.join(' ')}`
const text = `
${versions}

✓ as the row says · ✗ otherwise · – the library has no such feature. Each cell is what was seen in this run; the second table has the words for it.

${markdown(
  ['', ...labels],
  rows.map(({ trap, cells }) => [`**${trap.id}**: ${trap.asks}`, ...cells.map(({ mark }) => MARKS[mark])]),
  ['---', ...labels.map(() => ':---:')],
)}

### What was seen

${markdown(
  ['', ...labels],
  rows.map(({ trap, cells }) => [trap.id, ...cells.map(({ mark, seen }) => `${MARKS[mark]} ${seen}`)]),
  ['---', ...labels.map(() => '---')],
)}
`

/** A few of them that most people meet, of the libraries that most people have. */
const telling = [
  'hung probe',
  'late success',
  'abandoned probe',
  '100 callers',
  'hangs seen',
  'first failure after recovery',
  'NaN option',
  'throwing listener',
  'busy event loop',
]
const best = ['lazybreaker', 'opossum', 'cockatiel'].map((id) => ids.indexOf(id))
const short = () => `
Run with \`npm run compare\` on Node ${process.versions.node}: ${rows.length} situations in which breakers have gone wrong, played on each library. All of them, what was seen of each, and the versions: [bench/README.md](bench/README.md#in-situations-where-breakers-go-wrong).

${markdown(
  ['', ...labels],
  [
    ['as it should be', 'kept'],
    ['otherwise', 'broken'],
    ['no such feature', 'absent'],
  ].map(([says, mark]) => [says, ...ids.map((_, i) => String(rows.filter(({ cells }) => cells[i].mark === mark).length))]),
  ['---', ...labels.map(() => ':---:')],
)}

Some of them, in words:

${markdown(
  ['', ...best.map((i) => labels[i])],
  telling
    .map((id) => rows.find(({ trap }) => trap.id === id))
    .map(({ trap, cells }) => [trap.asks, ...best.map((i) => `${MARKS[cells[i].mark]} ${cells[i].seen}`)]),
  ['---', ...best.map(() => '---')],
)}
`

console.log(text)
if (only === '') {
  writeIntoReadme('compare', text)
  writeIntoReadme('compare:short', short())
}
const ours = rows.filter(({ cells }) => cells[0].mark !== 'kept')
for (const { trap, cells } of ours) console.error(`lazybreaker does not keep "${trap.id}": ${cells[0].seen}`)
process.exitCode = ours.length > 0 || rows.some(({ cells }) => cells.some(({ mark }) => mark === 'failed')) ? 1 : 0
