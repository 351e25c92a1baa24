import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { optionsOf } from './guard.mjs'
import { Heap } from './heap.mjs'
import { Hosts } from './hosts.mjs'
import { fates, Journal } from './journal.mjs'
import { judge } from './referee.mjs'
import { callers, does, isDown, patienceTicks, script, slowTicks, tickMs } from './script.mjs'

/** @typedef {{ host: number, caller: AbortController, until: number, answered: number, done: Promise<void> }} Flight a call that is under way */

/**
 * Plays a script on real sockets, tick by tick. Hosts of even number are called through `breakerFetch`, the others through
 * `registry.execute`, and now and then one of either with a permit. In a tick, first the hosts take the state the script has for the tick, then
 * callers lose patience, slow answers arrive, and new calls are made; the next tick comes when every call that can be
 * answered has been. The breakers' clock counts ticks. So the same seed gives the same calls, the same faults and the
 * same decisions, whatever the machine. What may vary: ports, the time it takes, the order in which different hosts
 * answer within one tick, and whether a call that is given up, or whose host dies, had arrived before.
 *
 * @param {object} settings
 * @param {any} settings.library what `lazybreaker` and `lazybreaker/fetch` export
 * @param {string | number} settings.seed
 * @param {number} settings.hosts
 * @param {number} settings.ticks
 * @param {number} [settings.processes] how many processes the hosts share
 * @param {number} [settings.pace] the least a tick takes, in milliseconds; 0 for as fast as the sockets are
 * @param {(line: string) => void} [settings.progress]
 */
export async function soak({ library, seed, hosts, ticks, processes = 10, pace = 0, progress }) {
  const story = script(seed, { hosts, ticks, processes })
  const total = story.calls.host.length
  const journal = new Journal(total, 2 * total + 1_000)
  const folder = mkdtempSync(join(tmpdir(), 'lazybreaker-soak-'))
  const servers = new Hosts(seed, story, folder)
  const heap = new Heap()
  /** @type {string[]} */
  const complaints = []

  // Streams are made on first use, and the children inherit these two.
  for (const stream of [process.stdout, process.stderr]) void stream.fd
  const before = process.getActiveResourcesInfo()
  const onRejection = (/** @type {unknown} */ reason) => complaints.push(`unhandled rejection: ${String(reason)}`)
  process.on('unhandledRejection', onRejection)

  await servers.start()
  const origins = Array.from({ length: hosts }, (_, host) => servers.origin(host))
  const hostOf = new Map(origins.map((origin, host) => [origin, host]))
  let tick = 0
  const upstreams = new library.BreakerRegistry({
    clock: { now: () => tick * tickMs },
    configure: (/** @type {string} */ origin) =>
      optionsOf(library, /** @type {import('./script.mjs').Guard} */ (story.guards[/** @type {number} */ (hostOf.get(origin))])),
  })
  upstreams.observe({
    transition: (/** @type {any} */ event) => journal.change(/** @type {number} */ (hostOf.get(event.name)), tick, event),
  })

  /** @type {Map<number, Flight>} */
  const flights = new Map()
  /**
   * Waits for the calls of this kind to end.
   *
   * @param {(flight: Flight) => boolean} which
   * @param {(flight: Flight, call: number) => void} [first]
   */
  const drain = async (which, first) => {
    const ending = []
    for (const [call, flight] of flights) {
      if (!which(flight)) continue
      first?.(flight, call)
      ending.push(flight.done)
    }
    await Promise.all(ending)
  }

  /** Which calls have been let through, and which refused. */
  const sent = new Uint8Array(total)
  const refused = new Uint8Array(total)
  /** The `fetch` that is guarded. @type {typeof fetch} */
  const send = (url, init) => {
    const call = Number(new URL(String(url)).pathname.slice(1))
    if (refused[call] === 1) throw new Error('the function of a refused call was called')
    sent[call] = 1
    journal.offer(call)
    return fetch(url, init)
  }
  const guardedFetch = library.breakerFetch(upstreams, { retryAfter: true, body: 'settle', fetch: send })

  /** @param {number} call */
  function make(call) {
    const host = /** @type {number} */ (story.calls.host[call])
    const origin = /** @type {string} */ (origins[host])
    const kind = story.calls.caller[call]
    const deed = story.deeds[host]?.[tick]
    const caller = new AbortController()
    const { signal } = caller
    const at = tick
    const ask = async (/** @type {typeof fetch} */ by) => {
      const response = await by(`${origin}/${call}`, { signal, headers: { 'x-tick': String(at) } })
      await response.text()
      if (response.status === 500) throw new Error('500')
      return response.status
    }
    const isForgetful = kind === callers.forgetful
    const settled = isForgetful ? forget(origin, () => ask(send)) : host % 2 === 0 ? ask(guardedFetch) : upstreams.execute(origin, () => ask(send), { signal })
    // Whoever is let through is let through at once, so one who has not been is refused.
    refused[call] = 1 - /** @type {number} */ (sent[call])
    if (refused[call] === 1) journal.offer(call)
    const done = settled
      .then(
        () => journal.settle(call, isForgetful ? fates.forgotten : fates.ok, tick),
        (/** @type {unknown} */ error) => {
          const told = error instanceof library.CircuitOpenError
          const given = signal.aborted && signal.reason.name !== 'TimeoutError'
          journal.settle(call, told ? fates.refused : isForgetful ? fates.forgotten : given ? fates.ignored : fates.failed, tick)
          if (told !== (refused[call] === 1)) complaints.push(`call ${call} was ${told ? 'let through and then refused' : 'refused without a refusal'}: ${String(error)}`)
        },
      )
      .then(() => void flights.delete(call))
    flights.set(call, {
      host,
      caller,
      until: at + (kind === callers.fickle ? 1 : patienceTicks),
      answered: sent[call] === 0 || isDown(deed) ? at : deed === does.hang ? Infinity : deed === does.slow ? at + slowTicks : at,
      done,
    })
  }

  /**
   * A caller who takes a permit, makes the call, and forgets to say how it ended.
   *
   * @param {string} origin
   * @param {() => Promise<unknown>} send
   */
  async function forget(origin, send) {
    upstreams.for(origin).acquire()
    await send()
  }

  let call = 0
  for (; tick < ticks; tick++) {
    const began = performance.now()
    await servers.at(tick)
    await drain(({ host }) => isDown(story.deeds[host]?.[tick]))
    await drain(
      ({ until }) => until <= tick,
      ({ caller, until }, late) => {
        journal.abandoned[late] = tick
        const fickle = story.calls.caller[late] === callers.fickle && until === tick
        caller.abort(fickle ? undefined : new DOMException('The caller waited long enough', 'TimeoutError'))
      },
    )
    servers.release(tick)
    await drain(({ answered }) => answered <= tick)
    for (; call < total && story.calls.tick[call] === tick; call++) make(call)
    await drain(({ answered }) => answered <= tick)

    if (tick % 10 === 9 && tick < story.troubled) heap.sample(tick / story.troubled)
    if (tick % 50 === 49)
      progress?.(`${((tick + 1) * tickMs) / 1_000} s: ${call} calls made, ${flights.size} under way, ${[...upstreams.outages()].length} of ${hosts} hosts in an outage`)
    const rest = pace - (performance.now() - began)
    if (rest > 0) await sleep(rest)
  }
  // Nobody may be left waiting at the end.
  await drain(
    () => true,
    ({ caller }, late) => {
      journal.abandoned[late] = tick
      caller.abort()
    },
  )

  const states = origins.map((origin) => upstreams.for(origin).state)
  await servers.stop()
  complaints.push(...judge(story, journal, servers, states), ...heap.complaints(), ...(await leftovers(before)))
  process.removeListener('unhandledRejection', onRejection)
  const counts = count(story, journal, servers)
  if (complaints.length === 0) rmSync(folder, { recursive: true })
  return { complaints, counts, story: digest(...story.deeds, ...Object.values(story.calls)), outcome: digestOf(journal), heap: heap.toString(), logs: folder }
}

