import { describe } from './warning.js'

/** @throws RangeError for a number that is out of range, else TypeError: it names the option, the rule and what it got */
export function refuse(name: string, rule: string, value: unknown): never {
  const message = `${name}: expected ${rule}, got ${describe(value)}`
  throw typeof value === 'number' && rule.includes('number') ? new RangeError(message) : new TypeError(message)
}

/** An object whose own keys are all among `known`. */
export function checkNames(name: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) refuse(name, 'an object of options', options)
  const strange = Object.keys(options).find((key) => !known.includes(key))
  if (strange !== undefined) throw new TypeError(`${name}: unknown option ${JSON.stringify(strange)}; known are ${known.join(', ')}`)
}

/** What has these methods, whatever class it is of, and from whatever copy of its package. */
export function checkMethods(name: string, rule: string, value: unknown, methods: readonly string[]): void {
  const found = (value ?? {}) as Readonly<Record<string, unknown>>
  if (!methods.every((method) => typeof found[method] === 'function')) refuse(name, rule, value)
}

/** Options each of which is a function, if it is given. */
export function checkFunctions(options: object): void {
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (value !== undefined && typeof value !== 'function') refuse(name, 'a function', value)
  }
}
