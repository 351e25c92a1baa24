/**
 * What happened to one host in the run. Times are milliseconds from the start.
 *
 * @typedef {object} Story
 * @property {import('./cast.mjs').Role} role
 * @property {Call[]} calls those made through the breaker
 * @property {Call[]} control the same calls at the same moments, without a breaker
 * @property {{ at: number, from: string, to: string, reason: string }[]} transitions
 * @property {{ at: number, up: boolean }[]} outages when the server said that it went down and came back
 * @property {{ at: number, hanging: number }[]} hanging calls that were in flight, sampled
 *
 * @typedef {{ at: number, outcome: 'ok' | 'failed' | 'refused' | 'hanging' }} Call `hanging`: unanswered when the run ended
 */

/**
 * A host answered with an error.
 */
class BadAnswer extends Error {
  name = 'BadAnswer';
}

/**
 * Sends every host its steady traffic through one registry, and beside it the same calls without a breaker.
 *
 * @param {object} stage
 * @param {any} stage.library what `lazybreaker` exports
 * @param {import('./cast.mjs').Role[]} stage.roles
 * @param {string[]} stage.origins the origin of each role's server
 * @param {number} stage.duration in milliseconds
 * @param {(listener: (message: { host: string, up: boolean }) => void) => void} stage.onServer where the servers tell of their outages
 * @param {(second: number, stories: Story[], states: string[]) => void} [stage.eachSecond]
 * @param {number} [stage.second] how long that is
 * @returns {Promise<Story[]>}
 */
export async function play({ library, roles, origins, duration, onServer, eachSecond, second = 1_000 }) {
  const { BreakerRegistry, CircuitOpenError } = library;
  const start = performance.now();
  const now = () => performance.now() - start;

  /** @type {Story[]} */
  const stories = roles.map((role) => ({ role, calls: [], control: [], transitions: [], outages: [], hanging: [] }));
  const storyOf = new Map(origins.map((origin, index) => [origin, /** @type {Story} */ (stories[index])]));

  const upstreams = new BreakerRegistry({
    configure: (/** @type {string} */ origin) => storyOf.get(origin)?.role.options,
  });
  upstreams.observe({
    transition: (/** @type {any} */ { name, at, from, to, reason }) =>
      storyOf.get(name)?.transitions.push({ at: at - start, from, to, reason }),
  });
  onServer(({ host, up }) => stories.find((story) => story.role.name === host)?.outages.push({ at: now(), up }));

  /** Of each host the calls not yet settled, each with the controller by which its caller gives up. */
  const inFlight = new Map(stories.map((story) => [story, new Map()]));
  const over = new Error('the demo is over');

  /**
   * @param {Story} story
   * @param {'calls' | 'control'} list
   * @param {(signal: AbortSignal) => Promise<unknown>} send
   */
  function record(story, list, send) {
    /** @type {Call} */
    const call = { at: now(), outcome: 'hanging' };
    story[list].push(call);
    const caller = new AbortController();
    const patience = setTimeout(() => caller.abort(new DOMException('The caller waited long enough', 'TimeoutError')), story.role.patience);
    const unsettled = /** @type {Map<AbortController, Promise<void>>} */ (inFlight.get(story));
    const settled = send(caller.signal)
      .then(
        () => void (call.outcome = 'ok'),
        (error) => {
          if (error === over) return;
          call.outcome = error instanceof CircuitOpenError ? 'refused' : 'failed';
        },
      )
      .then(() => {
        clearTimeout(patience);
        unsettled.delete(caller);
      });
    unsettled.set(caller, settled);
  }

  /**
   * One call as a service makes it: an answer of 500 or more is an error, and the body is part of the call.
   *
   * @param {string} url
   * @param {AbortSignal} signal
   */
  async function get(url, signal) {
    const response = await fetch(url, { signal });
    const body = await response.text();
    if (response.status >= 500) throw new BadAnswer(`${response.status}: ${body}`);
    return body;
  }

  const sent = roles.map(() => 0);
  let sampled = -Infinity;
  let lastSecond = 0;
  await new Promise((resolve) => {
    const ticker = setInterval(() => {
      const time = Math.min(now(), duration);
      roles.forEach((role, index) => {
        const origin = /** @type {string} */ (origins[index]);
        const story = /** @type {Story} */ (stories[index]);
        const due = Math.ceil(((time - role.from) * role.rate) / 1_000);
        for (; sent[index] < due; sent[index]++) {
          record(story, 'calls', (signal) => upstreams.execute(origin, () => get(`${origin}/guarded`, signal), { signal }));
          if (role.control) record(story, 'control', (signal) => get(`${origin}/control`, signal));
        }
        if (time - sampled >= second / 10 || time === duration) {
          story.hanging.push({ at: time, hanging: inFlight.get(story)?.size ?? 0 });
        }
      });
      if (time - sampled >= second / 10) sampled = time;
      if (time >= (lastSecond + 1) * second) {
        lastSecond++;
        eachSecond?.(lastSecond, stories, origins.map((origin) => upstreams.for(origin).state));
      }
      if (time < duration) return;
      clearInterval(ticker);
      resolve(undefined);
    }, 2);
  });

  // Whoever can still be answered is waited for; the hosts that never answer are given up.
  for (const [{ role }, unsettled] of inFlight) {
    if (role.fault === 'silent') for (const caller of unsettled.keys()) caller.abort(over);
    await Promise.all(unsettled.values());
  }
  return stories;
}
