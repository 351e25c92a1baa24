import { retryAfter, view } from '../model/recovery.js'
import { demand } from './checks.js'
import { type Setting } from './configurations.js'
import { describeCall, keyOf } from './key.js'
import { type Move, expected, movesFrom, nameOf } from './moves.js'
import { type Place, beginning } from './place.js'
import { wayThroughAnOutage } from './roots.js'

/**
 * Whether a key keeps its word: of all places that have one, each move is answered alike, tells alike, and leads to places of one key, so
 * that what is found from the one would be found from the others. By the model alone. Gives the number of places that were taken for
 * another, and throws at the first that is not the same.
 */
export function checkSameness(setting: Setting, depth: number): number {
  const known = new Map<string, string>()
  let frontier: Place[] = []
  let same = 0
  const see = (place: Place, how: string): void => {
    const key = keyOf(setting, place)
    const future = futureOf(setting, place)
    const other = known.get(key)
    if (other === undefined) {
      known.set(key, future)
      frontier.push(place)
      return
    }
    demand(other === future, `${how}: ${key}\n${future}\nis not the same as\n${other}`)
    same++
  }
  let place = beginning
  see(place, 'the beginning')
  for (const move of wayThroughAnOutage(setting)) {
    ;[place] = expected(setting.options, place, move)
    see(place, nameOf(move))
  }
  for (let moves = 0; moves < depth && frontier.length > 0; moves++) {
    const places = frontier
    frontier = []
    for (const from of places) for (const move of movesFrom(setting, from)) see(expected(setting.options, from, move)[0], nameOf(move))
  }
  return same
}

/** What can be seen of a place, and of each move from it. */
function futureOf(setting: Setting, place: Place): string {
  const { options } = setting
  const { kind, outage } = view(place.model)
  const lines = movesFrom(setting, place).map((move) => {
    const [next, { call, ...answer }] = expected(options, place, move)
    const told = next.model.transitions.slice(place.model.transitions.length).map(({ from, to, reason, counts, wait }) => ({ from, to, reason, counts, wait }))
    return JSON.stringify([whatOf(setting, place, move), answer, call?.slow, told, keyOf(setting, next)])
  })
  return [JSON.stringify([kind, retryAfter(options, place.model), outage?.phase, outage?.successes, outage?.places.length]), ...lines.sort()].join('\n')
}

/** A move, with a call by what is known of it: its number says nothing. */
function whatOf({ options }: Setting, place: Place, move: Move): string {
  const { type } = move
  const call = type === 'settle' || type === 'abandon' ? place.model.calls.find(({ id }) => id === move.id) : undefined
  return call === undefined ? nameOf(type === 'start' ? { type, id: 0 } : move) : `${type} ${type === 'settle' ? move.outcome : ''} ${describeCall(options, place, call)}`
}
