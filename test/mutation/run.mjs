// `npm run mutate`: Stryker's mutants over src/, part by part, each judged by the tests that know it (vitest.config.ts); `npm run mutate -- http`
// runs one part. What a run found out is kept in reports/, and the next looks only at what has changed, and again at what survived.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Stryker } from '@stryker-mutator/core'

const http = '{abort,axios,fetch,fetch-*,guards,retry-after,status-verdict,undici,undici-*}.ts'

const parts = {
  core: ['src/*.ts', 'src/{trip,recovery}/*.ts', '!src/index.ts'],
  metrics: ['src/adapters/*.ts', `!src/adapters/${http}`],
  http: [`src/adapters/${http}`],
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(parts, name))
if (unknown.length > 0) throw new Error(`unknown part: ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`)

mkdirSync('reports', { recursive: true })
const lines = []
const total = { dead: 0, alive: 0 }

for (const name of asked.length > 0 ? asked : Object.keys(parts)) {
  // The vitest that Stryker starts reads it.
  process.env.MUTATION = name
  const incrementalFile = `reports/mutation-${name}.json`
  forgetSurvivors(incrementalFile)
  const results = await new Stryker({
    configFile: 'test/mutation/stryker.json',
    mutate: parts[name],
    incrementalFile,
  }).runMutationTest()
  const count = (...statuses) => results.filter(({ status }) => statuses.includes(status)).length
  const dead = count('Killed', 'Timeout')
  const alive = count('Survived', 'NoCoverage')
  total.dead += dead
  total.alive += alive
  lines.push(`${name.padEnd(8)} ${score(dead, alive)}, and ${String(count('Ignored'))} explained in place`)
  const survivors = results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
  const place = ({ fileName, location }) => `${fileName.slice(fileName.indexOf('src/'))}:${String(location.start.line)}:${String(location.start.column)}`
  const text = survivors.map((mutant) => `${place(mutant)} ${mutant.status} ${mutant.mutatorName}: ${mutant.replacement.slice(0, 200)}`)
  writeFileSync(`reports/survivors-${name}.txt`, text.map((line) => `${line}\n`).join(''))
}

/** What survives by a run is not tried again by the next, whatever tests there are by then, if it is in code that runs when it is loaded. */
function forgetSurvivors(file) {
  if (!existsSync(file)) return
  const report = JSON.parse(readFileSync(file, 'utf8'))
  for (const part of Object.values(report.files)) part.mutants = part.mutants.filter(({ status }) => status !== 'Survived')
  writeFileSync(file, JSON.stringify(report))
}

function score(dead, alive) {
  return `${((100 * dead) / (dead + alive)).toFixed(1)} % of ${String(dead + alive)} mutants dead, ${String(alive)} alive`
}

console.log([...lines, `together ${score(total.dead, total.alive)}`].join('\n'))
