/** One trap on one library, in a process of its own. */
import { load } from './peers/index.mjs'
import { trapOf } from './traps/index.mjs'

export async function play({ id, name }) {
  const [peer, trap] = await Promise.all([load(name), trapOf(id)])
  return trap.run((spec) => peer.subject(peer.options(spec), spec), peer)
}

/** As `play`; the process is left to end by itself. */
export const playAndLinger = play
export const lingers = ['playAndLinger']
