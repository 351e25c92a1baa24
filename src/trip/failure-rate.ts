import { checkCount, checkObject, checkPositiveMs, checkRate, contradiction } from '../check.js'
import { CountWindow } from './count-window.js'
import { TimeWindow } from './time-window.js'
import type { Trip } from './trip.js'

/**
 * What is judged: the last `calls` calls (at most 16,777,216; about two bits of memory for each), or the last `ms` milliseconds in
 * `buckets` parts (default 10, at most `ms`; the oldest part is forgotten as a whole).
 */
export type RateWindow = { readonly calls: number } | { readonly ms: number; readonly buckets?: number | undefined }

export interface FailureRateOptions {
  /** Opens when failures / settled calls reaches this; above 0, at most 1. */
  readonly rate: number
  readonly window: RateWindow
  /** Calls in the window below which nothing is judged; default the size of a window of calls, 10 for a window of time. */
  readonly minimumCalls?: number | undefined
  /** Opens also when slow calls / (slow calls + calls that settled fast) reaches this; above 0, at most 1. The breaker then needs a `slowCallDuration`. */
  readonly slowCallRate?: number | undefined
}

/** A window of either kind: how many things it holds, and how many of them are marked. */
interface Window {
  push(marked: boolean, now: number): void
  totalAt(now: number): number
  markedAt(now: number): number
}

/**
 * Opens when the share of failed calls in a window reaches `rate`, and with `slowCallRate` also when the share of slow calls reaches that.
 *
 * @throws TypeError or RangeError naming the option that is wrong
 */
export function failureRate(options: FailureRateOptions): Trip<unknown> {
  const { rate, window, minimumCalls, slowCallRate } = checkObject('failureRate', options, ['rate', 'window', 'minimumCalls', 'slowCallRate'])
  checkRate('rate', rate)
  if (slowCallRate !== undefined) checkRate('slowCallRate', slowCallRate)
  const { calls, ms, buckets: parts } = checkObject<{ calls?: number; ms?: number; buckets?: number }>('window', window, ['calls', 'ms', 'buckets'])
  let fresh: () => Window
  let minimum: number
  if (calls !== undefined) {
    if (ms !== undefined) contradiction('window: expected either calls or ms, got both')
    checkCount('window.calls', calls)
    if (calls > 2 ** 24) contradiction(`window.calls: expected at most 16777216, got ${String(calls)}`)
    minimum = checkCount('minimumCalls', said(minimumCalls, calls))
    if (minimum > calls) contradiction(`minimumCalls: expected at most window.calls (${String(calls)}), got ${String(minimum)}`)
    fresh = () => new CountWindow(calls)
  } else {
    const span = checkPositiveMs('window.ms', ms)
    // A short window has fewer parts by default: none is shorter than a millisecond.
    const buckets = checkCount('window.buckets', said(parts, Math.min(10, Math.ceil(span))))
    if (buckets > 2 ** 16) contradiction(`window.buckets: expected at most 65536, got ${String(buckets)}`)
    if (buckets > Math.max(span, 1)) contradiction(`window.buckets: expected at most window.ms (${String(span)}), got ${String(buckets)}`)
    minimum = checkCount('minimumCalls', said(minimumCalls, 10))
    fresh = () => new TimeWindow(buckets, span / buckets)
  }
  const needsTime = calls === undefined
  const reached = (window: Window, share: number, now: number) => {
    const total = window.totalAt(now)
    return total >= minimum && window.markedAt(now) / total >= share
  }
  return Object.freeze(slowCallRate === undefined ? failuresOnly() : failuresAndSlow(slowCallRate))

  function failuresOnly(): Trip<Window> {
    const settle = (failed: boolean) => (window: Window, _slow: boolean, now: number) => {
      window.push(failed, now)
      return window
    }
    return {
      needsTime,
      fresh,
      success: settle(false),
      failure: settle(true),
      trips: (window, now) => (reached(window, rate, now) ? 'failure-rate' : undefined),
      counts: (window, now) => ({ failures: window.markedAt(now), calls: window.totalAt(now) }),
    }
  }

  /** Two windows: of settled calls, where failures are marked, and of calls known to be slow or fast, where slow ones are. */
  function failuresAndSlow(slowRate: number): Trip<{ settled: Window; paced: Window }> {
    const settle = (failed: boolean) => (memory: { settled: Window; paced: Window }, slow: boolean, now: number) => {
      memory.settled.push(failed, now)
      if (!slow) memory.paced.push(false, now)
      return memory
    }
    return {
      needsTime,
      fresh: () => ({ settled: fresh(), paced: fresh() }),
      success: settle(false),
      failure: settle(true),
      slow: (memory, now) => {
        memory.paced.push(true, now)
        return memory
      },
      trips: ({ settled, paced }, now) => {
        const failing = reached(settled, rate, now)
        const crawling = reached(paced, slowRate, now)
        if (failing) return crawling ? 'failure-rate+slow-call-rate' : 'failure-rate'
        return crawling ? 'slow-call-rate' : undefined
      },
      counts: ({ settled, paced }, now) => ({ failures: settled.markedAt(now), calls: settled.totalAt(now), slowCalls: paced.markedAt(now) }),
    }
  }
}

/** Only what was left out gets a default; `null` is a mistake. */
function said<T>(value: T | undefined, otherwise: T): T {
  return value === undefined ? otherwise : value
}
