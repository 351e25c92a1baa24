import { describe } from './warn.js'

/** A `TypeError` for a wrong type, a `RangeError` for a number out of range; both name the option, the rule and the value got. */
function refuse(name: string, rule: string, value: unknown, hint = ''): never {
  const message = `${name}: expected ${rule}, got ${describe(value)}${hint}`
  throw typeof value === 'number' ? new RangeError(message) : new TypeError(message)
}

/** A whole number from `min` to `max`. */
export function checkCount(name: string, value: unknown, min = 1, max = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value) && !Object.is(value, -0) && (value as number) >= min && (value as number) <= max) return value as number
  const upTo = max === Number.MAX_SAFE_INTEGER ? `of at least ${String(min)}` : `from ${String(min)} to ${String(max)}`
  refuse(name, `a whole number ${upTo}`, value)
}

/** A finite number of milliseconds, 0 or more. */
export function checkMs(name: string, value: unknown): number {
  if (isWait(value) && !Object.is(value, -0)) return value
  refuse(name, 'a finite number of at least 0', value)
}

/** A finite number of milliseconds, more than 0. */
export function checkPositiveMs(name: string, value: unknown): number {
  if (isWait(value) && value > 0) return value
  refuse(name, 'a finite number above 0', value)
}

/** A share: more than 0, at most 1. */
export function checkRate(name: string, value: unknown): number {
  if (typeof value === 'number' && value > 0 && value <= 1) return value
  const percent = typeof value === 'number' && value > 1 && value <= 100
  refuse(name, 'a number above 0 and at most 1', value, percent ? ` (for ${String(value)} %, say ${String(value / 100)})` : '')
}

/** A number from 0 to 1. */
export function checkUnit(name: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 1 && !Object.is(value, -0)) return value
  refuse(name, 'a number from 0 to 1', value)
}

/** A finite number of at least 1. */
export function checkFactor(name: string, value: unknown): number {
  if (isWait(value) && value >= 1) return value
  refuse(name, 'a finite number of at least 1', value)
}

export function checkFunction<T>(name: string, value: T): T {
  if (typeof value === 'function') return value
  refuse(name, 'a function', value)
}

export function checkString(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  refuse(name, 'a string', value)
}

/** An object whose own keys are all among `known`. The error for another key hints at what was meant. */
export function checkObject<T extends object>(name: string, value: T, known: readonly string[], elsewhere: Readonly<Record<string, string>> = {}): T {
  if (typeof value !== 'object' || (value as unknown) === null || Array.isArray(value)) refuse(name, 'an object', value)
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const meant = Object.hasOwn(elsewhere, key) ? elsewhere[key] : nearest(key, known)
    throw new TypeError(`${name}: unknown option ${describe(key)}${meant === undefined ? `; known are ${known.join(', ')}` : `; did you mean ${meant}?`}`)
  }
  return value
}

/** Is `value` a time one can wait: a finite number, not negative? */
export function isWait(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Infinity
}

/** A call that two options answer in contrary ways. */
export function contradiction(message: string): never {
  throw new RangeError(message)
}

function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let least = Math.max(2, word.length >> 2) + 1
  for (const candidate of known) {
    const d = distance(word.toLowerCase(), candidate.toLowerCase())
    if (d < least) {
      least = d
      best = candidate
    }
  }
  return best
}

/** Edit distance (Levenshtein 1966), one row of the matrix at a time. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
