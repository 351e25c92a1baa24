import { Evidence } from './evidence.mjs'
import { firstPhase, limits, probeTimeout, successesToClose, waitOf } from './guard.mjs'
import { fates, stateNames } from './journal.mjs'
import { does, tickMs } from './script.mjs'

/** As in {@link stateNames}. */
const [closed, open, halfOpen] = [0, 1, 2]
/** After how many ticks a probe's place is free for the next. */
const probeTicks = probeTimeout / tickMs

/**
 * Everything the breakers did wrong, in words, by what the driver saw and what the servers wrote down. It takes the
 * library's word only for when a state changed; what follows from that is worked out here again.
 *
 * @param {import('./script.mjs').Script} story
 * @param {import('./journal.mjs').Journal} journal
 * @param {{ log: (group: number) => string }} servers
 * @param {string[]} states of each host's breaker, at the end
 * @returns {string[]}
 */
export function judge(story, journal, servers, states) {
  /** @type {string[]} */
  const complaints = []
  const histories = historiesOf(story, journal)
  const total = story.calls.host.length
  /** Of each call: the episode that admitted it, and whether it was a probe. */
  const admissions = { episode: new Int32Array(total).fill(-1), probe: new Uint8Array(total) }
  const arrived = new Uint8Array(total)
  const logs = Array.from({ length: story.processes }, (_, group) => servers.log(group).split('\n'))
  for (const log of logs) for (const line of log) if (line.startsWith('arrived ')) arrived[Number(line.slice(8))] = 1

  histories.forEach((history, host) => {
    const walk = new Walk(host, /** @type {import('./script.mjs').Guard} */ (story.guards[host]), story, journal, arrived, admissions)
    for (const event of history) walk.step(event)
    complaints.push(...walk.complaints)
    if (story.dead[host] === true) {
      if (states[host] === 'closed' && walk.opened) complaints.push(`host ${host} is dead, and its breaker is closed at the end`)
    } else if (states[host] !== 'closed') complaints.push(`host ${host} recovered, and its breaker is ${states[host]} at the end`)
  })

  logs.forEach((log) => complaints.push(...tooManyProbes(log, story, journal, admissions)))
  return complaints
}

/**
 * @typedef {{ moment: number, kind: 'offer' | 'settle', call: number } | { moment: number, kind: 'change', index: number }} Event
 */

/** @typedef {{ episode: Int32Array, probe: Uint8Array }} Admissions */

/**
 * What happened at each host, in order.
 *
 * @param {import('./script.mjs').Script} story
 * @param {import('./journal.mjs').Journal} journal
 */
function historiesOf(story, journal) {
  /** @type {Event[][]} */
  const histories = Array.from({ length: story.hosts }, () => [])
  story.calls.host.forEach((host, call) => {
    histories[host]?.push({ moment: journal.offered[call] ?? 0, kind: 'offer', call }, { moment: journal.settled[call] ?? 0, kind: 'settle', call })
  })
  for (let index = 0; index < journal.transitions; index++) {
    histories[journal.changed.host[index] ?? -1]?.push({ moment: journal.changed.moment[index] ?? 0, kind: 'change', index })
  }
  for (const history of histories) history.sort((a, b) => a.moment - b.moment)
  return histories
}

/** Follows one host through the run. */
class Walk {
  /** @type {string[]} */
  complaints = []
  opened = false
  #state = closed
  /** Goes up with every transition: a call belongs to the one in which it was admitted. */
  #episode = 0
  /** What has come out while closed, and which calls have been counted as slow. */
  #evidence
  #slow = new Set()
  /** Calls let through in this episode that have not settled, with when. @type {Map<number, number>} */
  #unsettled = new Map()
  #relapses = 0
  #until = 0
  #ramp = { offered: 0, admitted: 0, successes: 0, since: 0 }
  #host
  #guard
  #story
  #journal
  #arrived
  #admissions

  /**
   * @param {number} host
   * @param {import('./script.mjs').Guard} guard
   * @param {import('./script.mjs').Script} story
   * @param {import('./journal.mjs').Journal} journal
   * @param {Uint8Array} arrived
   * @param {Admissions} admissions filled in
   */
  constructor(host, guard, story, journal, arrived, admissions) {
    this.#host = host
    this.#guard = guard
    this.#evidence = new Evidence(guard.trip)
    this.#story = story
    this.#journal = journal
    this.#arrived = arrived
    this.#admissions = admissions
  }

  /** @param {Event} event */
  step(event) {
    if (event.kind === 'change') this.#change(event.index)
    else if (event.kind === 'offer') this.#offer(event.call)
    else this.#settle(event.call)
  }

