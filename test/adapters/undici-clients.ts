// Every undici that this Node can load, under the types of 7: what the tests use of them is the same in all three.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type * as undici7 from 'undici7'
import { afterEach } from 'vitest'

export type Undici = typeof undici7

export interface Client {
  readonly version: 6 | 7 | 8
  readonly undici: Undici
}

const require = createRequire(import.meta.url)

/** 8 wants Node 22, and is installed by `npm run consumers`. */
const undici8 = fileURLToPath(new URL('../consumers/node_modules/undici8', import.meta.url))

export const clients: readonly Client[] = [
  { version: 6, undici: require('undici6') as Undici },
  { version: 7, undici: require('undici7') as Undici },
  ...optional(8, undici8),
]

function optional(version: 8, path: string): Client[] {
  try {
    return [{ version, undici: require(path) as Undici }]
  } catch {
    return []
  }
}

const open = new Set<undici7.Dispatcher>()

/** A dispatcher that is destroyed after the test. */
export function opened<D extends undici7.Dispatcher>(dispatcher: D): D {
  open.add(dispatcher)
  return dispatcher
}

afterEach(async () => {
  await Promise.all([...open].map((dispatcher) => dispatcher.destroy()))
  open.clear()
})
