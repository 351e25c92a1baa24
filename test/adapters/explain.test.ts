import { describe, expect, it } from 'vitest'
import {
  BreakerRegistry,
  CircuitBreaker,
  ManualClock,
  anyOf,
  consecutiveFailures,
  failureRate,
  gradual,
  probes,
  type CircuitBreakerOptions,
  type Snapshot,
} from '../../src/index.js'
import { explain } from '../../src/adapters/explain.js'
import { fail, succeed } from '../support/calls.js'

const refused = () => Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })

/** The breaker called payments on a manual clock, which stays open for thirty seconds. */
function payments(options: CircuitBreakerOptions = {}) {
  const clock = new ManualClock()
  const breaker = new CircuitBreaker({ name: 'payments', clock, ...options })
  return { clock, breaker }
}

/** Any snapshot, with some fields of one's own. */
const snapshot = (fields: Partial<Snapshot>): Snapshot => ({ name: 'payments', state: 'open', at: 0, retryAfterMs: 0, trips: 1, failures: 0, ...fields })

describe('an open circuit', () => {
  it('says since when, how often, why, what the error was, and when it will try again', () => {
    const { clock, breaker } = payments()
    fail(breaker, 5, refused())
    for (let relapse = 0; relapse < 2; relapse++) {
      clock.advance(30_000)
      fail(breaker, 1, refused())
    }
    clock.advance(12_000)
    expect(explain(breaker)).toBe(
      'payments: open for 12 s (opened 3 times, 2 failed recoveries): 5 consecutive failures, last TypeError: fetch failed (ECONNREFUSED); next probe in 18 s',
    )
  })

  it('says no more than there is, the first time', () => {
    const { clock, breaker } = payments({ failureThreshold: 1 })
    breaker.acquire().failure()
    clock.advance(1_500)
    expect(explain(breaker)).toBe('payments: open for 1.5 s: 1 consecutive failure; next probe in 29 s')
  })

  it.each<[string, CircuitBreakerOptions, (breaker: CircuitBreaker, clock: ManualClock) => void, string]>([
    [
      'a failure rate',
      { trip: failureRate({ rate: 0.5, window: { calls: 4 } }) },
      (breaker) => {
        succeed(breaker, 2)
        fail(breaker, 2)
      },
      '2 of 4 calls failed, last Error: the downstream failed',
    ],
    [
      'slow calls',
      { trip: failureRate({ rate: 0.5, window: { calls: 4 }, slowCallRate: 0.5, minimumCalls: 2 }), slowCallDuration: 100 },
      (breaker, clock) => {
        const permits = [breaker.acquire(), breaker.acquire()]
        clock.advance(100)
        for (const permit of permits) permit.success()
      },
      '2 slow calls, 0 settled',
    ],
    ['a Retry-After', {}, (breaker) => breaker.acquire().failure(new Error('503'), { openFor: 60_000 }), 'told to stay away for a while, last Error: 503'],
    [
      "a trip of one's own",
      {
        trip: {
          needsTime: false,
          fresh: () => 0,
          success: (sum: number) => sum,
          failure: (sum: number) => sum + 0.123456,
          trips: () => 'budget-spent',
          counts: (sum: number) => ({ failures: sum, calls: 9 }),
        },
      },
      (breaker) => fail(breaker),
      'budget-spent (0.123 failures, 9 calls), last Error: the downstream failed',
    ],
    [
      'consecutive failures beside a window',
      { trip: anyOf(consecutiveFailures(2), failureRate({ rate: 1, window: { calls: 10 } })) },
      (breaker) => {
        fail(breaker)
        succeed(breaker)
        fail(breaker, 2)
      },
      'consecutive failures (3 of 4 calls failed), last Error: the downstream failed',
    ],
    [
      'two reasons at once',
      { trip: anyOf(consecutiveFailures(2), failureRate({ rate: 1, window: { calls: 2 } })) },
      (breaker) => fail(breaker, 2),
      'consecutive failures (2 of 2 calls failed) and 2 of 2 calls failed, last Error: the downstream failed',
    ],
  ])('tripped by %s says so', (_, options, trip, words) => {
    const { clock, breaker } = payments(options)
    trip(breaker, clock)
    expect(breaker.state).toBe('open')
    expect(explain(breaker)).toMatch(/^payments: open for 0 ms: /)
    expect(explain(breaker)).toContain(`: ${words}; next probe in `)
  })

  it.each([
    [{ reason: 'slow-call-rate', failures: 0, slowCalls: 1 }, '1 slow call'],
    [{ reason: 'slow-call-rate', failures: 0, calls: 3, slowCalls: 2 }, '2 slow calls, 3 settled'],
    [{ reason: 'slow-call-rate', failures: 1, calls: 3 }, 'slow-call-rate (1 failure, 3 calls)'],
    [{ reason: 'failure-rate', failures: 2 }, 'failure-rate (2 failures)'],
    [{ reason: 'budget-spent', failures: 1, calls: 4, slowCalls: 2 }, 'budget-spent (1 failure, 4 calls, 2 slow)'],
  ])('says of %o what was counted', (evidence, words) => {
    expect(explain(snapshot({ evidence }))).toBe(`payments: open for 0 ms: ${words}; next probe in 0 ms`)
  })

  it.each([
    ['consecutive-failures', 'consecutive-failures'],
    ['failure-rate', 'failure-rate'],
    ['slow-call-rate', 'slow-call-rate'],
    ['open-for', 'told to stay away for a while'],
    [undefined, 'unknown reason'],
  ])('of which only the reason %s is known, is explained as far as that goes', (reason, words) => {
    expect(explain(snapshot({ ...(reason === undefined ? {} : { reason }), failures: 3, calls: 4 }))).toBe(`payments: open for 0 ms: ${words}; next probe in 0 ms`)
  })

  it('keeps what began the outage when a probe is told to wait', () => {
    const { clock, breaker } = payments({ failureThreshold: 2 })
    fail(breaker, 2)
    clock.advance(30_000)
    breaker.acquire().failure(new Error('503'), { openFor: 90_000 })
    expect(explain(breaker)).toBe(
      'payments: open for 0 ms (opened 2 times, 1 failed recovery): 2 consecutive failures, then told to stay away for a while, last Error: 503; next probe in 1 min 30 s',
    )
  })
})

