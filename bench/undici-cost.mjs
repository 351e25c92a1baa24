/**
 * What the interceptor costs: requests per second over kept-alive connections on loopback, with and without it, as many as one process can
 * make. The server has a process of its own. `node bench/undici-cost.mjs`, after `npm run build`.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { createRequire } from 'node:module'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BreakerRegistry, dist } from './library.mjs'
import { inChild, spread } from './measure.mjs'
import { markdown, rounded, writeIntoReadme } from './report.mjs'

const CONNECTIONS = 64
const WARM_ROUNDS = 10
const BUDGET = 1.05

/** undici 8 is installed where it does not hinder a Node that is too old for it. */
const clients = {
  'undici 6': 'undici6',
  'undici 7': 'undici7',
  'undici 8': fileURLToPath(new URL('../test/consumers/node_modules/undici8', import.meta.url)),
}

/** Sends `times` requests, as many at once as there are connections, and reads what comes. */
function load(dispatcher, origin) {
  const options = { origin, path: '/', method: 'GET' }
  return async (times) => {
    let left = times
    const send = async () => {
      while (left-- > 0) {
        const { body } = await dispatcher.request(options)
        for await (const chunk of body) void chunk
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, send))
  }
}

/**
 * Rounds of requests, with each dispatcher in turn and another first each time: for each the milliseconds per request, and those of them
 * that this process was at work, which is what limits it when it is all that limits.
 */
export async function measure({ client, origin, rounds, requests }) {
  const { Agent } = createRequire(import.meta.url)(client)
  const { breakerInterceptor } = await import(new URL('undici.js', dist))
  const agent = () => new Agent({ connections: CONNECTIONS })
  const loads = {
    bare: load(agent(), origin),
    guarded: load(agent().compose(breakerInterceptor(new BreakerRegistry())), origin),
    // What composing costs before anybody does anything.
    empty: load(
      agent().compose((dispatch) => (options, handler) => dispatch(options, handler)),
      origin,
    ),
  }
  const names = Object.keys(loads)
  const took = Object.fromEntries(names.map((name) => [name, { wall: [], work: [] }]))
  for (let round = -WARM_ROUNDS; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round + WARM_ROUNDS) % names.length]
      const [wall, work] = [performance.now(), process.cpuUsage()]
      await loads[name](requests)
      const { user, system } = process.cpuUsage(work)
      if (round < 0) continue
      took[name].wall.push((performance.now() - wall) / requests)
      took[name].work.push((user + system) / 1_000 / requests)
    }
  }
  return took
}

async function serve() {
  const server = http.createServer((_request, response) => response.end('{"ok":true}'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.send(server.address().port)
}

async function main() {
  const server = fork(fileURLToPath(import.meta.url), ['serve'])
  const [port] = await once(server, 'message')
  const rows = []
  try {
    for (const [name, client] of Object.entries(clients)) {
      if (client.startsWith('/') && (!existsSync(client) || Number(process.versions.node.split('.')[0]) < 22)) {
        console.error(`${name}: needs Node 22 and \`npm run consumers\``)
        continue
      }
      // Three processes, so that one's luck with the compiler does not decide.
      const runs = []
      for (let run = 0; run < 3; run++) {
        runs.push(await inChild(import.meta.url, 'measure', { client, origin: `http://127.0.0.1:${port}`, rounds: 30, requests: 1_000 }))
      }
      const all = (loop, what) => runs.flatMap((run) => run[loop][what])
      // Neighbours in time are compared, and the median of all rounds counts.
      const against = (loop, what) => spread(all(loop, what).map((time, round) => time / all('bare', what)[round])).median
      const perSecond = (loop) => rounded(Math.round(1_000 / spread(all(loop, 'wall')).median))
      const work = against('guarded', 'work')
      rows.push([
        name,
        perSecond('bare'),
        perSecond('guarded'),
        against('guarded', 'wall').toFixed(3),
        work.toFixed(3),
        against('empty', 'work').toFixed(3),
        work <= BUDGET ? 'kept' : 'MISSED',
      ])
    }
  } finally {
    server.kill()
  }
  const head = [
    'client',
    'requests/s, bare',
    'guarded',
    'time per request, guarded to bare',
    'processor time, guarded to bare',
    'the same of an interceptor that does nothing',
    `at most ${BUDGET}`,
  ]
  const table = markdown(head, rows)
  console.log(table)
  writeIntoReadme('bench:undici', `Node ${process.versions.node}, ${CONNECTIONS} kept-alive connections; \`node bench/undici-cost.mjs\`.\n\n${table}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await (process.argv[2] === 'serve' ? serve() : main())
