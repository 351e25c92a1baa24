import type { ErrorSummary, Snapshot, State } from '../index.js'

/** A breaker, as far as it is explained. */
export interface ExplainedBreaker {
  snapshot(): Snapshot
}

/** A registry, as far as it is explained. */
export interface ExplainedRegistry {
  readonly size: number
  outages(): Iterable<readonly [unknown, ExplainedBreaker]>
}

/**
 * Says in words what a circuit is doing, since when and why, and when it will try again: of a snapshot or a breaker in one line, of a
 * registry or an array of snapshots in a line for each that is not closed, the worst first. A snapshot may have travelled as JSON.
 *
 * @example
 * ```ts
 * console.log(explain(upstreams))
 * // payments: open for 12 s (opened 3 times, 2 failed recoveries): 5 consecutive failures, last TypeError: fetch failed (ECONNREFUSED); next probe in 18 s
 * ```
 * @throws TypeError if it is given something else
 */
export function explain(what: Snapshot | readonly Snapshot[] | ExplainedBreaker | ExplainedRegistry): string {
  const given = (what as unknown) ?? {}
  if (isRegistry(given)) return list(Array.from(given.outages(), ([, breaker]) => breaker.snapshot()), given.size)
  if (isBreaker(given)) return line(given.snapshot())
  if (Array.isArray(given)) return list(given as Snapshot[], given.length)
  return line(what as Snapshot)
}

/** From the worst. */
const SEVERITY: readonly State[] = ['open', 'forced-open', 'half-open', 'disabled', 'closed']

function list(snapshots: readonly Snapshot[], size: number): string {
  const outages = snapshots.map(checked).filter(({ state }) => state !== 'closed')
  if (outages.length === 0) return `no outages: ${size === 0 ? 'there is no circuit' : size === 1 ? 'the one circuit is closed' : `all ${size} circuits are closed`}`
  return outages.sort(byBadness).map(line).join('\n')
}

/** What refuses before what admits; then what has failed to recover most often; then what has lasted longest. */
function byBadness(a: Snapshot, b: Snapshot): number {
  return SEVERITY.indexOf(a.state) - SEVERITY.indexOf(b.state) || (b.relapses ?? 0) - (a.relapses ?? 0) || age(b) - age(a)
}

function line(given: Snapshot): string {
  const snapshot = checked(given)
  return `${clean(snapshot.name ?? 'unnamed circuit')}: ${story(snapshot)}`
}

function story(snapshot: Snapshot): string {
  const { state, retryAfterMs } = snapshot
  switch (state) {
    case 'open':
      return `open for ${duration(age(snapshot))}${history(snapshot)}: ${cause(snapshot)}; next probe in ${duration(retryAfterMs)}`
    case 'half-open':
      return `half-open, tripped ${duration(age(snapshot))} ago${history(snapshot)}: ${cause(snapshot)}; ${progress(snapshot)}`
    case 'forced-open':
      return 'forced open by hand; every call is refused until reset()'
    case 'disabled':
      return 'disabled by hand; every call is admitted and none is judged until reset()'
    case 'closed':
      return `closed${memory(snapshot)}`
  }
}

