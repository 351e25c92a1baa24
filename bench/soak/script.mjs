/**
 * The story of a soak, made by its seed alone: what each host does in each tick, which calls are made, and how each
 * host is guarded. The driver and the servers each make it for themselves.
 */
import { random } from './random.mjs'

/** How long a tick is on the breakers' clock, in milliseconds. */
export const tickMs = 100
/** After how many ticks a slow host answers, and after how many a caller gives up. */
export const slowTicks = 4
export const patienceTicks = 15
/** How long a busy host asks to be left alone (`Retry-After`), in milliseconds. */
export const busyFor = 1_000
/** How many ticks before the end the last fault is over, so that whoever recovers has the time to; in a short run, half of it. */
const calmTicks = 150

/** What a host does with the calls of a tick. */
export const does = { answer: 0, refuse: 1, crash: 2, hang: 3, cut: 4, error: 5, slow: 6, busy: 7 }
/** Whether nobody listens at a host that does this. */
export const isDown = (/** @type {number | undefined} */ deed) => deed === does.refuse || deed === does.crash
/** What a caller does: waits; gives up at the next tick; takes a permit and never settles it. */
export const callers = { patient: 0, fickle: 1, forgetful: 2 }

/**
 * @typedef {object} Guard how a host is guarded
 * @property {{ kind: 'run', threshold: number } | { kind: 'calls' } | { kind: 'ms' }} trip
 * @property {'single' | 'probes' | 'gradual'} recovery
 * @property {number | undefined} slowCallDuration
 * @property {boolean} backoff
 *
 * @typedef {object} Script
 * @property {number} hosts
 * @property {number} ticks
 * @property {number} processes
 * @property {number} troubled the tick from which every host that is not dead is healthy
 * @property {Uint8Array[]} deeds of each host, by tick
 * @property {boolean[]} dead which hosts stay down to the end
 * @property {Guard[]} guards
 * @property {{ host: Uint16Array, tick: Uint16Array, caller: Uint8Array }} calls in the order in which they are made
 */

/**
 * @param {number | string} seed
 * @param {{ hosts: number, ticks: number, processes: number }} size
 * @returns {Script}
 */
export function script(seed, { hosts, ticks, processes }) {
  const troubled = Math.max(ticks - calmTicks, Math.floor(ticks / 2))
  const crashes = Array.from({ length: processes }, (_, group) => crashesOf(random(seed, 'process', group), troubled))
  const deeds = []
  const dead = []
  const guards = []
  for (let host = 0; host < hosts; host++) {
    const chance = random(seed, 'host', host)
    guards.push(guardOf(chance))
    dead.push(host % 50 === 49)
    deeds.push(deedsOf(chance, ticks, troubled, /** @type {boolean[]} */ (crashes[groupOf(host, processes)]), dead[host] === true))
  }
  return { hosts, ticks, processes, troubled, deeds, dead, guards, calls: callsOf(random(seed, 'calls'), hosts, ticks, troubled) }
}

/** Which process a host lives in. @param {number} host @param {number} processes */
export const groupOf = (host, processes) => host % processes

/**
 * When a process is dead: now and then, for a second or three, all its hosts at once.
 *
 * @param {ReturnType<typeof random>} chance
 * @param {number} troubled
 */
function crashesOf(chance, troubled) {
  const down = []
  while (down.length < troubled) {
    for (let rest = chance.whole(50, 250); rest > 0; rest--) down.push(false)
    for (let rest = chance.whole(10, 30); rest > 0; rest--) down.push(true)
  }
  return down.slice(0, troubled)
}

/**
 * @param {ReturnType<typeof random>} chance
 * @param {number} ticks
 * @param {number} troubled
 * @param {boolean[]} crashed
 * @param {boolean} dead
 */
function deedsOf(chance, ticks, troubled, crashed, dead) {
  const deeds = new Uint8Array(ticks)
  let tick = chance.whole(10, 60)
  while (tick < troubled) {
    const deed = chance.choose([
      [3, does.refuse],
      [3, does.hang],
      [2, does.cut],
      [2, does.error],
      [2, does.slow],
      [1, does.busy],
    ])
    // Some hosts fail in every second tick only.
    const step = chance.next() < 0.2 && deed !== does.refuse ? 2 : 1
    const until = Math.min(tick + chance.whole(15, 60), troubled)
    for (; tick < until; tick += step) deeds[tick] = deed
    tick += chance.whole(20, 80)
  }
  crashed.forEach((down, at) => {
    if (down) deeds[at] = does.crash
  })
  if (dead) deeds.fill(does.refuse, Math.floor(troubled / 2))
  return deeds
}

/**
 * @param {ReturnType<typeof random>} chance
 * @returns {Guard}
 */
function guardOf(chance) {
  return {
    trip: chance.choose([
      [60, { kind: 'run', threshold: chance.whole(3, 5) }],
      [25, { kind: 'calls' }],
      [15, { kind: 'ms' }],
    ]),
    recovery: chance.choose([
      [1, 'single'],
      [1, 'probes'],
      [1, 'gradual'],
    ]),
    slowCallDuration: chance.next() < 0.4 ? 300 : undefined,
    backoff: chance.next() < 0.5,
  }
}

/**
 * A few hosts get most of the calls. In the calm at the end each gets at least two in a second.
 *
 * @param {ReturnType<typeof random>} chance
 * @param {number} hosts
 * @param {number} ticks
 * @param {number} troubled
 */
function callsOf(chance, hosts, ticks, troubled) {
  const rates = Array.from({ length: hosts }, () =>
    chance.choose([
      [80, 0.05],
      [15, 0.2],
      [5, 1],
    ]),
  )
  const host = []
  const tick = []
  const caller = []
  for (let at = 0; at < ticks; at++) {
    for (let to = 0; to < hosts; to++) {
      // Now and then several callers come at once.
      let several =
        chance.next() < /** @type {number} */ (rates[to])
          ? chance.choose([
              [8, 1],
              [1, 3],
              [1, 5],
            ])
          : 0
      if (at >= troubled && (at + to) % 5 === 0) several++
      for (; several > 0; several--) {
        host.push(to)
        tick.push(at)
        caller.push(
          chance.choose([
            [90, callers.patient],
            [6, callers.fickle],
            [4, callers.forgetful],
          ]),
        )
      }
    }
  }
  return { host: Uint16Array.from(host), tick: Uint16Array.from(tick), caller: Uint8Array.from(caller) }
}
