import { describe } from './warn.js'

/** A check gives back the value it was given, or throws an error that names the option, the rule and the value. */
type Check<T> = (name: string, value: unknown) => T

function rule<T>(text: string, holds: (value: unknown) => boolean): Check<T> {
  return (name, value) => {
    if (holds(value) && (!Object.is(value, -0) || holds === isReading)) return value as T
    const percent = text === SHARE && isWait(value) && value > 0 && value <= 100 ? `; ${describe(value)} % is ${describe(value / 100)}` : ''
    const message = `${name}: expected ${text}, got ${describe(value)}${percent}`
    throw typeof value === 'number' && text.includes('number') ? new RangeError(message) : new TypeError(message)
  }
}

const SHARE = 'a number above 0 and at most 1'

/** A reading of a clock: beyond 2^53, milliseconds are lost between the numbers, and time would seem to stand still. */
export function isReading(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
}

/** Is `value` a time one can wait: a finite number, not negative? */
export function isWait(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Infinity
}

export const checkCount = /* @__PURE__ */ rule<number>('a whole number of at least 1', (v) => Number.isSafeInteger(v) && (v as number) > 0)
export const checkTolerance = /* @__PURE__ */ rule<number>('a whole number of at least 0', (v) => Number.isSafeInteger(v) && (v as number) >= 0)
export const checkMs = /* @__PURE__ */ rule<number>('a finite number of at least 0', isWait)
export const checkPositiveMs = /* @__PURE__ */ rule<number>('a finite number above 0', (v) => isWait(v) && v > 0)
export const checkFactor = /* @__PURE__ */ rule<number>('a finite number of at least 1', (v) => isWait(v) && v >= 1)
export const checkRate = /* @__PURE__ */ rule<number>(SHARE, (v) => isWait(v) && v > 0 && v <= 1)
export const checkUnit = /* @__PURE__ */ rule<number>('a number from 0 to 1', (v) => isWait(v) && v <= 1)
export const checkString = /* @__PURE__ */ rule<string>('a string', (v) => typeof v === 'string')
export const checkBoolean = /* @__PURE__ */ rule<boolean>('true or false', (v) => typeof v === 'boolean')
export const checkReading = /* @__PURE__ */ rule<number>('a finite number of milliseconds, within 2^53', isReading)
export const checkSignal = /* @__PURE__ */ rule<unknown>('an AbortSignal', (v) => typeof (v as { aborted?: unknown } | null)?.aborted === 'boolean')
const isFunction = /* @__PURE__ */ rule<unknown>('a function', (v) => typeof v === 'function')
const isObject = /* @__PURE__ */ rule<object>('an object', (v) => typeof v === 'object' && v !== null && !Array.isArray(v) && typeof (v as { then?: unknown }).then !== 'function')

export function checkFunction<T>(name: string, value: T): T {
  return isFunction(name, value) as T
}

/**
 * An object whose own keys are all among `known`. The error for another key hints at what was meant.
 *
 * @param kind - what a key is called
 */
export function checkObject<T extends object>(name: string, value: T, known: readonly string[], kind = 'option'): T {
  const strange = Object.keys(isObject(name, value)).find((key) => !known.includes(key))
  if (strange === undefined) return value
  throw new TypeError(`${name}: unknown ${kind} ${describe(strange)}; ${hint(strange, known)}`)
}

/** The same for the one or two options that are handed in beside each call, so it costs as little as it can. */
export function checkCall<T extends object>(name: string, options: T, known: readonly [string, string?]): T {
  if (!isOptions(options) || 'aborted' in options) refuseCall(name, options, known)
  // Stryker disable next-line ConditionalExpression,LogicalOperator: checkObject() looks again; most calls are spared it
  for (const key in options) if (key !== known[0] && key !== known[1]) checkObject(name, options, known as readonly string[])
  return options
}

