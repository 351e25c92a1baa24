/** Whether a library runs here at all: it loads, lets a call through, and refuses one after failures. */
import { load } from './peers/index.mjs'

export async function smoke({ id }) {
  const { costs } = await load(id)
  const cost = Object.values(costs)[0]
  if ((await cost.call(cost.make('lasting'), async () => 'through')) !== 'through') return false
  const breaker = cost.make('tripping')
  const fail = async () => {
    throw new Error('down')
  }
  for (let i = 0; i < 3; i++) await cost.call(breaker, fail).catch(() => undefined)
  let ran = false
  await cost.call(breaker, async () => (ran = true)).catch(() => undefined)
  return !ran
}
