/**
 * Counts the timers begun and still alive from now on, by standing in for the global functions.
 *
 * @returns {{ begun(): number, alive(): number }}
 */
export function countingTimers() {
  const alive = new Set()
  let begun = 0
  for (const kind of ['Timeout', 'Interval', 'Immediate']) {
    const set = globalThis[`set${kind}`]
    const clear = globalThis[`clear${kind}`]
    globalThis[`set${kind}`] = (callback, ...rest) => {
      begun++
      const handle = set(
        (...given) => {
          if (kind !== 'Interval') alive.delete(handle)
          callback(...given)
        },
        ...rest,
      )
      alive.add(handle)
      return handle
    }
    globalThis[`clear${kind}`] = (handle) => {
      alive.delete(handle)
      clear(handle)
    }
  }
  return { begun: () => begun, alive: () => alive.size }
}
