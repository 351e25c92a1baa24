import { Gauge, Registry, type OpenMetricsContentType } from 'prom-client'
import { describe, expect, it, vi } from 'vitest'
import { BreakerRegistry, CircuitBreaker, ManualClock, type CircuitOpenError } from '../../src/index.js'
import { instrument, type PrometheusOptions } from '../../src/adapters/prometheus.js'
import { fail, ignore, succeed } from '../support/calls.js'

/** A registry on a manual clock whose breakers trip at the first failure and stay open for a second, and a register that scrapes it. */
function instrumented<Key = string>(options: Partial<PrometheusOptions<Key>> = {}, maxSize = 100_000) {
  const clock = new ManualClock()
  const upstreams = new BreakerRegistry<Key>({ clock, failureThreshold: 1, recoveryTimeout: 1_000, maxSize })
  const register = new Registry()
  const stop = instrument(upstreams, { register, ...options })
  return { clock, upstreams, register, stop }
}

/** The lines of one metric in the real exposition, without the name: `{name="a",state="open"} 1`. */
async function linesOf(register: Registry, metric: string): Promise<string[]> {
  const text = await register.metrics()
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${metric}{`))
    .map((line) => line.slice(metric.length))
}

const state = 'circuit_breaker_state'
const calls = 'circuit_breaker_calls_total'
const transitions = 'circuit_breaker_transitions_total'
const duration = 'circuit_breaker_call_duration_seconds'

/** What the gauge says of one name: only what is not 0. */
async function statesOf(register: Registry, name: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const line of await linesOf(register, state)) {
    const match = /^\{name="(.*)",state="(.*)"\} (\d+)$/.exec(line)
    if (match?.[1] === name && match[3] !== '0') found[match[2] ?? ''] = Number(match[3])
  }
  return found
}

async function namesIn(register: Registry): Promise<string[]> {
  const lines = await linesOf(register, state)
  return [...new Set(lines.map((line) => /name="(.*?)"/.exec(line)?.[1] ?? ''))]
}

it('is exposed with help, types and labels, also for a breaker that nobody has called, and warns of nothing', async () => {
  const warned = vi.spyOn(process, 'emitWarning')
  const { clock, upstreams, register } = instrumented({ durations: true, buckets: [0.5, 2] })
  const permit = upstreams.for('a').acquire()
  clock.advance(1_000)
  permit.failure()
  upstreams.for('a').tryAcquire()
  upstreams.for('b')
  expect(await register.metrics()).toBe(`# HELP circuit_breaker_state Whether the circuit is in the state (1) or not (0); of circuits counted together, how many are.
# TYPE circuit_breaker_state gauge
circuit_breaker_state{name="a",state="closed"} 0
circuit_breaker_state{name="a",state="open"} 1
circuit_breaker_state{name="a",state="half-open"} 0
circuit_breaker_state{name="a",state="forced-open"} 0
circuit_breaker_state{name="a",state="disabled"} 0
circuit_breaker_state{name="b",state="closed"} 1
circuit_breaker_state{name="b",state="open"} 0
circuit_breaker_state{name="b",state="half-open"} 0
circuit_breaker_state{name="b",state="forced-open"} 0
circuit_breaker_state{name="b",state="disabled"} 0

# HELP circuit_breaker_calls_total Calls by what became of them; the rejected ones were not made.
# TYPE circuit_breaker_calls_total counter
circuit_breaker_calls_total{name="a",outcome="success"} 0
circuit_breaker_calls_total{name="a",outcome="failure"} 1
circuit_breaker_calls_total{name="a",outcome="ignored"} 0
circuit_breaker_calls_total{name="a",outcome="rejected"} 1
circuit_breaker_calls_total{name="b",outcome="success"} 0
circuit_breaker_calls_total{name="b",outcome="failure"} 0
circuit_breaker_calls_total{name="b",outcome="ignored"} 0
circuit_breaker_calls_total{name="b",outcome="rejected"} 0

# HELP circuit_breaker_transitions_total Changes of state.
# TYPE circuit_breaker_transitions_total counter
circuit_breaker_transitions_total{name="a",from="closed",to="open"} 1
circuit_breaker_transitions_total{name="a",from="open",to="half-open"} 0
circuit_breaker_transitions_total{name="a",from="half-open",to="closed"} 0
circuit_breaker_transitions_total{name="a",from="half-open",to="open"} 0
circuit_breaker_transitions_total{name="b",from="closed",to="open"} 0
circuit_breaker_transitions_total{name="b",from="open",to="half-open"} 0
circuit_breaker_transitions_total{name="b",from="half-open",to="closed"} 0
circuit_breaker_transitions_total{name="b",from="half-open",to="open"} 0

# HELP circuit_breaker_call_duration_seconds How long calls took, in seconds.
# TYPE circuit_breaker_call_duration_seconds histogram
circuit_breaker_call_duration_seconds_bucket{name="a",le="0.5"} 0
circuit_breaker_call_duration_seconds_bucket{name="a",le="2"} 1
circuit_breaker_call_duration_seconds_bucket{name="a",le="+Inf"} 1
circuit_breaker_call_duration_seconds_sum{name="a"} 1
circuit_breaker_call_duration_seconds_count{name="a"} 1
circuit_breaker_call_duration_seconds_bucket{name="b",le="0.5"} 0
circuit_breaker_call_duration_seconds_bucket{name="b",le="2"} 0
circuit_breaker_call_duration_seconds_bucket{name="b",le="+Inf"} 0
circuit_breaker_call_duration_seconds_sum{name="b"} 0
circuit_breaker_call_duration_seconds_count{name="b"} 0
`)
  expect(warned).not.toHaveBeenCalled()
  warned.mockRestore()
})

describe('states', () => {
  it('has a series for every breaker that exists, before its first call (B75)', async () => {
    const { upstreams, register } = instrumented()
    upstreams.for('payments')
    expect(await linesOf(register, state)).toEqual([
      '{name="payments",state="closed"} 1',
      '{name="payments",state="open"} 0',
      '{name="payments",state="half-open"} 0',
      '{name="payments",state="forced-open"} 0',
      '{name="payments",state="disabled"} 0',
    ])
    expect(await linesOf(register, calls)).toEqual([
      '{name="payments",outcome="success"} 0',
      '{name="payments",outcome="failure"} 0',
      '{name="payments",outcome="ignored"} 0',
      '{name="payments",outcome="rejected"} 0',
    ])
    expect(await linesOf(register, transitions)).toContain('{name="payments",from="closed",to="open"} 0')
  })

  it('is computed when scraped: a circuit whose wait is over reads half-open though nobody has called', async () => {
    const { clock, upstreams, register } = instrumented()
    fail(upstreams.for('payments'))
    expect(await statesOf(register, 'payments')).toEqual({ open: 1 })
    clock.advance(1_000)
    expect(await statesOf(register, 'payments')).toEqual({ 'half-open': 1 })
    expect(await linesOf(register, transitions)).toContain('{name="payments",from="open",to="half-open"} 0')
  })

  it('sums to one per breaker in every state', async () => {
    const { clock, upstreams, register } = instrumented()
    upstreams.for('closed')
    fail(upstreams.for('recovering'))
    clock.advance(1_000)
    fail(upstreams.for('open'))
    upstreams.for('forced').forceOpen()
    upstreams.for('off').disable()
    expect(await statesOf(register, 'closed')).toEqual({ closed: 1 })
    expect(await statesOf(register, 'recovering')).toEqual({ 'half-open': 1 })
    expect(await statesOf(register, 'open')).toEqual({ open: 1 })
    expect(await statesOf(register, 'forced')).toEqual({ 'forced-open': 1 })
    expect(await statesOf(register, 'off')).toEqual({ disabled: 1 })
  })

  it('changes nothing by scraping (law 15)', async () => {
    const { clock, upstreams, register } = instrumented()
    fail(upstreams.for('payments'))
    clock.advance(1_000)
    const before = upstreams.snapshot()
    await register.metrics()
    expect(upstreams.snapshot()).toEqual(before)
    expect(upstreams.size).toBe(1)
  })
})

describe('counts', () => {
  it('counts calls by what became of them, the refused ones too', async () => {
    const { upstreams, register } = instrumented()
    const breaker = upstreams.for('payments')
    succeed(breaker, 3)
    ignore(breaker, 2)
    fail(breaker)
    for (let n = 0; n < 4; n++) expect(breaker.tryAcquire()).toBeUndefined()
    expect(await linesOf(register, calls)).toEqual([
      '{name="payments",outcome="success"} 3',
      '{name="payments",outcome="failure"} 1',
      '{name="payments",outcome="ignored"} 2',
      '{name="payments",outcome="rejected"} 4',
    ])
  })

  it('counts changes of state, from the usual ones at 0 to those by hand', async () => {
    const { clock, upstreams, register } = instrumented()
    const breaker = upstreams.for('payments')
    fail(breaker)
    clock.advance(1_000)
    fail(breaker)
    clock.advance(1_000)
    succeed(breaker)
    breaker.disable()
    expect(await linesOf(register, transitions)).toEqual([
      '{name="payments",from="closed",to="open"} 1',
      '{name="payments",from="open",to="half-open"} 2',
      '{name="payments",from="half-open",to="closed"} 1',
      '{name="payments",from="half-open",to="open"} 1',
      '{name="payments",from="closed",to="disabled"} 1',
    ])
  })

  it('begins at 0 after register.resetMetrics()', async () => {
    const { upstreams, register } = instrumented({ durations: true })
    succeed(upstreams.for('payments'), 3)
    register.resetMetrics()
    expect(await linesOf(register, calls)).toContain('{name="payments",outcome="success"} 0')
    expect(await linesOf(register, `${duration}_count`)).toEqual(['{name="payments"} 0'])
  })
})

describe('durations', () => {
  it('has no histogram and reads no clock unless asked', async () => {
    const { clock, upstreams, register } = instrumented()
    const now = vi.spyOn(clock, 'now')
    succeed(upstreams.for('payments'))
    expect(now).not.toHaveBeenCalled()
    expect(await register.metrics()).not.toContain(duration)
  })

  it('puts each call into its bucket, in seconds', async () => {
    const { clock, upstreams, register } = instrumented({ durations: true, buckets: [0.1, 1] })
    for (const ms of [100, 101, 1_500]) {
      const permit = upstreams.for('payments').acquire()
      clock.advance(ms)
      permit.success()
    }
    expect(await linesOf(register, `${duration}_bucket`)).toEqual(['{name="payments",le="0.1"} 1', '{name="payments",le="1"} 2', '{name="payments",le="+Inf"} 3'])
    expect(await linesOf(register, `${duration}_sum`)).toEqual(['{name="payments"} 1.701'])
    expect(await linesOf(register, `${duration}_count`)).toEqual(['{name="payments"} 3'])
  })

  it('leaves out the calls that had begun before it was asked for: how long they took, nobody knows', async () => {
    const { clock, upstreams, register, stop } = instrumented()
    stop()
    const early = upstreams.for('payments').acquire()
    instrument(upstreams, { register, durations: true })
    clock.advance(1_000)
    early.success()
    expect(await linesOf(register, calls)).toContain('{name="payments",outcome="success"} 1')
    expect(await linesOf(register, `${duration}_sum`)).toEqual(['{name="payments"} 0'])
    expect(await linesOf(register, `${duration}_count`)).toEqual(['{name="payments"} 0'])
  })

  it('has no histogram of calls that are timed for another reason, and warns of nothing', async () => {
    const warned = vi.spyOn(process, 'emitWarning')
    const { upstreams, register } = instrumented()
    upstreams.observe({ settled: () => undefined, durations: true })
    succeed(upstreams.for('payments'))
    upstreams.for('payments').forceOpen()
    upstreams.for('payments').tryAcquire()
    expect(await linesOf(register, calls)).toEqual(expect.arrayContaining(['{name="payments",outcome="success"} 1', '{name="payments",outcome="rejected"} 1']))
    expect(await register.metrics()).not.toContain(duration)
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
  })

  it('has the buckets of prom-client by default', async () => {
    const { upstreams, register } = instrumented({ durations: true })
    upstreams.for('payments')
    expect(await linesOf(register, `${duration}_bucket`)).toHaveLength(12)
  })
})

describe('breakers that come and go (B59)', () => {
  it('drops the series of a forgotten breaker, and lets one made again begin at 0', async () => {
    const { upstreams, register } = instrumented()
    succeed(upstreams.for('payments'), 3)
    upstreams.for('search')
    expect(await namesIn(register)).toEqual(['payments', 'search'])
    upstreams.delete('payments')
    expect(await namesIn(register)).toEqual(['search'])
    expect(await register.metrics()).not.toContain('payments')
    succeed(upstreams.for('payments'))
    expect(await linesOf(register, calls)).toContain('{name="payments",outcome="success"} 1')
  })

  it('shows breakers made after it began, and those that no call has reached', async () => {
    const { upstreams, register } = instrumented()
    expect(await namesIn(register)).toEqual([])
    upstreams.for('a')
    expect(await namesIn(register)).toEqual(['a'])
    upstreams.for('b')
    upstreams.delete('a')
    expect(await namesIn(register)).toEqual(['b'])
  })

  it('makes no series for a key that the registry does not keep', async () => {
    const { upstreams, register } = instrumented({}, 1)
    upstreams.for('kept').forceOpen()
    succeed(upstreams.for('one too many'), 2)
    expect(upstreams.overflows).toBe(1)
    expect(await namesIn(register)).toEqual(['kept', 'other'])
    expect(await linesOf(register, calls)).toContain('{name="other",outcome="success"} 2')
  })
})

describe('many keys', () => {
  it('bounds the names by maxSeries and counts the rest in other, with how many are in each state', async () => {
    const { clock, upstreams, register } = instrumented({ maxSeries: 2 })
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) succeed(upstreams.for(key))
    fail(upstreams.for('e'))
    clock.advance(1_000)
    fail(upstreams.for('f'))
    fail(upstreams.for('a'))
    expect(await namesIn(register)).toEqual(['a', 'b', 'other'])
    expect(await statesOf(register, 'a')).toEqual({ open: 1 })
    expect(await statesOf(register, 'other')).toEqual({ closed: 2, 'half-open': 1, open: 1 })
    expect(await linesOf(register, calls)).toContain('{name="other",outcome="success"} 4')
  })

  it('gives the room of a forgotten breaker to another', async () => {
    const { upstreams, register } = instrumented({ maxSeries: 2 })
    for (const key of ['a', 'b', 'c']) upstreams.for(key)
    expect(await namesIn(register)).toEqual(['a', 'b', 'other'])
    upstreams.delete('a')
    expect(await namesIn(register)).toContain('c')
    expect(await statesOf(register, 'other')).toEqual({})
  })

  it('that have a series keep it when there is room for no other', async () => {
    const { upstreams, register } = instrumented({ maxSeries: 1 })
    for (const key of ['a', 'b', 'a']) succeed(upstreams.for(key))
    expect(await linesOf(register, calls)).toEqual(expect.arrayContaining(['{name="a",outcome="success"} 2', '{name="other",outcome="success"} 1']))
  })

  it('counts by group, and says of each group how many breakers are in each state', async () => {
    const { upstreams, register } = instrumented({ group: (key: string) => key.split('.')[0] })
    for (const key of ['eu.1', 'eu.2', 'eu.3', 'us.1']) succeed(upstreams.for(key))
    fail(upstreams.for('eu.2'))
    expect(await namesIn(register)).toEqual(['eu', 'us'])
    expect(await statesOf(register, 'eu')).toEqual({ closed: 2, open: 1 })
    expect(await statesOf(register, 'us')).toEqual({ closed: 1 })
    expect(await linesOf(register, calls)).toContain('{name="eu",outcome="success"} 3')
    upstreams.delete('us.1')
    await register.metrics()
    expect(await namesIn(register)).toEqual(['eu'])
  })

  it('bounds groups too', async () => {
    const { upstreams, register } = instrumented({ group: (key: string) => key, maxSeries: 1 })
    for (const key of ['a', 'b', 'c']) upstreams.for(key)
    expect(await namesIn(register)).toEqual(['a', 'other'])
    expect(await statesOf(register, 'other')).toEqual({ closed: 2 })
  })

  it('counts in other a group of which the registry keeps nobody, so that no count is lost', async () => {
    const { upstreams, register } = instrumented({ group: (key: string) => key }, 1)
    upstreams.for('kept').forceOpen()
    succeed(upstreams.for('one too many'), 2)
    for (let scrape = 0; scrape < 3; scrape++) expect(await linesOf(register, calls)).toContain('{name="other",outcome="success"} 2')
    expect(await namesIn(register)).toEqual(['kept', 'other'])
  })

  it('keeps what was counted in other when nobody is left in it', async () => {
    const { upstreams, register } = instrumented({ group: (key: string) => key, maxSeries: 1 })
    for (const key of ['a', 'b']) succeed(upstreams.for(key), 2)
    upstreams.delete('b')
    for (let scrape = 0; scrape < 3; scrape++) expect(await linesOf(register, calls)).toContain('{name="other",outcome="success"} 2')
  })

  it('begins groups at 0 after register.resetMetrics(), also in the midst of a round, and finds them all again', async () => {
    const { upstreams, register } = instrumented({ group: (key: string) => key.slice(0, 1) })
    for (let n = 0; n < 15_000; n++) upstreams.for(`a${n}`)
    succeed(upstreams.for('a0'), 3)
    await register.metrics()
    register.resetMetrics()
    expect(await linesOf(register, calls)).toContain('{name="a",outcome="success"} 0')
    await register.metrics()
    expect(await statesOf(register, 'a')).toEqual({ closed: 15_000 })
  })

  it('counts each breaker once, also when a group makes room for another', async () => {
    const { upstreams, register } = instrumented({ group: (key: string) => key, maxSeries: 1 })
    for (const key of ['a', 'b']) fail(upstreams.for(key))
    expect(await namesIn(register)).toEqual(['a', 'other'])
    upstreams.delete('a')
    for (let scrape = 0; scrape < 3; scrape++) {
      const lines = await linesOf(register, state)
      expect(lines.filter((line) => !line.endsWith(' 0'))).toEqual([expect.stringMatching(/state="open"\} 1$/)])
    }
    expect(await statesOf(register, 'b')).toEqual({ open: 1 })
  })

  it('counts the groups of a registry too large to look through at once over several scrapes, and what is broken at once', async () => {
    const { upstreams, register } = instrumented({ group: (key: string) => key.slice(0, 1) })
    for (let n = 0; n < 15_000; n++) upstreams.for(`a${n}`)
    for (let n = 0; n < 10; n++) fail(upstreams.for(`a${n}`))
    upstreams.for('b')
    const { closed = 0, ...broken } = await statesOf(register, 'a')
    expect(broken).toEqual({ open: 10 })
    expect(closed).toBeGreaterThan(9_000)
    expect(closed).toBeLessThan(14_000)
    await register.metrics()
    expect(await statesOf(register, 'a')).toEqual({ closed: 14_990, open: 10 })
    expect(await statesOf(register, 'b')).toEqual({ closed: 1 })
  })

  it('goes on with the round as calls come, so that no iterator stands still in a registry that changes', async () => {
    const { upstreams, register } = instrumented({ group: (key: string) => key.slice(0, 1) })
    for (let n = 0; n < 25_000; n++) upstreams.for(`a${n}`)
    succeed(upstreams.for('gone'))
    upstreams.delete('gone')
    await register.metrics()
    succeed(upstreams.for('b'), 16_000)
    // The calls have ended the round, so that this scrape knows all, and who is gone.
    expect((await linesOf(register, state)).filter((line) => line.includes('closed'))).toEqual(['{name="a",state="closed"} 25000', '{name="b",state="closed"} 1'])
  })

  it('names a key of any length in no time: what a stranger sends is looked at no further than it is shown', async () => {
    const { upstreams, register } = instrumented()
    succeed(upstreams.for('a.'.repeat(1_000_000)))
    expect((await namesIn(register))[0]).toHaveLength(120)
    upstreams.for(`https://a.example/${'x'.repeat(1_000)} and more`)
    expect(await namesIn(register)).toContain('https://a.example')
  })

  it('keeps the counts of a group that came after its place in the round was passed', async () => {
    const { upstreams, register } = instrumented({ group: (key: string) => key.slice(0, 1) })
    for (let n = 0; n < 15_000; n++) upstreams.for(`a${n}`)
    await register.metrics()
    const late = upstreams.for('b')
    succeed(late, 2)
    fail(late)
    for (let scrape = 0; scrape < 4; scrape++) expect(await statesOf(register, 'b')).toEqual({ open: 1 })
    expect(await linesOf(register, calls)).toContain('{name="b",outcome="success"} 2')
    upstreams.delete('b')
    for (let scrape = 0; scrape < 4; scrape++) await register.metrics()
    expect(await namesIn(register)).toEqual(['a'])
  })

  it('counts ten thousand breakers at one scrape, and forgets then the groups that are gone', async () => {
    const { upstreams, register } = instrumented({ group: (key: string) => key.slice(0, 1) })
    succeed(upstreams.for('b'))
    upstreams.delete('b')
    for (let n = 0; n < 10_000; n++) upstreams.for(`a${n}`)
    expect(await namesIn(register)).toEqual(['a'])
    expect(await statesOf(register, 'a')).toEqual({ closed: 10_000 })
  })

  it('keeps the counts of a group that was forgotten and came again, while a round is under way', async () => {
    const { upstreams, register } = instrumented({ group: (key: string) => key.slice(0, 1) })
    for (let n = 0; n < 15_000; n++) upstreams.for(`a${n}`)
    succeed(upstreams.for('b'))
    for (let scrape = 0; scrape < 2; scrape++) await register.metrics()
    upstreams.delete('b')
    await register.metrics()
    expect(await namesIn(register)).toEqual(['a'])
    succeed(upstreams.for('b'), 2)
    for (let scrape = 0; scrape < 3; scrape++) expect(await linesOf(register, calls)).toContain('{name="b",outcome="success"} 2')
  })

  it('looks at what is broken and at its own series, not at what is healthy', async () => {
    const { upstreams, register } = instrumented({ maxSeries: 10 })
    for (let n = 0; n < 10; n++) fail(upstreams.for(`broken ${n}`))
    for (let n = 0; n < 20_000; n++) upstreams.for(`healthy ${n}`)
    await register.metrics()
    const walk = vi.spyOn(upstreams, Symbol.iterator)
    const get = vi.spyOn(upstreams, 'get')
    await register.metrics()
    expect(walk).not.toHaveBeenCalled()
    expect(get.mock.calls.length).toBeLessThanOrEqual(20)
    expect(await statesOf(register, 'other')).toEqual({ closed: 20_000 })
  })
})

