const told = new Set<string>()
const LIMIT = 100

interface Host {
  readonly process?: { emitWarning?(message: string, type: string): void }
  readonly console: { warn(message: string): void }
}

/**
 * Says once that one of the user's callbacks misbehaved, where warnings go on this platform, and a hundred different things at most: a
 * broken callback on a hot path must be seen, not flood the log.
 */
export function warn(message: string): void {
  if (told.size >= LIMIT || told.has(message)) return
  told.add(message)
  const { process, console } = globalThis as unknown as Host
  try {
    if (typeof process?.emitWarning === 'function') process.emitWarning(message, 'LazybreakerWarning')
    else console.warn(`LazybreakerWarning: ${message}`)
  } catch {
    // A platform that has neither, or whose warning channel throws, has nowhere left to say so.
  }
}

/** A value as a message shows it: short, and safe for any value at all. */
export function describe(value: unknown): string {
  try {
    if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
    if (typeof value === 'function') return 'a function'
    if (value instanceof Error) return `${value.name}: ${value.message}`.slice(0, 200)
    if (Array.isArray(value)) return 'an array'
    return typeof value === 'object' && value !== null ? 'an object' : String(value)
  } catch {
    return `a hostile ${typeof value}`
  }
}
