/** What a breaker per host costs, beside a `Map` of other libraries' breakers: `npm run bench:registry`. */
import { existsSync } from 'node:fs'
import { installPeers } from './install.mjs'
import { entry } from './library.mjs'
import { inChild, undisturbed } from './measure.mjs'
import { load } from './peers/index.mjs'
import { markdown, rounded, writeIntoReadme } from './report.mjs'

if (!existsSync(entry)) throw new Error('The library is not built: npm run build')

const costCases = new URL('cost-cases.mjs', import.meta.url)
const budgetCases = new URL('budget-cases.mjs', import.meta.url)
const cases = new URL('registry-cases.mjs', import.meta.url)
const roomy = { flags: ['--max-old-space-size=6000'], timeoutMs: 300_000 }
const MILLION = 1_000_000
const FEW = 10_000

const begun = performance.now()
const say = (line) => console.error(`[${Math.round((performance.now() - begun) / 1_000)} s] ${line}`)

const wanted = ['opossum', 'cockatiel']
let versions = ''
if (process.argv.includes('--installed')) say('with the versions that are installed')
else {
  say('installing the newest version of each library')
  const { peers } = await installPeers()
  versions = peers
    .filter(({ id }) => wanted.includes(id))
    .map(({ name, version }) => `${name} ${version}`)
    .join(', ')
}

/** A figure and what it is a multiple of. */
const times = (subject, base) => `${rounded(subject)} (${rounded(subject / base)} ×)`

async function row(id, count) {
  const kind = Object.keys((await load(id)).costs)[0]
  say(`${id}: heap and timers of ${rounded(count)}`)
  const { bytes, timers } = await inChild(costCases, 'heap', { name: id, kind, count }, roomy)
  say(`${id}: a call by key, of ${rounded(count)}`)
  const [call, base] = await calls(id, kind, count)
  say(`${id}: making them`)
  // Those of others begin timers that keep them alive, round after round.
  const { plain, subject } = await inChild(cases, 'making', { name: id, count: id === 'lazybreaker' ? FEW : 1_000 }, roomy)
  return [
    id === 'lazybreaker' ? '**lazybreaker**, `BreakerRegistry`' : `${id}, in a \`Map\``,
    rounded(count),
    rounded(bytes),
    times(call, base),
    times(undisturbed(subject), undisturbed(plain)),
    rounded(timers),
  ]
}

/** Nanoseconds of a call, and of `map.get` and the thinnest wrapper at as many keys. */
async function calls(id, kind, count) {
  if (id === 'lazybreaker') {
    const turns = await inChild(budgetCases, 'perKey', { count, rounds: 60 }, roomy)
    return [undisturbed(turns.subject), undisturbed(turns.thinnestPerKey)]
  }
  const [subject, base] = [
    await inChild(costCases, 'perKey', { name: id, kind, count, rounds: 60 }, roomy),
    await inChild(costCases, 'perKey', { count, rounds: 60 }, roomy),
  ]
  return [undisturbed(subject.subject), undisturbed(base.subject)]
}

const rows = [await row('lazybreaker', MILLION), await row('lazybreaker', FEW)]
for (const id of wanted) rows.push(await row(id, FEW))

const sizes = [1_000, 10_000, 100_000]
const full = []
for (const failing of [false, true]) {
  const cells = []
  for (const maxSize of sizes) {
    say(`new keys in a full registry of ${rounded(maxSize)}${failing ? ', each failing' : ''}`)
    cells.push(rounded(undisturbed((await inChild(cases, 'newKeys', { maxSize, failing }, roomy)).subject)))
  }
  full.push([failing ? 'each failing once' : 'all of them well', ...cells])
}

const text = `
Measured with \`npm run bench:registry\` in one run on Node ${process.versions.node}${versions === '' ? '' : ` beside ${versions}`}.

${markdown(['', 'hosts', 'bytes each', 'a call by host, ns (of `map.get` and the thinnest wrapper)', 'making one, ns (of `map.set(key, {})`)', 'timers each'], rows)}

A call by a new host in a registry that is full, which forgets one for it, in nanoseconds:

${markdown(['', ...sizes.map((size) => `\`maxSize: ${size.toLocaleString('en-US').replaceAll(',', '_')}\``)], full)}
`
console.log(text)
writeIntoReadme('bench:registry', text)
