import { checkNames, refuse } from './options.js'

/** In milliseconds. */
const LONGEST_WAIT = 600_000

/** The longest `Retry-After` that is followed, in milliseconds, as the option of that name says; `undefined`: none is. */
export function longestWait(option: unknown): number | undefined {
  if (option === undefined || option === false) return undefined
  if (option === true) return LONGEST_WAIT
  if (typeof option !== 'object' || option === null) refuse('retryAfter', 'true, false or { max }', option)
  checkNames('retryAfter', option, ['max'])
  const { max = LONGEST_WAIT } = option as { max?: unknown }
  if (typeof max === 'number' && max > 0 && max < Infinity) return max
  return refuse('retryAfter: max', 'a finite number of milliseconds above 0', max)
}

const IMF_FIXDATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/

/** Milliseconds that a `Retry-After` (RFC 9110) asks for: delta-seconds, or a date in the one form that may be sent. */
export function retryAfter(value: string | null | undefined): number | undefined {
  // One that is not there is neither.
  const text = String(value)
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  if (!IMF_FIXDATE.test(text)) return undefined
  // A server's date is a reading of the wall clock, and becomes a duration at once.
  // eslint-disable-next-line no-restricted-globals -- the one thing that is told by the wall clock
  const ms = Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
