/**
 * `npm run soak`: hundreds of real servers that crash, hang, cut bodies, answer 500, slow down and recover by a seeded
 * script; tens of thousands of calls through one registry, every second host by way of `breakerFetch`; and a referee who checks, against the servers' own logs,
 * that every breaker did what it promises.
 *
 *     npm run soak -- --seconds 600 --seed 7
 */
import { parseArgs } from 'node:util'
import * as library from 'lazybreaker'
import { breakerFetch } from 'lazybreaker/fetch'
import { tickMs } from './script.mjs'
import { soak } from './run.mjs'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' }, hosts: { type: 'string', default: '500' } },
})
const seconds = Number(values.seconds)

const began = performance.now()
const { complaints, counts, story, outcome, heap, logs } = await soak({
  library: { ...library, breakerFetch },
  seed: values.seed,
  hosts: Number(values.hosts),
  ticks: Math.round((seconds * 1_000) / tickMs),
  pace: tickMs,
  progress: (line) => console.log(line),
})
const took = ((performance.now() - began) / 1_000).toFixed(1)

console.log(`
${counts.hosts} hosts in ${counts.processes} processes, ${took} s
${counts.calls} calls: ${counts.ok} answered, ${counts.failed} failed, ${counts.refused} refused, ${counts.ignored} given up by their callers, ${counts.forgotten} permits never settled
${counts.arrived} arrived at a server; ${counts.crashes} processes were killed; ${counts.opened} openings, ${counts.closed} recoveries
heap after the warm-up: ${heap}
seed ${values.seed}: story ${story}, outcome ${outcome}
`)
for (const complaint of complaints.slice(0, 20)) console.log(`WRONG  ${complaint}`)
if (complaints.length > 20) console.log(`WRONG  … and ${complaints.length - 20} more`)
if (complaints.length > 0) console.log(`The logs of the servers: ${logs}`)
console.log(complaints.length === 0 ? 'Nothing wrong.' : `${complaints.length} things wrong.`)
process.exitCode = complaints.length === 0 ? 0 : 1

// Unreferenced, so it only fires if something else keeps the process alive.
setTimeout(() => {
  console.log(`WRONG  the process does not exit by itself: ${process.getActiveResourcesInfo().join(', ')}`)
  process.exit(1)
}, 5_000).unref()
