const told = new Set<string>()
const LIMIT = 100

interface Host {
  process?: { emitWarning?: (message: string, type: string) => void }
  console: { warn: (message: string) => void }
}

/**
 * Says once that one of the user's callbacks misbehaved, where warnings go on this platform, and a hundred different things at most: a
 * broken callback on a hot path must be seen, not flood the log.
 */
export function warn(message: string): void {
  if (told.size >= LIMIT || told.has(message)) return
  told.add(message)
  const host = globalThis as unknown as Host
  try {
    if (typeof host.process?.emitWarning === 'function') host.process.emitWarning(message, 'LazybreakerWarning')
    else host.console.warn(`LazybreakerWarning: ${message}`)
  } catch {
    // A platform without a warning channel, or whose throws, has nowhere left to say so.
  }
}

/** Says that `what` threw, or rejected with, `error`. */
export function warnThrown(what: string, error: unknown): void {
  warn(`${what} threw: ${describe(error)}`)
}

/** Says that `what` gave `value`, which is none of the things it may give. A promise among them is watched, so that it cannot become an unhandled rejection. */
export function warnNonsense(what: string, value: unknown, expected?: string, taken = 'its default is used'): void {
  warn(`${what} returned ${describe(value)}${expected === undefined ? ', which is not a valid answer;' : `; expected ${expected}, so`} ${taken}`)
  defuse(what, value)
}

/** If `value` is a thenable, its rejection becomes a warning instead of an unhandled rejection. */
export function defuse(what: string, value: unknown): void {
  if (value === undefined || value === null) return
  try {
    const then = (value as PromiseLike<unknown>).then as unknown
    if (typeof then !== 'function') return
    Reflect.apply(then, value, [
      undefined,
      (error: unknown) => {
        warnThrown(what, error)
      },
    ])
  } catch (error) {
    warnThrown(what, error)
  }
}

/** A value as an error message shows it: short, and safe for any value at all. */
export function describe(value: unknown): string {
  try {
    if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
    if (typeof value === 'bigint') return `${String(value)}n`
    if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`
    if (value instanceof Error) return `${value.name}: ${value.message}`.slice(0, 200)
    if (Array.isArray(value)) return 'an array'
    if (typeof (value as { then?: unknown } | null | undefined)?.then === 'function') return 'a promise'
    if (typeof value === 'object' && value !== null) return 'an object'
    return Object.is(value, -0) ? '-0' : String(value)
  } catch {
    return `a hostile ${typeof value}`
  }
}