function isOptions(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function refuseCall(name: string, options: unknown, known: readonly unknown[]): never {
  throw new TypeError(`${name}: ${isOptions(options) ? 'got an AbortSignal; pass { signal }' : `expected { ${known.join(', ')} }, got ${describe(options)}`}`)
}

/** What the user of an option that is none may have meant. */
function hint(key: string, known: readonly string[]): string {
  const meant = ELSEWHERE.filter(([target, words]) => target === key || words.split(' ').includes(key))
  const here = meant.find(([target]) => known.includes(target))?.[0]
  const advice = INSTEAD.find(([words]) => words.split(' ').includes(key))?.[1]
  if (here === undefined && advice !== undefined) return advice
  const name = here ?? nearest(key, known) ?? meant[0]?.[2]
  return name === undefined ? `known are ${known.join(', ')}` : `did you mean ${name}?`
}

/** Two options that contradict each other have no right behaviour, so they are refused. */
export function contradiction(message: string): never {
  throw new RangeError(message)
}

/** The known word that is nearest by edit distance (Levenshtein 1966), if one is near: about a quarter of the letters may differ. */
function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let least = 1 + word.length / 4
  for (const candidate of known) {
    const row = Array.from({ length: candidate.length + 1 }, (_, j) => j)
    for (let i = 0; i < word.length; i++) {
      let diagonal = i
      row[0] = i + 1
      for (let j = 1; j < row.length; j++) {
        const above = row[j]!
        const same = word[i]!.toLowerCase() === candidate[j - 1]!.toLowerCase()
        row[j] = Math.min(above + 1, row[j - 1]! + 1, diagonal + (same ? 0 : 1))
        diagonal = above
      }
    }
    if (row.at(-1)! < least) {
      least = row.at(-1)!
      best = candidate
    }
  }
  return best
}

/** What opossum, cockatiel, resilience4j and gobreaker call an option of ours, and where ours is to be found by those who look for it elsewhere. */
const ELSEWHERE: readonly (readonly [target: string, words: string, home?: string])[] = [
  ['recoveryTimeout', 'resetTimeout halfOpenAfter waitDurationInOpenState cooldown'],
  ['probeTimeout', 'maxWaitDurationInHalfOpenState'],
  ['slowCallDuration', 'slowCallDurationThreshold'],
  ['rate', 'threshold errorThresholdPercentage failureRateThreshold', 'trip: failureRate({ rate })'],
  ['slowCallRate', 'slowCallRateThreshold', 'trip: failureRate({ slowCallRate })'],
  ['minimumCalls', 'volumeThreshold minimumNumberOfCalls minimumThroughput minimumRps allowWarmUp', 'trip: failureRate({ minimumCalls })'],
  ['window', 'rollingCountTimeout rollingCountBuckets slidingWindowSize slidingWindowType duration interval', 'trip: failureRate({ window })'],
  ['ms', 'duration interval rollingCountTimeout', 'trip: failureRate({ window: { ms } })'],
  ['calls', 'size slidingWindowSize', 'trip: failureRate({ window: { calls } })'],
  ['maxConcurrent', 'permittedNumberOfCallsInHalfOpenState halfOpenMaxConcurrent maxRequests', 'recovery: probes({ maxConcurrent })'],
  ['successThreshold', 'halfOpenSampling', 'recovery: probes({ successThreshold })'],
  ['jitter', 'jitter', 'recoveryTimeout: exponentialBackoff({ jitter })'],
  ['trip', 'breaker readyToTrip'],
  ['classifyError', 'errorFilter ignoreExceptions recordExceptions isSuccessful handleWhen'],
  ['transition', 'open close halfOpen onBreak onReset onHalfOpen onStateChange', 'observe({ transition })'],
  ['settled', 'success failure', 'observe({ settled })'],
  ['rejected', 'reject', 'observe({ rejected })'],
  ['initial', 'initialDelay'],
  ['max', 'maxDelay'],
  ['factor', 'exponent multiplier'],
  ['signal', 'abortController', 'execute(fn, { signal })'],
  ['fallback', 'fallback', 'execute(fn, { fallback })'],
  ['name', 'key'],
]

/** What others have an option for and this library does not, or not there. */
const INSTEAD: readonly (readonly [words: string, advice: string])[] = [
  ['name key', 'a registry names its breakers by their keys'],
  ['maxSize configure', 'it is an option of BreakerRegistry'],
  ['timeout', 'this library ends no call: pass AbortSignal.timeout(ms) to yours, or see slowCallDuration'],
  ['capacity', 'concurrency is limited only while half-open; use a semaphore around the call'],
  ['enabled', 'breaker.disable() turns it off'],
  ['cache', 'this library caches nothing'],
]
