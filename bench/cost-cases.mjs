/** What each library's calls, breakers and idling cost; each task runs in a process of its own. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { bad, bare, bareFailure, clockRead, ok, rejection, thinnest, thinnestFailure, thinnestPerKey } from './baseline.mjs'
import { awaiting, catching, keep, liveHeap, repeating, takeTurns } from './measure.mjs'
import { keysOf, walk } from './keys.mjs'
import { load } from './peers/index.mjs'
import { countingTimers } from './timers.mjs'

/** Makes a breaker, and opens it if it is to be open. */
async function prepared({ name, kind }, setting) {
  const cost = (await load(name)).costs[kind]
  const breaker = cost.make(setting)
  if (setting === 'tripping') {
    for (let i = 0; i < 200; i++) await cost.call(breaker, bad).catch(() => undefined)
    let ran = false
    await cost.call(breaker, async () => (ran = true)).catch(() => undefined)
    if (ran) throw new Error(`${name}, ${kind}: expected to be refused after 200 failures`)
  }
  return { cost, breaker }
}

export async function success({ rounds, ...subject }) {
  const { cost, breaker } = await prepared(subject, 'lasting')
  return takeTurns({ bare, thinnest, subject: awaiting(() => cost.call(breaker, ok)) }, { rounds })
}

export async function failure({ rounds, ...subject }) {
  const { cost, breaker } = await prepared(subject, 'lasting')
  const result = await takeTurns({ bare: bareFailure, thinnest: thinnestFailure, subject: catching(() => cost.call(breaker, bad)) }, { rounds })
  let ran = false
  await cost.call(breaker, async () => (ran = true))
  if (!ran) throw new Error(`${subject.name}, ${subject.kind}: expected to be closed still`)
  return result
}

export async function refused({ rounds, ...subject }) {
  const { cost, breaker } = await prepared(subject, 'tripping')
  return takeTurns({ rejection, subject: catching(() => cost.call(breaker, ok)) }, { rounds })
}

export async function quiet({ rounds, ...subject }) {
  const { cost, breaker } = await prepared(subject, 'tripping')
  cost.beQuiet?.(breaker)
  const call = () => cost.quiet(breaker)
  const first = call()
  const loop = typeof first?.then === 'function' ? awaiting(call) : repeating(call)
  return takeTurns({ clockRead, subject: loop }, { rounds })
}

/** Nanoseconds to make one; a library that starts timers does so. */
export async function construct({ name, kind, rounds = 25 }) {
  const { make } = (await load(name)).costs[kind]
  const perRound = 1_000
  const times = []
  for (let round = -5; round < rounds; round++) {
    const begun = process.hrtime.bigint()
    for (let i = 0; i < perRound; i++) keep(make('lasting'))
    const took = Number(process.hrtime.bigint() - begun) / perRound
    if (round >= 0) times.push(took)
  }
  return { subject: times }
}

/** Nanoseconds to make one by key, in whatever a library keeps its breakers by key in. */
export async function constructKeyed({ name, kind, rounds = 25 }) {
  const { perKey } = (await load(name)).costs[kind]
  const perRound = 1_000
  const keys = keysOf(perRound * (rounds + 5))
  const breakers = perKey(keys.length)
  const times = []
  for (let round = 0; round < rounds + 5; round++) {
    const begun = process.hrtime.bigint()
    for (let i = 0; i < perRound; i++) keep(breakers.for(keys[round * perRound + i]))
    const took = Number(process.hrtime.bigint() - begun) / perRound
    if (round >= 5) times.push(took)
  }
  return { subject: times }
}

/** Bytes and live timers per breaker, in a map by host, each used once. */
export async function heap({ name, kind, count, alone = false }) {
  const cost = { ...(await load(name)).costs[kind] }
  if (alone) delete cost.perKey
  const keys = keysOf(count)
  // One of each beforehand, so that compiled code and shapes are not counted.
  await cost.call(cost.make('lasting'), ok)
  const timers = countingTimers()
  const before = liveHeap()
  const breakers = await breakersByKey(cost, keys)
  await new Promise((resolve) => void setImmediate(resolve))
  const after = liveHeap()
  if (breakers.size !== count) throw new Error(`expected ${count} breakers, got ${breakers.size}`)
  return { bytes: (after - before) / count, timers: timers.alive() / count }
}

async function breakersByKey(cost, keys) {
  const breakers = cost.perKey?.(keys.length) ?? new Map()
  for (const key of keys) {
    if (cost.perKey) await breakers.execute(key, ok)
    else {
      const breaker = cost.make('lasting')
      breakers.set(key, breaker)
      await cost.call(breaker, ok)
    }
  }
  return breakers
}

/** What idle breakers do to the event loop: its delay, and the processor time they take. */
export async function idle({ name, kind, count, ms }) {
  const breakers = []
  if (name) {
    const cost = (await load(name)).costs[kind]
    breakers.push(await breakersByKey(cost, keysOf(count)))
  }
  globalThis.gc()
  await new Promise((resolve) => setTimeout(resolve, 200))
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const used = process.cpuUsage()
  delay.enable()
  await new Promise((resolve) => setTimeout(resolve, ms))
  delay.disable()
  const { user, system } = process.cpuUsage(used)
  keep(breakers)
  return { p99: delay.percentile(99) / 1e6, busy: (user + system) / 1_000 / ms }
}

/** A call by key, the keys in an order no cache foresees. */
export async function perKey({ name, kind, count, rounds }) {
  const keys = keysOf(count)
  const order = walk(count)
  if (!name) return takeTurns({ subject: thinnestPerKey(keys, order) }, { rounds, turnMs: 5 })
  const cost = (await load(name)).costs[kind]
  const breakers = await breakersByKey(cost, keys)
  let place = 0
  const next = () => {
    const key = keys[order[place]]
    place = place + 1 === count ? 0 : place + 1
    return key
  }
  const subject = cost.perKey ? awaiting(() => breakers.execute(next(), ok)) : awaiting(() => cost.call(breakers.get(next()), ok))
  return takeTurns({ subject }, { rounds, turnMs: 5 })
}
