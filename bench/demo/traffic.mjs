/** @typedef {import('./traffic.mjs').Story} Story */
/** @typedef {import('./traffic.mjs').Call} Call */

/**
 * A host answered with an error.
 */
class BadAnswer extends Error {
  name = 'BadAnswer'
}

/**
 * One call as a service makes it: an answer of 500 or more is an error, and the body is part of the call.
 *
 * @param {string} url
 * @param {AbortSignal} signal
 */
async function get(url, signal) {
  const response = await fetch(url, { signal })
  const body = await response.text()
  if (response.status >= 500) throw new BadAnswer(`${response.status}: ${body}`)
  return body
}

/**
 * Sends every host its steady traffic through one registry, and beside it the same calls without a breaker.
 *
 * @param {object} run
 * @param {any} run.library what `lazybreaker` exports
 * @param {import('./cast.mjs').Role[]} run.roles
 * @param {Pick<Awaited<ReturnType<typeof import('./stage.mjs').openStage>>, 'origins' | 'begin'>} run.stage their servers
 * @param {number} run.duration in milliseconds
 * @param {(second: number, stories: Story[], states: string[]) => void} [run.eachSecond]
 * @param {(stories: Story[]) => boolean} [run.isOver] ends the run before its time
 * @returns {Promise<Story[]>}
 */
export async function play({ library, roles, stage, duration, eachSecond, isOver }) {
  const { origins } = stage
  // What is loaded and compiled on first use is no part of the story.
  for (let i = 0; i < 20; i++) {
    await Promise.all(origins.map((origin, host) => roles[host]?.fault === 'silent' || get(`${origin}/warm-up`, AbortSignal.timeout(10_000))))
  }
  const { BreakerRegistry, CircuitOpenError } = library
  const start = performance.now()
  const now = () => performance.now() - start

  /** @type {Story[]} */
  const stories = roles.map((role) => ({ role, calls: [], control: [], transitions: [], outages: [], hanging: [] }))
  const storyOf = new Map(origins.map((origin, index) => [origin, /** @type {Story} */ (stories[index])]))

  const upstreams = new BreakerRegistry({
    configure: (/** @type {string} */ origin) => storyOf.get(origin)?.role.options,
  })
  upstreams.observe({
    transition: (/** @type {any} */ { name, at, from, to, reason }) => storyOf.get(name)?.transitions.push({ at: at - start, from, to, reason }),
  })
  // Both processes read the same wall clock, so what one saw can be placed in the other's time.
  stage.begin(({ host, up, at }) => stories.find((story) => story.role.name === host)?.outages.push({ at: at - performance.timeOrigin - start, up }))

  /** Of each host the calls not yet settled, each with the controller by which its caller gives up. */
  const inFlight = new Map(stories.map((story) => [story, new Map()]))
  const over = new Error('the demo is over')

  /**
   * @param {Story} story
   * @param {'calls' | 'control'} list
   * @param {(signal: AbortSignal) => Promise<unknown>} send
   */
  function record(story, list, send) {
    /** @type {Call} */
    const call = { at: now(), outcome: 'hanging' }
    story[list].push(call)
    const caller = new AbortController()
    const patience = setTimeout(() => caller.abort(new DOMException('The caller waited long enough', 'TimeoutError')), story.role.patience)
    const unsettled = /** @type {Map<AbortController, Promise<void>>} */ (inFlight.get(story))
    const settled = send(caller.signal)
      .then(
        () => void (call.outcome = 'ok'),
        (error) => {
          if (error === over) return
          call.outcome = error instanceof CircuitOpenError ? 'refused' : 'failed'
        },
      )
      .then(() => {
        clearTimeout(patience)
        unsettled.delete(caller)
      })
    unsettled.set(caller, settled)
  }

  const sent = roles.map(() => 0)
  let sampled = -Infinity
  let lastSecond = 0
  await new Promise((resolve) => {
    const ticker = setInterval(() => {
      const time = Math.min(now(), duration)
      roles.forEach((role, index) => {
        const origin = /** @type {string} */ (origins[index])
        const story = /** @type {Story} */ (stories[index])
        const due = Math.ceil(((time - role.from) * role.rate) / 1_000)
        for (; sent[index] < due; sent[index]++) {
          record(story, 'calls', (signal) => upstreams.execute(origin, () => get(`${origin}/guarded`, signal), { signal }))
          if (role.control) record(story, 'control', (signal) => get(`${origin}/control`, signal))
        }
        if (time - sampled >= 100 || time === duration) {
          story.hanging.push({ at: time, hanging: inFlight.get(story)?.size ?? 0 })
        }
      })
      let over = time >= duration
      if (time - sampled >= 100) {
        sampled = time
        over ||= isOver?.(stories) === true
      }
      // More than one, if the machine was busy with something else.
      while (time >= (lastSecond + 1) * 1_000) {
        lastSecond++
        eachSecond?.(
          lastSecond,
          stories,
          origins.map((origin) => upstreams.for(origin).state),
        )
      }
      if (!over) return
      clearInterval(ticker)
      resolve(undefined)
    }, 2)
  })

  // Whoever can still be answered is waited for; the hosts that never answer are given up.
  for (const [{ role }, unsettled] of inFlight) {
    if (role.fault === 'silent') for (const caller of unsettled.keys()) caller.abort(over)
    await Promise.all(unsettled.values())
  }
  return stories
}