describe('a circuit that recovers', () => {
  it('that nobody has called since its wait was over waits for a call', () => {
    const { clock, breaker } = payments({ failureThreshold: 1 })
    fail(breaker)
    clock.advance(3_600_000)
    expect(explain(breaker)).toBe('payments: half-open, tripped 1 h ago: 1 consecutive failure, last Error: the downstream failed; the next call is a probe')
  })

  it('with its places taken says how far it is, and when the next probe may go', () => {
    const { clock, breaker } = payments({ failureThreshold: 1, recovery: probes({ maxConcurrent: 1, successThreshold: 2 }) })
    fail(breaker)
    clock.advance(30_000)
    succeed(breaker)
    breaker.acquire()
    clock.advance(10_000)
    expect(explain(breaker)).toContain('; 1 of 2 successes, 1 in flight; next probe within 20 s')
  })

  it('that has one probe under way, or one success, is no longer waiting for a call', () => {
    const { clock, breaker } = payments({ failureThreshold: 1, recovery: probes({ maxConcurrent: 2, successThreshold: 2 }) })
    fail(breaker)
    clock.advance(30_000)
    const probe = breaker.acquire()
    expect(explain(breaker)).toMatch(/; 0 of 2 successes, 1 in flight$/)
    probe.success()
    expect(explain(breaker)).toMatch(/; 1 of 2 successes$/)
  })

  it('that closes at one success says so in the singular', () => {
    const { clock, breaker } = payments({ failureThreshold: 1 })
    fail(breaker)
    clock.advance(30_000)
    breaker.acquire()
    expect(explain(breaker)).toMatch(/; 0 of 1 success, 1 in flight; next probe within 30 s$/)
  })

  it('of which no phase is told is recovering', () => {
    expect(explain(snapshot({ state: 'half-open', reason: 'mine' }))).toBe('payments: half-open, tripped 0 ms ago: mine; recovering')
  })

  it('in a ramp says which share is admitted', () => {
    const { clock, breaker } = payments({
      failureThreshold: 1,
      recovery: gradual([
        { ratio: 0.125, successThreshold: 3 },
        { ratio: 1, successThreshold: 2 },
      ]),
    })
    fail(breaker)
    clock.advance(30_000)
    succeed(breaker)
    expect(explain(breaker)).toContain('; phase 1, 12.5 % of calls admitted, 1 of 3 successes; next probe within 1 s')
    clock.advance(1_000)
    succeed(breaker)
    clock.advance(1_000)
    succeed(breaker)
    expect(explain(breaker)).toContain('; phase 2, all calls admitted, 0 of 2 successes')
  })
})

