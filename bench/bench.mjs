/** What it costs, beside the others: `npm run bench`. Prints the tables, and writes them and the chart where the readme shows them. */
import { existsSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { budgetTable, measureBudgets } from './budgets.mjs'
import { writeChart } from './chart.mjs'
import { callTable, configurations, idleAndSizeTable, keyTable, shortTable } from './cost-tables.mjs'
import { measureCalls, measureHeap, measureIdle, measureKeys, measureSizes } from './costs.mjs'
import { installPeers } from './install.mjs'
import { entry } from './library.mjs'
import { writeIntoReadme } from './report.mjs'

if (!existsSync(entry)) throw new Error('The library is not built: npm run build')
const begun = performance.now()
const say = (line) => console.error(`[${Math.round((performance.now() - begun) / 1_000)} s] ${line}`)

say('installing the newest version of each library')
const { peers, missing } = await installPeers()
const ids = ['lazybreaker', ...peers.map(({ id }) => id)]

const calls = await measureCalls(ids, say)
const heap = await measureHeap(ids, say)
const idle = await measureIdle(ids, say)
const keys = await measureKeys(ids, heap, say)
const sizes = await measureSizes(ids)
say('budgets')
const budgets = await measureBudgets()

const versions = [...peers.map(({ name, version }) => `${name} ${version}`)].join(', ')
const text = `
Measured with \`npm run bench\` in one run on Node ${process.versions.node} (${cpus()[0].model.trim()}, ${cpus().length} cores) beside ${versions}. ${missing.join(' ')}

![What a call, a refusal and a breaker cost in each library](charts/costs.svg)

${callTable(ids, calls)}

${idleAndSizeTable(ids, heap, idle, sizes)}

${keyTable(keys)}

<details><summary>What the library allows itself, and what it came to</summary>

${budgetTable(budgets)}

</details>

<details><summary>How each was configured, and how it was measured</summary>

${await configurations(ids)}

</details>
`

if (loadavg()[2] > cpus().length) say(`the machine was busy with other work (load ${loadavg()[2].toFixed(1)}): run again when it is quiet`)
writeChart(ids, { calls: calls.cells, heap })
console.log(text)
writeIntoReadme('bench:costs', text)
const known = peers.filter(({ id }) => ['opossum', 'cockatiel'].includes(id))
writeIntoReadme(
  'bench:short',
  `Measured with \`npm run bench\` in one run on Node ${process.versions.node}; ${known.map(({ name, version }) => `${name} ${version}`).join(', ')}. ${shortTable(['lazybreaker', ...known.map(({ id }) => id)], calls, heap, sizes)}`,
)
say('done; the readmes have the tables')