/** How often it came to this. */
function history({ trips, relapses = 0 }: Snapshot): string {
  const parts = [...(trips > 1 ? [`opened ${trips} times`] : []), ...(relapses > 0 ? [count(relapses, 'failed recovery', 'failed recoveries')] : [])]
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

/** What began the outage, and the last that was heard of it. */
function cause({ reason, evidence, error }: Snapshot): string {
  const began = evidence?.reason ?? reason ?? 'unknown reason'
  const since = reason === 'open-for' && began !== reason ? `, then ${reasonInWords(reason)}` : ''
  return `${reasonInWords(began, evidence)}${since}${error === undefined ? '' : `, last ${errorInWords(error)}`}`
}

function reasonInWords(reasons: string, counts?: Snapshot['evidence']): string {
  const words = reasons.split('+').map((reason) => {
    if (reason === 'open-for') return 'told to stay away for a while'
    if (counts === undefined) return clean(reason)
    const { failures, calls, slowCalls } = counts
    // Counted beside a window, the failures are those of the window.
    if (reason === 'consecutive-failures') return calls === undefined ? count(failures, 'consecutive failure') : `consecutive failures (${failures} of ${count(calls, 'call')} failed)`
    if (reason === 'failure-rate' && calls !== undefined) return `${failures} of ${count(calls, 'call')} failed`
    if (reason === 'slow-call-rate' && slowCalls !== undefined) return `${count(slowCalls, 'slow call')}${calls === undefined ? '' : `, ${calls} settled`}`
    const numbers = [
      count(failures, 'failure'),
      ...(calls === undefined ? [] : [count(calls, 'call')]),
      ...(slowCalls === undefined ? [] : [`${slowCalls} slow`]),
    ]
    return `${clean(reason)} (${numbers.join(', ')})`
  })
  return words.join(' and ')
}

/** How far recovery has come. */
function progress({ phase, retryAfterMs }: Snapshot): string {
  if (phase === undefined) return 'recovering'
  const { index, ratio, inFlight, successes, successThreshold } = phase
  const stage = ratio < 1 || index > 0 ? `phase ${index + 1}, ${ratio < 1 ? `${Number((ratio * 100).toPrecision(3))} % of calls` : 'all calls'} admitted, ` : ''
  if (stage === '' && inFlight === 0 && successes === 0) return 'the next call is a probe'
  const probes = inFlight === 0 ? '' : `, ${inFlight} in flight`
  return `${stage}${successes} of ${count(successThreshold, 'success', 'successes')}${probes}${retryAfterMs > 0 ? `; next probe within ${duration(retryAfterMs)}` : ''}`
}

/** What a closed circuit remembers. */
function memory({ failures, calls, slowCalls = 0, trips }: Snapshot): string {
  const parts = [
    ...(failures > 0 ? [`${count(failures, 'failure')}${calls === undefined ? '' : ` in ${count(calls, 'call')}`} so far`] : []),
    ...(slowCalls > 0 ? [count(slowCalls, 'slow call')] : []),
    ...(trips > 0 ? [`opened ${trips === 1 ? 'once' : `${trips} times`} before`] : []),
  ]
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

function errorInWords({ name, code, message }: ErrorSummary): string {
  const text = message === '' ? clean(name) : `${clean(name)}: ${clean(message)}`
  return code === undefined || text.includes(String(code)) ? text : `${text} (${clean(String(code))})`
}

function count(n: number, one: string, many = `${one}s`): string {
  return `${Number.isInteger(n) ? n : Number(n.toPrecision(3))} ${n === 1 ? one : many}`
}

const age = ({ at, trippedAt = at }: Snapshot): number => Math.max(0, at - trippedAt)

/** Two units at most, the larger first: `300 ms`, `1.5 s`, `12 s`, `5 min 12 s`, `2 h 5 min`, `3 d 4 h`. */
function duration(ms: number): string {
  if (ms < 999.5) return `${Math.ceil(ms)} ms`
  if (ms < 9_950) return `${Number((ms / 1_000).toFixed(1))} s`
  const s = Math.round(ms / 1_000)
  if (s < 60) return `${s} s`
  if (s < 3_600) return pair(s, 60, 'min', 's')
  const min = Math.round(s / 60)
  return min < 1_440 ? pair(min, 60, 'h', 'min') : pair(Math.round(min / 60), 24, 'd', 'h')
}

function pair(small: number, size: number, large: string, unit: string): string {
  const rest = small % size
  return `${(small - rest) / size} ${large}${rest === 0 ? '' : ` ${rest} ${unit}`}`
}

/** On one line, whatever an error's message is made of: this goes to logs and terminals. */
const clean = (text: string): string => text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()

function isRegistry(given: unknown): given is ExplainedRegistry {
  return typeof (given as Partial<ExplainedRegistry>).outages === 'function'
}

function isBreaker(given: unknown): given is ExplainedBreaker {
  return typeof (given as Partial<ExplainedBreaker>).snapshot === 'function'
}

/** What is read of a snapshot and its parts. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, 'number' | 'string' | undefined>>>> = {
  snapshot: { at: 'number', retryAfterMs: 'number', trips: 'number', failures: 'number' },
  evidence: { reason: 'string', failures: 'number' },
  error: { name: 'string', message: 'string' },
  phase: { index: 'number', ratio: 'number', inFlight: 'number', successes: 'number', successThreshold: 'number' },
}
const OPTIONAL = { name: 'string', reason: 'string', relapses: 'number', calls: 'number', slowCalls: 'number', trippedAt: 'number' } as const

/** As it may come from elsewhere, it is looked at before it is believed. */
function checked(given: unknown): Snapshot {
  if (typeof given !== 'object' || given === null || !('state' in given)) {
    const got = given === null ? 'null' : Array.isArray(given) ? 'an array' : typeof given === 'string' ? 'a string (parse the JSON first)' : typeof given
    throw new TypeError(`explain: expected a snapshot, an array of snapshots, a breaker or a registry, got ${got}`)
  }
  const snapshot = given as Snapshot
  if (!SEVERITY.includes(snapshot.state)) throw new TypeError(`explain: state: expected ${SEVERITY.join(', ')}, got ${JSON.stringify(snapshot.state)}`)
  const { evidence, error, phase } = snapshot
  for (const [part, value] of Object.entries({ snapshot, evidence, error, phase })) {
    if (value === undefined) continue
    for (const [field, type] of Object.entries(FIELDS[part] ?? {})) checkField(part, field, (value as unknown as Record<string, unknown> | null)?.[field], type)
  }
  for (const [field, type] of Object.entries(OPTIONAL)) {
    const value = snapshot[field as keyof typeof OPTIONAL]
    if (value !== undefined) checkField('snapshot', field, value, type)
  }
  return snapshot
}

function checkField(part: string, field: string, value: unknown, type: 'number' | 'string' | undefined): void {
  if (typeof value === type && (type !== 'number' || Number.isFinite(value))) return
  throw new TypeError(`explain: ${part === 'snapshot' ? '' : `${part}.`}${field}: expected a ${String(type)}, got ${value === undefined ? 'nothing' : JSON.stringify(value)}`)
}