  /** @param {string} what */
  #complain(what) {
    this.complaints.push(`host ${this.#host}: ${what}`)
  }

  /** @param {number} index */
  #change(index) {
    const { changed } = this.#journal
    const from = /** @type {number} */ (changed.from[index])
    const to = /** @type {number} */ (changed.to[index])
    const now = /** @type {number} */ (changed.tick[index]) * tickMs
    if (from !== this.#state) this.#complain(`it went from ${stateNames[from]} to ${stateNames[to]}, and was ${stateNames[this.#state]} at ${now} ms`)
    if (to === open) {
      this.#relapses = from === halfOpen ? this.#relapses + 1 : 0
      const trippedAt = /** @type {number} */ (changed.trippedAt[index])
      if (trippedAt > now) this.#complain(`it opened at ${trippedAt} ms, which is after ${now} ms`)
      const wait = /** @type {number} */ (changed.recoveryTimeout[index])
      const asked = changed.asked[index] === 1
      const lawful = waitOf(this.#guard, this.#relapses, asked)
      if (wait !== lawful) this.#complain(`it opened at ${now} ms for ${wait} ms, and should have for ${lawful} ms`)
      if (from === closed && !asked) this.#tripped(now, trippedAt)
      if (from === halfOpen && this.#guard.slowCallDuration === undefined && this.#settling(now, (call) => this.#failed(call)) === 0) {
        this.#complain(`it opened again at ${now} ms, without a probe that failed`)
      }
      this.#until = trippedAt + wait
      this.opened = true
    }
    if (to === closed) {
      const successes = this.#ramp.successes + this.#settling(now, (call) => this.#succeeded(call))
      const needed = successesToClose[this.#guard.recovery]
      if (successes < needed) this.#complain(`it closed at ${now} ms, after ${successes} probes that succeeded of ${needed}`)
    }
    if (to === halfOpen && now < this.#until) this.#complain(`it turned half-open at ${now} ms, and should have stayed open until ${this.#until} ms`)
    this.#state = to
    this.#episode++
    this.#evidence = new Evidence(this.#guard.trip)
    this.#slow.clear()
    this.#unsettled.clear()
    this.#ramp = { offered: 0, admitted: 0, successes: 0, since: now }
  }

  /**
   * How many calls of this episode settle so at this moment: what they change is written down before they are.
   *
   * @param {number} now
   * @param {(call: number) => boolean} so
   */
  #settling(now, so) {
    let count = 0
    for (const call of this.#unsettled.keys()) if (so(call) && this.#journal.settledOn[call] === now / tickMs) count++
    return count
  }

  /** @param {number} call */
  #isBusy(call) {
    return this.#story.deeds[this.#host]?.[/** @type {number} */ (this.#story.calls.tick[call])] === does.busy
  }

  /** @param {number} call */
  #succeeded(call) {
    return this.#journal.fate[call] === fates.ok && !this.#isBusy(call)
  }

  /** A host that asks to be left alone has answered, and failed all the same. @param {number} call */
  #failed(call) {
    const fate = this.#journal.fate[call]
    return fate === fates.failed || (fate === fates.ok && this.#isBusy(call))
  }

  /**
   * What has come out has to be reason enough to open, and from no other moment on.
   *
   * @param {number} now
   * @param {number} trippedAt
   */
  #tripped(now, trippedAt) {
    const evidence = this.#evidence.copy()
    const { settled, settledOn } = this.#journal
    const add = (/** @type {boolean} */ failed, /** @type {number} */ at) => (evidence.add(failed, at), evidence.trips(at) && at === trippedAt)
    for (const [, at] of this.#becomingSlow(now)) if (add(true, at)) return
    // Those that settle at this moment are written down after what they change.
    const settling = [...this.#unsettled.keys()].filter((call) => settledOn[call] === now / tickMs && !this.#isSlow(call, now))
    settling.sort((a, b) => /** @type {number} */ (settled[a]) - /** @type {number} */ (settled[b]))
    for (const call of settling) if ((this.#failed(call) || this.#succeeded(call)) && add(this.#failed(call), now)) return
    this.#complain(`it opened at ${trippedAt} ms (told at ${now} ms), after ${evidence}`)
  }

  /** @param {number} call @param {number} now */
  #isSlow(call, now) {
    return now - /** @type {number} */ (this.#unsettled.get(call)) >= (this.#guard.slowCallDuration ?? Infinity)
  }

  /**
   * The calls under way that have become slow since somebody looked last, oldest first, with when they did.
   *
   * @param {number} now
   */
  #becomingSlow(now) {
    const { slowCallDuration = Infinity } = this.#guard
    /** @type {[call: number, at: number][]} */
    const found = []
    for (const [call, since] of this.#unsettled) if (since + slowCallDuration <= now && !this.#slow.has(call)) found.push([call, since + slowCallDuration])
    return found
  }

  /** Whoever makes a call or reports on one counts those that hang first. @param {number} now */
  #look(now) {
    for (const [call, at] of this.#becomingSlow(now)) {
      this.#slow.add(call)
      this.#count(true, at)
    }
  }

  /**
   * What a report changes is changed before the caller hears of it: so a breaker that has to be open should have been in
   * another episode by now.
   *
   * @param {boolean} failed
   * @param {number} at
   */
  #count(failed, at) {
    this.#evidence.add(failed, at)
    if (!this.#evidence.trips(at)) return
    this.#complain(`it knew at ${at} ms of ${this.#evidence}, and did not open`)
    this.#evidence = new Evidence(this.#guard.trip)
  }

  /** @param {number} call */
  #offer(call) {
    const now = /** @type {number} */ (this.#story.calls.tick[call]) * tickMs
    const refused = this.#journal.fate[call] === fates.refused
    const asked = this.#arrived[call] === 1
    if (refused && asked) this.#complain(`call ${call} was refused, and arrived at the server`)
    if (this.#state === open && (asked || !refused)) this.#complain(`call ${call} reached the server at ${now} ms, while its breaker was open until ${this.#until} ms`)
    if (this.#state === open && refused && now >= this.#until) this.#complain(`call ${call} was refused at ${now} ms, and the breaker was open until ${this.#until} ms`)
    if (this.#state === closed && refused) this.#complain(`call ${call} was refused by a closed breaker at ${now} ms`)
    if (!refused) this.#admissions.episode[call] = this.#episode
    if (!refused && this.#state === halfOpen) this.#admissions.probe[call] = 1
    if (this.#state === halfOpen) this.#share(refused, now)
    if (refused) return this.#full(now)
    if (this.#state === closed) this.#look(now)
    this.#unsettled.set(call, now)
  }

  /**
   * Whoever is refused by probes has met as many that have not settled, and have not had their places for too long.
   *
   * @param {number} now
   */
  #full(now) {
    if (this.#state !== halfOpen || this.#guard.recovery === 'gradual') return
    let held = 0
    for (const since of this.#unsettled.values()) if (now - since < probeTimeout) held++
    if (held < limits[this.#guard.recovery]) this.#complain(`a call was refused at ${now} ms, with ${held} probes under way of ${limits[this.#guard.recovery]}`)
  }

  /**
   * In the first phase of a ramp: one call in so many, and one more whenever a gap is over.
   *
   * @param {boolean} refused
   * @param {number} now
   */
  #share(refused, now) {
    if (this.#guard.recovery !== 'gradual' || this.#ramp.successes >= firstPhase.successThreshold) return
    this.#ramp.offered++
    if (refused) return
    this.#ramp.admitted++
    const most = firstPhase.ratio * this.#ramp.offered + 1 + (now - this.#ramp.since) / firstPhase.maxGap
    if (this.#ramp.admitted > most) this.#complain(`${this.#ramp.admitted} of ${this.#ramp.offered} calls were let through at ${now} ms, in a phase of one in four`)
  }

  /** @param {number} call */
  #settle(call) {
    const fate = this.#journal.fate[call]
    // Nobody has told the breaker: the place stays taken until it is given to another.
    if (fate === fates.forgotten || this.#admissions.episode[call] !== this.#episode) return
    const now = /** @type {number} */ (this.#journal.settledOn[call]) * tickMs
    if (this.#state === closed) this.#look(now)
    this.#unsettled.delete(call)
    const succeeded = this.#succeeded(call)
    const failed = this.#failed(call)
    if (succeeded) this.#ramp.successes++
    if (failed && this.#state === halfOpen) this.#complain(`probe ${call} failed, and the breaker did not open`)
    if (fate === fates.ok && failed) this.#complain(`it asked with call ${call} to be left alone, and the breaker did not open`)
    // Once it was slow, it has been counted.
    if (this.#state === closed && (succeeded || failed) && !this.#slow.delete(call)) this.#count(failed, now)
  }
}

/**
 * More probes of one episode at a server than its recovery allows, by the server's own log. Those of one tick are there
 * together, however fast they are answered: they were let through before any of them was. A probe whose caller has given
 * it up is over, and one that has had its place for `probeTimeout` may have lost it to another.
 *
 * @param {string[]} log of one process
 * @param {import('./script.mjs').Script} story
 * @param {import('./journal.mjs').Journal} journal
 * @param {Admissions} admissions
 */
function tooManyProbes(log, story, journal, { episode, probe }) {
  /** @type {string[]} */
  const complaints = []
  /** @type {Map<number, Map<number, boolean>>} of each host, the probes that came, and whether each has its answer */
  const present = new Map()
  for (const line of log) {
    // With its process ends all it was doing.
    if (line === 'boot') present.clear()
    const [what, id] = line.split(' ')
    const call = Number(id)
    if (probe[call] !== 1) continue
    const host = /** @type {number} */ (story.calls.host[call])
    const others = present.get(host) ?? new Map()
    present.set(host, others)
    if (what === 'ended' && others.has(call)) others.set(call, true)
    if (what !== 'arrived') continue
    const now = /** @type {number} */ (story.calls.tick[call])
    for (const [other, answered] of others) {
      const since = /** @type {number} */ (story.calls.tick[other])
      const abandoned = /** @type {number} */ (journal.abandoned[other])
      const over = (answered && since < now) || (abandoned >= 0 && abandoned <= now) || now - since >= probeTicks
      if (over || episode[other] !== episode[call]) others.delete(other)
    }
    others.set(call, false)
    const limit = limits[/** @type {import('./script.mjs').Guard} */ (story.guards[host]).recovery]
    if (others.size > limit) complaints.push(`host ${host} had ${others.size} probes at once at ${now * tickMs} ms, and its limit is ${limit}`)
  }
  return complaints
}