describe('labels', () => {
  it('never hold what follows the origin of a URL, nor who logs in there', async () => {
    const { upstreams, register } = instrumented()
    fail(upstreams.for('https://user:secret@api.example:8443/v1/cards/4242?token=hush#top'), 1, new Error('card 4242 is stolen'))
    succeed(upstreams.for('GET https://api.example/v1'))
    const text = await register.metrics()
    expect(text).toContain('name="https://api.example:8443"')
    expect(text).toContain('name="GET https://api.example"')
    for (const secret of ['secret', 'cards', 'hush', 'v1', 'stolen']) expect(text).not.toContain(secret)
  })

  it('know a scheme with a digit for what it is', async () => {
    const { upstreams, register } = instrumented()
    upstreams.for('s3://invoices/2026/4242.pdf')
    expect(await namesIn(register)).toEqual(['s3://invoices'])
  })

  it('are shared by keys that read the same, in one series', async () => {
    const { upstreams, register } = instrumented<unknown>()
    for (const key of [{ a: 1 }, { a: 2 }, Symbol('a'), 1, '1', Object.create(null)]) succeed(upstreams.for(key))
    fail(upstreams.for(1))
    const lines = await linesOf(register, calls)
    expect(new Set(lines).size).toBe(lines.length)
    expect(await namesIn(register)).toEqual(['[object Object]', 'Symbol(a)', '1', 'unprintable key'])
    expect(await statesOf(register, '1')).toEqual({ open: 1, closed: 1 })
  })

  it('of a breaker named other, are not confused with the rest', async () => {
    const { upstreams, register } = instrumented({ maxSeries: 2 })
    for (const key of ['other', 'a', 'b', 'c']) upstreams.for(key)
    expect((await linesOf(register, state)).filter((line) => line === '{name="other",state="closed"} 3')).toHaveLength(1)
  })

  it('are shortened to 120 characters', async () => {
    const { upstreams, register } = instrumented()
    for (const length of [10_000, 120]) upstreams.for('x'.repeat(length))
    expect(await namesIn(register)).toEqual([`${'x'.repeat(119)}…`, 'x'.repeat(120)])
  })
})