describe('a circuit somebody has set by hand, or that is well', () => {
  it('says what that means for calls', () => {
    const { breaker } = payments()
    breaker.forceOpen()
    expect(explain(breaker)).toBe('payments: forced open by hand; every call is refused until reset()')
    breaker.disable()
    expect(explain(breaker)).toBe('payments: disabled by hand; every call is admitted and none is judged until reset()')
  })

  it('closed, says what it remembers', () => {
    const { clock, breaker } = payments()
    expect(explain(breaker)).toBe('payments: closed')
    fail(breaker, 2)
    expect(explain(breaker)).toBe('payments: closed (2 failures so far)')
    fail(breaker, 3)
    clock.advance(30_000)
    succeed(breaker)
    expect(explain(breaker)).toBe('payments: closed (opened once before)')
    expect(explain(snapshot({ state: 'closed', failures: 1, calls: 7, slowCalls: 2, trips: 4 }))).toBe(
      'payments: closed (1 failure in 7 calls so far, 2 slow calls, opened 4 times before)',
    )
    expect(explain(snapshot({ state: 'closed', failures: 1, calls: 7, slowCalls: 0, trips: 0 }))).toBe('payments: closed (1 failure in 7 calls so far)')
  })

  it('without a name is an unnamed circuit', () => {
    expect(explain(new CircuitBreaker())).toBe('unnamed circuit: closed')
  })
})

describe('many circuits', () => {
  it('are told outages only, the worst first: refusing, most failed recoveries, longest', () => {
    const clock = new ManualClock()
    const upstreams = new BreakerRegistry({ clock, failureThreshold: 1 })
    upstreams.for('healthy')
    upstreams.for('disabled').disable()
    fail(upstreams.for('relapsed'))
    fail(upstreams.for('recovering'))
    clock.advance(30_000)
    fail(upstreams.for('relapsed'))
    fail(upstreams.for('longer'))
    clock.advance(5_000)
    upstreams.for('forced').forceOpen()
    fail(upstreams.for('newest'))
    const names = (text: string) => text.split('\n').map((line) => line.split(':')[0])
    expect(names(explain(upstreams))).toEqual(['relapsed', 'longer', 'newest', 'forced', 'recovering', 'disabled'])
    expect(names(explain(upstreams.snapshot()))).toEqual(names(explain(upstreams)))
  })

  it('are told in this order, whatever order they come in', () => {
    const names = ['relapsed thrice', 'relapsed twice', 'older', 'newer']
    const circuits = [{ relapses: 3 }, { relapses: 2 }, { trippedAt: 10 }, { trippedAt: 20 }].map((fields, i) =>
      snapshot({ at: 30, trippedAt: 30, ...fields, name: names[i]! }),
    )
    for (const given of [circuits, [...circuits].reverse()]) {
      expect(explain(given).split('\n').map((line) => line.split(':')[0])).toEqual(names)
    }
  })

  it('reads the same where the snapshots arrive as JSON', () => {
    const upstreams = new BreakerRegistry({ clock: new ManualClock(), failureThreshold: 1, recovery: gradual() })
    fail(upstreams.for('payments'), 1, refused())
    expect(explain(JSON.parse(JSON.stringify(upstreams.snapshot())) as Snapshot[])).toBe(explain(upstreams))
  })

  it('says so when all is well, and makes nothing', () => {
    const upstreams = new BreakerRegistry()
    expect(explain(upstreams)).toBe('no outages: there is no circuit')
    upstreams.for('a')
    expect(explain(upstreams)).toBe('no outages: the one circuit is closed')
    upstreams.for('b')
    expect(explain(upstreams)).toBe('no outages: all 2 circuits are closed')
    expect(explain(upstreams.snapshot())).toBe('no outages: all 2 circuits are closed')
    expect(explain([])).toBe('no outages: there is no circuit')
  })

  it('changes neither the breakers nor the snapshots it is given (law 15)', () => {
    const given = Object.freeze([Object.freeze(snapshot({ name: 'a', state: 'disabled' })), Object.freeze(snapshot({ name: 'b', reason: 'mine' }))])
    expect(explain(given)).toBe('b: open for 0 ms: mine; next probe in 0 ms\na: disabled by hand; every call is admitted and none is judged until reset()')
  })
})

