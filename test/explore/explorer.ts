import { agree } from '../model/agree.js'
import { healthy } from '../model/model.js'
import { type ModelOptions, waitOf } from '../model/options.js'
import { Real } from '../model/real.js'
import { checkLiveness, checkStep, checkWait } from './checks.js'
import { type Configuration } from './configurations.js'
import { keyOf } from './key.js'
import { type Move, type Place, expected, movesFrom, nameOf, play, playAndAsk } from './moves.js'

export interface Findings {
  readonly name: string
  readonly states: number
  readonly edges: number
  /** Every run of so many moves was taken. */
  readonly depth: number
  /** There was nothing further to find: the bounded state space is known whole. */
  readonly isComplete: boolean
  readonly ms: number
}

export interface Bounds {
  readonly depth: number
  readonly ms: number
}

interface Node extends Place {
  readonly parent?: Node
  readonly move?: Move
  /** For each call in flight, how many changes of state had been made when it was admitted. */
  readonly epochs: ReadonlyMap<number, number>
  readonly epoch: number
}

/**
 * Breadth first through every interleaving, on the real breaker: a place is reached by making its moves anew. It starts from a healthy
 * breaker, and also from one whose outage has just lasted its time, so that recoveries are seen in depth.
 */
export function explore({ name, options }: Configuration, bounds: Bounds): Findings {
  const begin = performance.now()
  const isOver = () => performance.now() - begin > bounds.ms
  const known = new Set<string>()
  const healthyNode: Node = { model: healthy, pending: [], started: 0, hasSteppedBack: false, epochs: new Map(), epoch: 0 }
  let frontier = [healthyNode, recoveringNode(options, healthyNode, known)]
  let depth = 0
  let edges = 0
  while (frontier.length > 0 && depth < bounds.depth) {
    const next: Node[] = []
    for (const node of frontier) {
      if (isOver()) return { name, states: known.size, edges, depth, isComplete: false, ms: performance.now() - begin }
      const path = pathTo(node)
      for (const move of movesFrom(options, node)) {
        edges++
        const child = take(options, node, path, move, known)
        if (child !== undefined) next.push(child)
      }
    }
    frontier = next
    depth++
  }
  return { name, states: known.size, edges, depth, isComplete: frontier.length === 0, ms: performance.now() - begin }
}

/** Calls that fail, one after the other, until the breaker is open; and then its time. */
function recoveringNode(options: ModelOptions, node: Node, known: Set<string>): Node {
  const through = (from: Node, move: Move) => take(options, from, pathTo(from), move, known)!
  let at = node
  while (at.model.kind === 'closed') {
    const id = at.started
    at = through(through(at, { type: 'start', id }), { type: 'settle', id, outcome: 'failure' })
  }
  return through(at, { type: 'clock', ms: waitOf(options, 0) })
}

function pathTo(node: Node): Move[] {
  const path: Move[] = []
  for (let at: Node | undefined = node; at?.move !== undefined; at = at.parent) path.push(at.move)
  return path.reverse()
}

/** Makes one move from a place, checks all that can be seen of it, and returns where it led if nobody was there before. */
function take(options: ModelOptions, node: Node, path: readonly Move[], move: Move, known: Set<string>): Node | undefined {
  const real = new Real(options)
  try {
    // On the way nobody looks; here somebody does. Both must come to the same.
    for (const earlier of path) play(real, earlier)
    const before = real.breaker.snapshot()
    const toldBefore = real.transitions.length
    const [place, mustReply] = expected(options, node, move)
    const reply = playAndAsk(real, move)
    if (reply !== mustReply) throw new Error(`answered ${String(reply)}, must answer ${String(mustReply)}`)
    const after = agree(options, place.model, real, toldBefore)
    const told = real.transitions.length - toldBefore
    const isLate = move.type === 'settle' && node.epochs.get(move.id) !== node.epoch
    checkStep({ options, move, reply, before, after, isLate, told })
    const key = keyOf(options, place.model, place.pending, place.hasSteppedBack)
    if (known.has(key)) return undefined
    known.add(key)
    checkWait(real)
    checkLiveness(real, options)
    const epoch = node.epoch + told + (move.type === 'reset' || move.type === 'forceOpen' ? 1 : 0)
    const epochs = move.type === 'start' && reply === true ? new Map([...node.epochs, [move.id, epoch]]) : node.epochs
    return { ...place, parent: node, move, epochs, epoch }
  } catch (error) {
    const moves = [...path, move].map(nameOf).join(', ')
    throw new Error(`${moves}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

export const lineOf = ({ name, states, edges, depth, isComplete, ms }: Findings): string =>
  `${name}: ${states} states, ${edges} edges, depth ${depth}${isComplete ? ', complete' : ''}, ${(ms / 1000).toFixed(1)} s`