describe('one breaker', () => {
  it('is exported as a registry of one', async () => {
    const clock = new ManualClock()
    const breaker = new CircuitBreaker({ name: 'payments', clock, failureThreshold: 1 })
    const register = new Registry()
    const stop = instrument(breaker, { register })
    expect(await statesOf(register, 'payments')).toEqual({ closed: 1 })
    fail(breaker)
    expect(await statesOf(register, 'payments')).toEqual({ open: 1 })
    expect(await linesOf(register, calls)).toContain('{name="payments",outcome="failure"} 1')
    stop()
    expect(await register.metrics()).not.toContain('payments')
  })

  it('of a registry is followed when it was forgotten and made again', async () => {
    const upstreams = new BreakerRegistry<unknown>({ failureThreshold: 1 })
    const register = new Registry()
    instrument(upstreams.for(1), { register })
    upstreams.delete(1)
    upstreams.for(1).forceOpen()
    expect(await statesOf(register, '1')).toEqual({ 'forced-open': 1 })
  })

  it('without a name is unnamed, and may have a group', async () => {
    const register = new Registry()
    instrument(new CircuitBreaker(), { register })
    instrument(new CircuitBreaker(), { register, prefix: 'mine_', group: () => 'here' })
    expect(await register.metrics()).toContain('circuit_breaker_state{name="unnamed",state="closed"} 1')
    expect(await register.metrics()).toContain('mine_circuit_breaker_state{name="here",state="closed"} 1')
  })
})