describe('durations', () => {
  it.each([
    [0.2, '1 ms'],
    [999, '999 ms'],
    [999.5, '1 s'],
    [1_540, '1.5 s'],
    [9_950, '10 s'],
    [9_960, '10 s'],
    [59_400, '59 s'],
    [59_600, '1 min'],
    [312_000, '5 min 12 s'],
    [3_599_600, '1 h'],
    [7_500_000, '2 h 5 min'],
    [86_390_000, '1 d'],
    [273_600_000, '3 d 4 h'],
  ])('%d ms reads %s', (ms, words) => {
    expect(explain(snapshot({ retryAfterMs: ms }))).toContain(`; next probe in ${words}`)
  })
})

describe('errors and names', () => {
  it.each([
    [{ name: 'Error', message: '' }, 'last Error;'],
    [{ name: 'Error', message: 'connect ECONNREFUSED 127.0.0.1:80', code: 'ECONNREFUSED' }, 'last Error: connect ECONNREFUSED 127.0.0.1:80;'],
    [{ name: 'GrpcError', message: 'unavailable', code: 14 }, 'last GrpcError: unavailable (14);'],
    [{ name: 'string', message: 'boom' }, 'last string: boom;'],
  ])('%o is told in short', (error, words) => {
    expect(explain(snapshot({ reason: 'mine', error }))).toContain(words)
  })

  it('stay on one line and move no cursor', () => {
    const said = explain(snapshot({ name: 'a\nb', reason: 'x\r\ny', error: { name: 'Error', message: '\u001b[2Jgone\n\tInjected: line', code: 'A\nB' } }))
    expect(said).toBe('a b: open for 0 ms: x y, last Error: [2Jgone Injected: line (A B); next probe in 0 ms')
  })
})

describe('what is no snapshot', () => {
  it.each([
    [undefined, 'explain: expected a snapshot, an array of snapshots, a breaker or a registry, got undefined'],
    [null, 'explain: expected a snapshot, an array of snapshots, a breaker or a registry, got null'],
    ['{"state":"open"}', 'explain: expected a snapshot, an array of snapshots, a breaker or a registry, got a string (parse the JSON first)'],
    [{}, 'explain: expected a snapshot, an array of snapshots, a breaker or a registry, got object'],
    [[[]], 'explain: expected a snapshot, an array of snapshots, a breaker or a registry, got an array'],
    [{ state: 'ajar' }, 'explain: state: expected open, forced-open, half-open, disabled, closed, got "ajar"'],
    [{ state: 'open' }, 'explain: at: expected a number, got nothing'],
    [snapshot({ retryAfterMs: NaN }), 'explain: retryAfterMs: expected a number, got null'],
    [snapshot({ trippedAt: null as never }), 'explain: trippedAt: expected a number, got null'],
    [snapshot({ name: 7 as never }), 'explain: name: expected a string, got 7'],
    [snapshot({ evidence: null as never }), 'explain: evidence.reason: expected a string, got nothing'],
    [snapshot({ evidence: { reason: 'mine' } as never }), 'explain: evidence.failures: expected a number, got nothing'],
    [snapshot({ error: { name: 'Error' } as never }), 'explain: error.message: expected a string, got nothing'],
    [snapshot({ state: 'half-open', phase: { index: 0 } as never }), 'explain: phase.ratio: expected a number, got nothing'],
  ])('%o is an error that says what is wrong', (given, message) => {
    expect(() => explain(given as never)).toThrow(new TypeError(message))
  })
})
