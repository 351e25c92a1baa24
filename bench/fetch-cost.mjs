/**
 * What `breakerFetch` adds to a fetch on loopback, and what a refused call costs beside one that succeeds.
 *
 *   npm run build && node bench/fetch-cost.mjs
 *
 * The bare call and the guarded one take turns against a server in a process of its own. A request on loopback takes hundreds of times longer
 * than what is looked for, and varies by more than that; so the same two calls also take turns over a fetch that answers at once, where
 * nothing but the guard is left. The registry knows the host's breaker already. Figures are medians over the rounds, with the quartiles.
 */
import { fork } from 'node:child_process'
import http from 'node:http'
import { fileURLToPath } from 'node:url'
import { BreakerRegistry, dist } from './library.mjs'
import { keep, takeTurns, undisturbed } from './measure.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 41)

if (process.argv[2] === 'server') {
  const server = http.createServer((request, response) => response.end('ok'))
  server.listen(0, '127.0.0.1', () => process.send(server.address().port))
  process.on('disconnect', () => process.exit())
} else {
  const { breakerFetch } = await import(new URL('fetch.js', dist))
  const server = fork(fileURLToPath(import.meta.url), ['server'])
  const port = await new Promise((resolve) => server.once('message', resolve))
  const url = `http://127.0.0.1:${port}/orders/42?expand=items`

  const call = (fetch, init) => async (times) => {
    for (let i = 0; i < times; i++) await (await fetch(url, init)).arrayBuffer()
  }
  const bareCall = (fetch, init) => async (times) => {
    for (let i = 0; i < times; i++) keep(await fetch(url, init))
  }
  const refusals = (fetch) => async (times) => {
    for (let i = 0; i < times; i++) await fetch(url).catch(keep)
  }

  const spread = (values) => {
    const sorted = [...values].sort((a, b) => a - b)
    const [low, median, high] = [0.25, 0.5, 0.75].map((share) => sorted[Math.round((sorted.length - 1) * share)])
    return { low, median, high }
  }
  const ratios = (above, below) => above.map((value, round) => value / below[round])
  const line = (name, { median, low, high }, unit, digits) =>
    console.log(`${name.padEnd(58)} ${median.toFixed(digits).padStart(8)} ${unit}   (${low.toFixed(digits)} … ${high.toFixed(digits)})`)
  const compare = (name, { bare, guarded }) => {
    const added = guarded.map((ns, round) => (ns - bare[round]) / 1_000)
    line(`${name}: added`, spread(added), 'µs', 2)
    line(`${name}: guarded / bare`, spread(ratios(guarded, bare)), '×', 3)
    const [least, leastBare] = [undisturbed(guarded) / 1_000, undisturbed(bare) / 1_000]
    const quiet = `in the quietest fifth of the turns ${leastBare.toFixed(2)} → ${least.toFixed(2)} µs`
    console.log(`${' '.repeat(20)} ${quiet}: ${(least - leastBare).toFixed(2)} µs added, ${(least / leastBare).toFixed(3)} ×`)
  }

  const guarded = breakerFetch(new BreakerRegistry())
  compare('a fetch on loopback', await takeTurns({ bare: call(fetch), guarded: call(guarded) }, { rounds: 4 * ROUNDS, turnMs: 10, warmMs: 1_500 }))

  const answered = Promise.resolve(new Response('ok'))
  const instant = () => answered
  const overInstant = breakerFetch(new BreakerRegistry(), { fetch: instant })
  const post = { method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json' }, body: '{}', signal: new AbortController().signal }
  compare('a fetch that answers at once', await takeTurns({ bare: bareCall(instant), guarded: bareCall(overInstant) }, { rounds: ROUNDS, turnMs: 4 }))
  compare(
    'the same, a POST of JSON with a signal',
    await takeTurns({ bare: bareCall(instant, post), guarded: bareCall(overInstant, post) }, { rounds: ROUNDS, turnMs: 4 }),
  )

  const broken = new BreakerRegistry({ recoveryTimeout: 1e9 })
  broken.for(new URL(url).origin).forceOpen()
  const { success, refused } = await takeTurns({ success: call(guarded), refused: refusals(breakerFetch(broken)) }, { rounds: ROUNDS, turnMs: 20 })
  line('a refused call', spread(refused.map((ns) => ns / 1_000)), 'µs', 2)
  line('a call on loopback that succeeds / one that is refused', spread(ratios(success, refused)), '×', 1)
  server.disconnect()
}