describe('setting up and taking down', () => {
  it('twice on one register is an error that says what to do, and leaves the first at work', async () => {
    const { upstreams, register } = instrumented()
    expect(() => instrument(upstreams, { register })).toThrow(
      'instrument: the register already has a metric circuit_breaker_state; hand over all breakers in one registry, or give each call a prefix of its own',
    )
    succeed(upstreams.for('payments'))
    expect(await linesOf(register, calls)).toContain('{name="payments",outcome="success"} 1')
  })

  it('is undone by what it returns, as often as one likes, and can be done again', async () => {
    const { upstreams, register, stop } = instrumented({ durations: true })
    new Gauge({ name: 'mine', help: 'stays', registers: [register] }).set(1)
    stop()
    stop()
    succeed(upstreams.for('payments'))
    expect(await register.metrics()).not.toContain('circuit_breaker')
    expect(await register.metrics()).toContain('mine 1')
    const again = instrument(upstreams, { register })
    expect(await linesOf(register, calls)).toContain('{name="payments",outcome="success"} 0')
    stop()
    expect(await namesIn(register)).toEqual(['payments'])
    again()
  })

  it("is undone without taking down a metric of somebody else's that has its name by now", async () => {
    const { register, stop } = instrumented()
    register.clear()
    new Gauge({ name: state, help: 'mine', registers: [register] }).set(1)
    stop()
    expect(await register.metrics()).toBe(`# HELP ${state} mine\n# TYPE ${state} gauge\n${state} 1\n`)
  })

  it('can stand beside another on one register, under a prefix or other names', async () => {
    const { upstreams, register } = instrumented()
    upstreams.for('a')
    instrument(upstreams, { register, prefix: 'db_' })
    instrument(upstreams, { register, names: { state: 'breaker_state', calls: 'breaker_calls', transitions: 'breaker_moves' } })
    const text = await register.metrics()
    for (const name of ['db_circuit_breaker_state', 'db_circuit_breaker_calls_total', 'breaker_state', 'breaker_calls', 'breaker_moves']) {
      expect(text).toContain(`\n# TYPE ${name} `)
    }
  })

  it('speaks OpenMetrics where the register does, and is undone there too', async () => {
    const upstreams = new BreakerRegistry()
    const register = new Registry<OpenMetricsContentType>()
    register.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
    const stop = instrument(upstreams, { register, durations: true })
    succeed(upstreams.for('payments'))
    for (let scrape = 0; scrape < 2; scrape++) {
      const text = await register.metrics()
      expect(text).toContain('# TYPE circuit_breaker_calls counter')
      expect(text).toContain('\ncircuit_breaker_calls_total{name="payments",outcome="success"} 1')
      expect(text).toContain(`${duration}_count{name="payments"} 1`)
    }
    stop()
    expect(register.getMetricsAsArray()).toEqual([])
  })

  it('is added up over the workers of a cluster, and takes default labels', async () => {
    const { upstreams, register } = instrumented({ durations: true })
    register.setDefaultLabels({ app: 'shop' })
    succeed(upstreams.for('payments'))
    const [gauge] = await register.getMetricsAsJSON()
    expect(gauge).toMatchObject({ name: state, type: 'gauge', aggregator: 'sum' })
    expect(gauge?.values[0]).toEqual({ value: 1, labels: { name: 'payments', state: 'closed', app: 'shop' } })
    expect(await register.getSingleMetricAsString(calls)).toContain('app="shop"')
  })

  it.each([
    [undefined, 'instrument: expected an object of options, got undefined'],
    [{}, 'register: expected a Registry of prom-client'],
    [{ registers: [] }, 'instrument: unknown option "registers"; known are register, prefix, names, group, maxSeries, durations, buckets'],
    [{ names: { stat: 'x' } }, 'names: unknown option "stat"; known are state, calls, transitions, duration'],
    [{ prefix: 'my-' }, 'prefix: "my-circuit_breaker_state" is no name for a metric'],
    [{ names: { calls: '1' } }, 'names: calls: "1" is no name for a metric'],
    [{ group: 'host' }, 'group: expected a function'],
    [{ maxSeries: 0 }, 'maxSeries: expected a whole number of at least 1, got 0'],
    [{ durations: 1 }, 'durations: expected true or false'],
    [{ buckets: [1] }, 'buckets: needs durations: true'],
    [{ durations: true, buckets: [1, 1] }, 'buckets: expected finite numbers in rising order, got [1,1]'],
    [{ durations: true, buckets: [] }, 'buckets: expected finite numbers in rising order, got []'],
  ])('options %o are an error: %s', (options, message) => {
    const register = new Registry()
    const given = options === undefined || Object.keys(options).length === 0 ? options : { register, ...options }
    expect(() => instrument(new BreakerRegistry(), given as never)).toThrow(message)
    expect(register.getMetricsAsArray()).toEqual([])
  })

  it('wants a registry or a breaker', () => {
    expect(() => instrument(undefined as never, { register: new Registry() })).toThrow('instrument: expected a registry or a breaker')
  })
})

