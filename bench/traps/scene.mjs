/** A stage for one trap: the clock in our hand, calls that end when they are told to, and what was seen. */
import FakeTimers from '@sinonjs/fake-timers'

const realImmediate = globalThis.setImmediate

/** What has happened is over: promises, ticks and immediates of any library. */
export async function settle() {
  for (let i = 0; i < 6; i++) await new Promise((resolve) => void realImmediate(resolve))
}

export const ok = async () => 'ok'
export const down = new Error('down')
export const fail = async () => {
  throw down
}
export const hang = () => new Promise(() => undefined)
/** A call that ends when its signal does, with its reason. */
export const until = (signal) => () => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

/**
 * Starts a call and says how it stands.
 *
 * @returns {{ ran: boolean, ended?: 'value' | 'error', refused: boolean, value?: unknown, error?: any }}
 */
export function start(subject, fn, signal) {
  const call = { ran: false, ended: undefined, refused: false }
  const body = () => {
    call.ran = true
    return fn()
  }
  let promise
  try {
    promise = Promise.resolve(subject.call(body, signal))
  } catch (error) {
    promise = Promise.reject(error)
  }
  promise.then(
    (value) => Object.assign(call, { ended: 'value', value }),
    (error) => Object.assign(call, { ended: 'error', error, refused: !call.ran && subject.refused(error) }),
  )
  return call
}

/** A call that ends when told to. */
export function pending(subject, signal) {
  let settleIt
  const call = start(subject, () => new Promise((resolve, reject) => (settleIt = { resolve, reject })), signal)
  return {
    call,
    async succeed() {
      settleIt.resolve('ok')
      await settle()
    },
    async fail(error = down) {
      settleIt.reject(error)
      await settle()
    },
  }
}

export async function run(subject, fn, times = 1) {
  let last
  for (let i = 0; i < times; i++) {
    last = start(subject, fn)
    await settle()
  }
  return last
}

/** Fails calls until it is open. */
export async function trip(subject, most = 20) {
  for (let i = 0; i < most && subject.state() !== 'open'; i++) await run(subject, fail)
  if (subject.state() !== 'open') throw new Error(`not open after ${most} failures`)
}

/** So many callers at once, whose calls hang. */
export async function crowd(subject, size) {
  const calls = Array.from({ length: size }, () => start(subject, hang))
  await settle()
  const ran = calls.filter((call) => call.ran).length
  const refused = calls.filter((call) => call.refused).length
  return { ran, refused, waiting: size - ran - refused }
}

/** Takes timers, `Date` and `performance` in hand; what a library reads of them is what we say. */
export function takeTheClock() {
  const clock = FakeTimers.install({
    now: 1_700_000_000_000,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  })
  return {
    async wait(ms) {
      clock.tick(ms)
      await settle()
    },
    /** Steps the wall clock; timers and the monotonic clock go on as they were. */
    step(ms) {
      clock.setSystemTime(Date.now() + ms)
    },
  }
}

/** How a trap ended. `seen` is what was seen, in a few words. */
export const kept = (seen) => ({ mark: 'kept', seen })
export const broken = (seen) => ({ mark: 'broken', seen })
export const absent = (seen) => ({ mark: 'absent', seen })
export const verdict = (good, seen) => (good ? kept(seen) : broken(seen))
