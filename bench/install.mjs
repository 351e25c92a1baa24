/** Puts the newest version of each compared library that runs here into bench/peers, and says which that is. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runChild } from './measure.mjs'
import { peerNames } from './peers/index.mjs'

const folder = fileURLToPath(new URL('peers/', import.meta.url))
const SMOKE = new URL('smoke.mjs', import.meta.url)

/** Known, and not in the registry of npm when last asked; each run asks again and says what it found. */
const elsewhere = [{ name: "Deno's @std/async", packageName: '@std/async' }]

const packages = {
  opossum: 'opossum',
  cockatiel: 'cockatiel',
  mollitia: 'mollitia',
  brakes: 'brakes',
  bennadel: '@bennadel/circuit-breaker',
  'circuit-breaker-js': 'circuit-breaker-js',
  levee: 'levee',
  disyuntor: 'disyuntor',
}

/**
 * @returns {Promise<{ peers: { id: string, name: string, version: string, note: string }[], missing: string[] }>} what can be compared, and
 * in words what cannot
 */
export async function installPeers() {
  const missing = []
  if (!existsSync(`${folder}package.json`)) writeFileSync(`${folder}package.json`, '{ "private": true }\n')
  try {
    npm('install', '--save-exact', ...peerNames.map((id) => `${packages[id]}@latest`))
  } catch (error) {
    if (!existsSync(`${folder}node_modules`)) throw error
    missing.push('The registry did not answer: the versions are those installed before.')
  }
  for (const { name, packageName } of elsewhere) {
    const version = versionsOf(packageName).at(-1)
    missing.push(
      version === undefined
        ? `${name}: \`${packageName}\` is not in the npm registry, so it was not run.`
        : `${name}: \`${packageName}\` ${version} is in the npm registry now; no adapter drives it yet.`,
    )
  }
  const peers = []
  for (const id of peerNames) {
    const peer = await newestThatRuns(id)
    if (peer) peers.push(peer)
    else missing.push(`${packages[id]}: no version runs on Node ${process.versions.node}.`)
  }
  return { peers, missing }
}

/** The newest version, or else the newest of an earlier major. */
async function newestThatRuns(id) {
  let major = Infinity
  for (;;) {
    const { version, engines } = JSON.parse(readFileSync(`${folder}node_modules/${packages[id]}/package.json`, 'utf8'))
    const smoke = await runChild(SMOKE, 'smoke', { id }, { timeoutMs: 20_000 })
    if (smoke.answer === true) return { id, name: packages[id], version, note: engines?.node && !admits(engines.node) ? `asks for Node ${engines.node}` : '' }
    major = Math.min(major, Number(version.split('.')[0]))
    const earlier = versionsOf(packages[id]).filter((other) => !other.includes('-') && Number(other.split('.')[0]) < major)
    if (earlier.length === 0) return undefined
    npm('install', '--save-exact', `${packages[id]}@${earlier.at(-1)}`)
  }
}

/** Whether a range of the plain kinds, `>=a` and `^a` joined by `||`, admits the Node at hand. */
function admits(range) {
  const here = Number(process.versions.node.split('.')[0])
  return range.split('||').some((part) => {
    const [, sign, major] = /^\s*(>=|\^)\s*(\d+)/.exec(part) ?? []
    return sign === '>=' ? here >= Number(major) : here === Number(major)
  })
}

function npm(...args) {
  execFileSync('npm', [...args, '--prefix', folder, '--engine-strict=false', '--no-audit', '--no-fund', '--loglevel=error'], { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** @returns {string[]} oldest first; none if the registry has no such package */
function versionsOf(packageName) {
  try {
    return [JSON.parse(execFileSync('npm', ['view', packageName, 'versions', '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))].flat()
  } catch {
    return []
  }
}
