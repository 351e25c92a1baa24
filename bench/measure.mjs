/**
 * The one way in which anything here is measured.
 *
 * Each measured thing runs in a child process of its own, so that one subject's shapes and call sites do not slow the next one down. Within a
 * child, the subject and what it is compared with take turns of a millisecond, so that a noisy neighbour and a changing clock speed hit both
 * alike; what a process says is the time that the fastest fifth of the turns kept to, because the others tell what else the machine had to do.
 * Of several processes the median is given, with the least and the greatest.
 */
import { spawn } from 'node:child_process'

const CHILD = new URL('child.mjs', import.meta.url).pathname

/**
 * @param {number[]} values
 * @returns {{ median: number, low: number, high: number }} `low` and `high` are the least and the greatest
 */
export function spread(values) {
  return { median: quantile(values, 0.5), low: Math.min(...values), high: Math.max(...values) }
}

/** What the fastest fifth of the turns kept to: the cost when nothing else takes the processor. */
export function undisturbed(values) {
  return quantile(values, 0.2)
}

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const below = Math.floor(place)
  const next = Math.min(below + 1, sorted.length - 1)
  return sorted[below] + (sorted[next] - sorted[below]) * (place - below)
}

/**
 * Runs the loops by turns.
 *
 * @param {Record<string, (times: number) => unknown>} loops each does its work `times` over; it may return a promise
 * @param {{ rounds?: number, turnMs?: number, warmMs?: number }} [options]
 * @returns {Promise<Record<string, number[]>>} nanoseconds per time, one figure a round, in the order of the rounds
 */
export async function takeTurns(loops, { rounds = 100, turnMs = 1, warmMs = 250 } = {}) {
  const names = Object.keys(loops)
  const times = {}
  for (const name of names) times[name] = await calibrate(loops[name], turnMs, warmMs)
  const results = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const begun = process.hrtime.bigint()
      await loops[name](times[name])
      results[name].push(Number(process.hrtime.bigint() - begun) / times[name])
    }
  }
  return results
}

/** Warms a loop up and finds how many times fill one turn. */
async function calibrate(loop, turnMs, warmMs) {
  let times = 8
  const end = performance.now() + warmMs
  for (;;) {
    const begun = performance.now()
    await loop(times)
    const took = performance.now() - begun
    if (took < turnMs) times = Math.ceil(times * Math.min(2, turnMs / Math.max(took, turnMs / 2)))
    if (performance.now() >= end && took >= turnMs / 2) return Math.max(1, Math.round((times * turnMs) / took))
    if (performance.now() >= end + 4 * warmMs) return times
  }
}

/** What has been computed in a measured loop, so that no compiler leaves it out. */
let kept
export function keep(value) {
  kept = value
}
export function whatWasKept() {
  return kept
}

/** Bytes of live heap, after a collection. */
export function liveHeap() {
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

/**
 * Runs one exported function of a module in a new process.
 *
 * @param {string | URL} module
 * @param {string} task the name of the export; it is called with `input` and its result, JSON, is the answer
 * @param {unknown} [input]
 * @param {{ timeoutMs?: number, flags?: string[] }} [options]
 */
export async function inChild(module, task, input, { timeoutMs = 120_000, flags = [] } = {}) {
  const outcome = await runChild(module, task, input, { timeoutMs, flags })
  if (outcome.answer === undefined) {
    throw new Error(`${task}(${JSON.stringify(input)}) gave no answer (${outcome.end}):\n${outcome.errors}`)
  }
  return outcome.answer
}

/**
 * As {@link inChild}, for what may hang or crash: never throws.
 *
 * @returns {Promise<{ answer?: any, end: string, errors: string, ms: number }>} `end` is `exit 0`, `SIGKILL` (the time was up), …
 */
export function runChild(module, task, input, { timeoutMs = 120_000, flags = [] } = {}) {
  return new Promise((resolve) => {
    const begun = performance.now()
    const order = JSON.stringify({ module: String(module), task, input })
    const child = spawn(process.execPath, ['--expose-gc', ...flags, CHILD, order], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (errors += chunk))
    const killer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    child.on('close', (code, signal) => {
      clearTimeout(killer)
      const marked = output.lastIndexOf('\u0001')
      const answer = marked < 0 ? undefined : JSON.parse(output.slice(marked + 1))
      resolve({ answer, end: signal ?? `exit ${code}`, errors, ms: performance.now() - begun })
    })
  })
}

/** A loop that awaits `call` each time. */
export function awaiting(call) {
  return async (times) => {
    for (let i = 0; i < times; i++) await call()
  }
}

/** A loop that awaits `call` each time and catches what it rejects with. */
export function catching(call) {
  return async (times) => {
    for (let i = 0; i < times; i++) {
      try {
        await call()
      } catch (reason) {
        keep(reason)
      }
    }
  }
}

/** A loop that keeps what `call` returns each time. */
export function repeating(call) {
  return (times) => {
    for (let i = 0; i < times; i++) keep(call())
  }
}