describe('what goes wrong here changes nothing for callers (law 17)', () => {
  it('a register that is full, or throws half way, is left as it was and the error is told', async () => {
    const upstreams = new BreakerRegistry()
    const register = new Registry()
    vi.spyOn(register, 'registerMetric')
      .mockImplementationOnce((metric) => Registry.prototype.registerMetric.call(register, metric))
      .mockImplementationOnce(() => {
        throw new Error('full')
      })
    expect(() => instrument(upstreams, { register })).toThrow('full')
    expect(register.getMetricsAsArray()).toEqual([])
    await expect(upstreams.execute('payments', () => 'fine')).resolves.toBe('fine')
  })

  it('a group that throws loses no count and costs no caller anything', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const { upstreams, register } = instrumented({
      group: () => {
        throw new Error('no such group')
      },
    })
    await expect(upstreams.execute('payments', () => 'fine')).resolves.toBe('fine')
    fail(upstreams.for('payments'))
    const refused = await upstreams.execute('payments', () => 'fine').catch((error: unknown) => error as CircuitOpenError)
    expect(refused).toMatchObject({ code: 'ERR_CIRCUIT_OPEN' })
    expect(await linesOf(register, calls)).toEqual([
      '{name="other",outcome="success"} 1',
      '{name="other",outcome="failure"} 1',
      '{name="other",outcome="ignored"} 0',
      '{name="other",outcome="rejected"} 1',
    ])
    expect(await statesOf(register, 'other')).toEqual({ open: 1 })
    expect(warned).toHaveBeenCalledWith('instrument: group threw: Error: no such group', 'LazybreakerWarning')
    warned.mockRestore()
  })

  it('a group that gives no string counts in other', async () => {
    const { upstreams, register } = instrumented({ group: () => 7 as never })
    succeed(upstreams.for('payments'))
    expect(await namesIn(register)).toEqual(['other'])
  })

  it('a scrape in the midst of calls disturbs none of them', async () => {
    const { upstreams, register } = instrumented({ durations: true })
    const slow = upstreams.execute('payments', async () => {
      await register.metrics()
      return 'fine'
    })
    await expect(slow).resolves.toBe('fine')
    expect(await linesOf(register, calls)).toContain('{name="payments",outcome="success"} 1')
  })
})
