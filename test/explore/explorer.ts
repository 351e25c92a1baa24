import { type Snapshot } from '../../src/index.js'
import { agree } from '../model/agree.js'
import { Real } from '../model/real.js'
import { type Answer } from '../model/state.js'
import { checkReportedAgain, checkStep } from './checks.js'
import { type Configuration, type Setting } from './configurations.js'
import { isDue, keyOf } from './key.js'
import { checkLiveness, checkWait } from './liveness.js'
import { type Move, expected, movesFrom, nameOf, play, playAndAsk } from './moves.js'
import { type Place, beginning } from './place.js'
import { wayThroughAnOutage } from './roots.js'
import { Witness } from './witness.js'

export interface Findings {
  readonly name: string
  readonly states: number
  readonly edges: number
  /** Every run of so many moves was taken. */
  readonly depth: number
  /** There was nothing further to find: the bounded state space is known whole. */
  readonly isComplete: boolean
  /** What was done at all. */
  readonly moves: ReadonlySet<Move['type']>
  /** Calls that their callers could still settle, at once. */
  readonly inFlight: number
  readonly ms: number
}

export interface Bounds {
  readonly depth: number
  readonly ms: number
}

interface Node extends Place {
  readonly parent?: Node
  readonly move?: Move
  /** What readers see here. */
  readonly seen: Snapshot
  /** For each call in flight, how many changes of state had been made when it was admitted. */
  readonly epochs: ReadonlyMap<number, number>
  readonly epoch: number
}

/** Breadth first through every interleaving, on the real breaker: a place is reached by making its moves anew. */
export function explore({ name, ...setting }: Configuration, bounds: Bounds): Findings {
  const begin = performance.now()
  const isOver = () => performance.now() - begin > bounds.ms
  const known = new Set<string>()
  let frontier = rootsOf(setting, known)
  const moves = new Set<Move['type']>()
  let inFlight = 0
  let depth = 0
  let edges = frontier.length - 1
  const findings = (isComplete: boolean): Findings => {
    return { name, states: known.size, edges, depth, isComplete, moves, inFlight, ms: performance.now() - begin }
  }
  while (frontier.length > 0 && depth < bounds.depth) {
    const next: Node[] = []
    for (const node of frontier) {
      if (isOver()) return findings(false)
      const path = pathTo(node)
      for (const move of movesFrom(setting, node)) {
        edges++
        moves.add(move.type)
        const child = take(setting, node, path, move, known)
        inFlight = Math.max(inFlight, child.node.pending.length)
        if (child.isNew) next.push(child.node)
      }
    }
    frontier = next
    depth++
  }
  return findings(frontier.length === 0)
}

/** Where it starts: a healthy breaker, and each place on the way through an outage. */
function rootsOf(setting: Setting, known: Set<string>): Node[] {
  let node: Node = { ...beginning, seen: new Real(setting.options).breaker.snapshot(), epochs: new Map(), epoch: 0 }
  known.add(keyOf(setting, node))
  const roots = [node]
  for (const move of wayThroughAnOutage(setting)) {
    const taken = take(setting, node, pathTo(node), move, known)
    if (taken.isNew) roots.push(taken.node)
    node = taken.node
  }
  return roots
}

function pathTo(node: Node): Move[] {
  const path: Move[] = []
  for (let at: Node | undefined = node; at?.move !== undefined; at = at.parent) path.push(at.move)
  return path.reverse()
}

/** Makes one move from a place, checks all that can be seen of it, and tells where it led, and whether nobody was there before. */
function take(setting: Setting, node: Node, path: readonly Move[], move: Move, known: Set<string>): { node: Node; isNew: boolean } {
  const { options } = setting
  const real = new Real(options)
  try {
    // On the way nobody looks; here somebody does, unless the move is to be the first to find the clock behind. It must come to the same.
    for (const earlier of path) play(real, earlier)
    const before = node.clock === 'slipped' ? node.seen : real.breaker.snapshot()
    const toldBefore = real.transitions.length
    const [place, mustAnswer] = expected(options, node, move)
    const witness = new Witness(real)
    const answer = playAndAsk(real, move)
    const { clockReads } = witness
    demandAnswer(answer, mustAnswer)
    const after = agree(options, place.model, real, toldBefore)
    const isLate = move.type === 'settle' && node.epochs.get(move.id) !== node.epoch
    checkStep({ options, move, answer, call: mustAnswer.call, before, after, isLate, isDue: isDue(options, node.model), told: witness.told, clockReads })
    if (move.type === 'settle') checkReportedAgain((outcome) => real.settle(move.id, outcome), () => real.breaker.snapshot(), witness)
    const isCommand = move.type === 'reset' || move.type === 'forceOpen' || move.type === 'disable'
    const epoch = node.epoch + real.transitions.length - toldBefore + (isCommand ? 1 : 0)
    const epochs = place.pending.length > node.pending.length ? new Map([...node.epochs, [node.started, epoch]]) : node.epochs
    const child = { ...place, parent: node, move, seen: after, epochs, epoch }
    const key = keyOf(setting, place)
    if (known.has(key)) return { node: child, isNew: false }
    known.add(key)
    checkWait(real)
    checkLiveness(real, options)
    return { node: child, isNew: true }
  } catch (error) {
    const moves = [...path, move].map(nameOf).join(', ')
    throw new Error(`${moves}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function demandAnswer(answer: Answer, must: Answer): void {
  if (answer.refused === must.refused && answer.retryAfterMs === must.retryAfterMs && answer.inTime === must.inTime) return
  const print = ({ refused, retryAfterMs, inTime }: Answer) => JSON.stringify({ refused, retryAfterMs, inTime })
  throw new Error(`answered ${print(answer)}, must answer ${print(must)}`)
}

export const lineOf = ({ name, states, edges, depth, isComplete, ms }: Findings): string =>
  `${name}: ${states} states, ${edges} edges, depth ${depth}${isComplete ? ', complete' : ''}, ${(ms / 1000).toFixed(1)} s`