/**
 * What keeps the process alive that did not before. Sockets take a moment to close.
 *
 * @param {string[]} before
 */
async function leftovers(before) {
  for (let attempt = 0; ; attempt++) {
    const left = process.getActiveResourcesInfo()
    for (const resource of before) if (left.includes(resource)) left.splice(left.indexOf(resource), 1)
    if (left.length === 0) return []
    if (attempt === 100) return [`left behind: ${left.join(', ')}`]
    await sleep(20)
  }
}

/**
 * @param {import('./script.mjs').Script} story
 * @param {Journal} journal
 * @param {Hosts} servers
 */
function count(story, journal, servers) {
  const fate = (/** @type {number} */ one) => journal.fate.reduce((sum, other) => sum + Number(other === one), 0)
  const to = (/** @type {number} */ state) => journal.changed.to.subarray(0, journal.transitions).reduce((sum, other) => sum + Number(other === state), 0)
  const logs = Array.from({ length: story.processes }, (_, group) => servers.log(group))
  const occurrences = (/** @type {string} */ word) => logs.reduce((sum, log) => sum + log.split(word).length - 1, 0)
  return {
    hosts: story.hosts,
    processes: story.processes,
    calls: story.calls.host.length,
    ok: fate(fates.ok),
    failed: fate(fates.failed),
    refused: fate(fates.refused),
    ignored: fate(fates.ignored),
    forgotten: fate(fates.forgotten),
    arrived: occurrences('arrived '),
    crashes: occurrences('boot\n') - story.processes,
    opened: to(1),
    closed: to(0),
  }
}

/**
 * What became of every call, and every transition with its tick, host by host.
 *
 * @param {Journal} journal
 */
function digestOf({ fate, changed, transitions }) {
  const order = Array.from({ length: transitions }, (_, i) => i).sort(
    (a, b) => /** @type {number} */ (changed.host[a]) - /** @type {number} */ (changed.host[b]) || a - b,
  )
  const sorted = [changed.host, changed.tick, changed.from, changed.to, changed.trippedAt].map((column) =>
    Float64Array.from(order, (i) => /** @type {number} */ (column[i])),
  )
  return digest(fate, ...sorted)
}

/** @param {...NodeJS.TypedArray} arrays */
function digest(...arrays) {
  const hash = createHash('sha256')
  for (const array of arrays) hash.update(array)
  return hash.digest('hex').slice(0, 12)
}
