/** What making breakers by key costs; each task runs in a process of its own. */
import { error } from './baseline.mjs'
import { keysOf } from './keys.mjs'
import { BreakerRegistry, ManualClock } from './library.mjs'
import { keep } from './measure.mjs'
import { load } from './peers/index.mjs'

const ROUNDS = 25

/**
 * Nanoseconds to make one breaker by key, beside `map.set(key, {})`, each round in a map of its own.
 *
 * @returns {Promise<{ plain: number[], subject: number[] }>} one figure a round
 */
export async function making({ name, count, rounds = ROUNDS }) {
  const { costs } = await load(name)
  const { make, perKey } = Object.values(costs)[0]
  const keys = keysOf(count)
  const plain = () => {
    const map = new Map()
    for (const key of keys) map.set(key, {})
    return map
  }
  const subject = perKey
    ? () => {
        const breakers = perKey(count)
        for (const key of keys) breakers.for(key)
        return breakers
      }
    : () => {
        const map = new Map()
        for (const key of keys) map.set(key, make('lasting'))
        return map
      }
  const times = { plain: [], subject: [] }
  for (let round = -3; round < rounds; round++) {
    for (const [what, work] of Object.entries({ plain, subject })) {
      // What the last round left behind is collected before, not while, the next one is timed.
      globalThis.gc()
      const begun = process.hrtime.bigint()
      keep(work())
      const took = Number(process.hrtime.bigint() - begun) / count
      if (round >= 0) times[what].push(took)
    }
  }
  return times
}

/** Nanoseconds for a new key in a full registry: the call, and the breaker forgotten for it. `failing`: each key fails once, so all have evidence. */
export function newKeys({ maxSize, failing, rounds = 10 }) {
  const registry = new BreakerRegistry({ maxSize, clock: new ManualClock() })
  const perRound = 5_000
  const keys = keysOf(2 * maxSize + (rounds + 1) * perRound)
  let place = 0
  const bring = (times) => {
    for (const end = place + times; place < end; place++) {
      const permit = registry.for(keys[place]).tryAcquire()
      if (failing) permit.failure(error)
      else permit.success()
    }
  }
  bring(2 * maxSize + perRound)
  const subject = []
  for (let round = 0; round < rounds; round++) {
    const begun = process.hrtime.bigint()
    bring(perRound)
    subject.push(Number(process.hrtime.bigint() - begun) / perRound)
  }
  return { subject }
}
