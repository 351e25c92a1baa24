import { ROOT_CONTEXT, context, trace, type Context, type ContextManager } from '@opentelemetry/api'
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { BreakerRegistry, CircuitBreaker, ManualClock } from '../../src/index.js'
import { instrument, type OpenTelemetryOptions } from '../../src/adapters/opentelemetry.js'
import { fail, ignore, succeed } from '../support/calls.js'

const NAME = 'circuit_breaker.name'
const HOUR = 3_600_000

/** The real SDK, read from memory when asked. */
function sdk(temporality = AggregationTemporality.CUMULATIVE) {
  const exporter = new InMemoryMetricExporter(temporality)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: HOUR })
  const provider = new MeterProvider({ readers: [reader] })
  /** One instrument as `attributes joined by a blank` → value; a histogram's value is its count and sum. */
  const read = async (instrument: string): Promise<Record<string, unknown>> => {
    exporter.reset()
    await reader.forceFlush()
    const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
    const points = metrics.find(({ descriptor }) => descriptor.name === instrument)?.dataPoints ?? []
    return Object.fromEntries(points.map(({ attributes, value }) => [Object.values(attributes).join(' '), value]))
  }
  return { exporter, meter: provider.getMeter('upstreams'), read }
}

function instrumented<Key = string>(options: Partial<OpenTelemetryOptions<Key>> = {}, temporality?: AggregationTemporality) {
  const clock = new ManualClock()
  const upstreams = new BreakerRegistry<Key>({ clock, failureThreshold: 1, recoveryTimeout: 1_000 })
  const { meter, read } = sdk(temporality)
  const stop = instrument(upstreams, { meter, ...options })
  return { clock, upstreams, meter, read, stop }
}

/** Only what is not 0. */
const present = (values: Record<string, unknown>) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== 0))

describe('what is observed', () => {
  it('says of each instrument what it counts, and in which unit', async () => {
    const { exporter, meter, read } = sdk()
    const upstreams = new BreakerRegistry()
    instrument(upstreams, { meter, durations: true })
    succeed(upstreams.for('payments'))
    await read('circuit_breaker.state')
    const descriptors = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics.map(({ descriptor }) => descriptor)))
    expect(descriptors).toMatchObject([
      {
        name: 'circuit_breaker.state',
        description: 'Whether the circuit is in the state (1) or not (0); of circuits counted together, how many are.',
        unit: '{circuit}',
      },
      { name: 'circuit_breaker.calls', description: 'Calls by what became of them; the rejected ones were not made.', unit: '{call}' },
      { name: 'circuit_breaker.transitions', description: 'Changes of state.', unit: '{transition}' },
      { name: 'circuit_breaker.call.duration', description: 'How long calls took, in seconds.', unit: 's' },
    ])
  })

  it('is the state of every breaker that exists, before its first call', async () => {
    const { upstreams, read } = instrumented()
    upstreams.for('payments')
    expect(await read('circuit_breaker.state')).toEqual({
      'payments closed': 1,
      'payments open': 0,
      'payments half-open': 0,
      'payments forced-open': 0,
      'payments disabled': 0,
    })
    expect(await read('circuit_breaker.calls')).toEqual({ 'payments success': 0, 'payments failure': 0, 'payments ignored': 0, 'payments rejected': 0 })
  })

  it('is the state when the SDK collects: half-open once the wait is over, though nobody has called', async () => {
    const { clock, upstreams, read } = instrumented()
    fail(upstreams.for('payments'))
    expect(present(await read('circuit_breaker.state'))).toEqual({ 'payments open': 1 })
    clock.advance(1_000)
    expect(present(await read('circuit_breaker.state'))).toEqual({ 'payments half-open': 1 })
    expect(await read('circuit_breaker.transitions')).toMatchObject({ 'payments open half-open': 0 })
  })

  it('is calls by what became of them, and changes of state', async () => {
    const { upstreams, read } = instrumented()
    const breaker = upstreams.for('payments')
    succeed(breaker, 3)
    ignore(breaker, 2)
    fail(breaker)
    breaker.tryAcquire()
    expect(await read('circuit_breaker.calls')).toEqual({ 'payments success': 3, 'payments failure': 1, 'payments ignored': 2, 'payments rejected': 1 })
    expect(present(await read('circuit_breaker.transitions'))).toEqual({ 'payments closed open': 1 })
  })

  it('is how long calls take, in seconds, if asked for', async () => {
    const { clock, upstreams, read } = instrumented({ durations: true, buckets: [0.1, 1] })
    for (const ms of [50, 500, 5_000]) {
      const permit = upstreams.for('payments').acquire()
      clock.advance(ms)
      permit.success()
    }
    expect(await read('circuit_breaker.call.duration')).toMatchObject({
      payments: { count: 3, sum: 5.55, buckets: { boundaries: [0.1, 1], counts: [1, 1, 1] } },
    })
  })

  it('has attributes of which none holds a path or a message', async () => {
    const { exporter, meter, read } = sdk()
    const upstreams = new BreakerRegistry({ failureThreshold: 1 })
    instrument(upstreams, { meter, durations: true })
    fail(upstreams.for('https://user:secret@api.example/v1/cards/4242?token=hush'), 1, new Error('card 4242 is stolen'))
    expect(await read('circuit_breaker.calls')).toMatchObject({ 'https://api.example failure': 1 })
    expect(JSON.stringify(exporter.getMetrics())).not.toMatch(/secret|cards|hush|stolen/)
  })
})

describe('bounds', () => {
  it('counts what finds no room in other', async () => {
    const { upstreams, read } = instrumented({ maxSeries: 2 })
    for (const key of ['a', 'b', 'c', 'd']) succeed(upstreams.for(key))
    fail(upstreams.for('d'))
    expect(present(await read('circuit_breaker.state'))).toEqual({ 'a closed': 1, 'b closed': 1, 'other closed': 1, 'other open': 1 })
    expect(await read('circuit_breaker.calls')).toMatchObject({ 'other success': 2, 'other failure': 1 })
  })

  it('counts by group', async () => {
    const { upstreams, read } = instrumented({ group: (key: string) => key.split('.')[0] })
    for (const key of ['eu.1', 'eu.2', 'us.1']) succeed(upstreams.for(key))
    fail(upstreams.for('eu.2'))
    expect(present(await read('circuit_breaker.state'))).toEqual({ 'eu closed': 1, 'eu open': 1, 'us closed': 1 })
  })

  it('stays by default below the number of attribute sets that the SDK keeps', async () => {
    const { upstreams, read } = instrumented()
    for (let n = 0; n < 1_000; n++) upstreams.for(`host ${n}`)
    const states = await read('circuit_breaker.state')
    expect(Object.keys(states)).toHaveLength(301 * 5)
    expect(states['other closed']).toBe(700)
    expect(Object.keys(await read('circuit_breaker.transitions'))).toHaveLength(301 * 4)
  })
})

describe('breakers that come and go', () => {
  it('a forgotten breaker disappears where the SDK reports differences, and begins at 0 when it is made again', async () => {
    const { upstreams, read } = instrumented({}, AggregationTemporality.DELTA)
    succeed(upstreams.for('payments'), 3)
    await read('circuit_breaker.state')
    upstreams.delete('payments')
    await read('circuit_breaker.state')
    expect(await read('circuit_breaker.state')).toEqual({})
    succeed(upstreams.for('payments'), 2)
    expect(present(await read('circuit_breaker.state'))).toEqual({ 'payments closed': 1 })
  })

  it('where it repeats what it was told last, a breaker forgotten while open is in no state', async () => {
    const { upstreams, read } = instrumented()
    fail(upstreams.for('payments'))
    expect(present(await read('circuit_breaker.state'))).toEqual({ 'payments open': 1 })
    upstreams.delete('payments')
    for (let n = 0; n < 3; n++) expect(present(await read('circuit_breaker.state'))).toEqual({})
    fail(upstreams.for('payments'))
    expect(present(await read('circuit_breaker.state'))).toEqual({ 'payments open': 1 })
  })
})

describe('refusals on the active span', () => {
  const manager = stackManager()
  beforeAll(() => context.setGlobalContextManager(manager))
  afterAll(() => context.disable())

  it('are events that say who refused, why and for how long; where there is no span, nothing is left and nothing goes wrong', () => {
    const warned = vi.spyOn(process, 'emitWarning')
    const spans = new InMemorySpanExporter()
    const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).getTracer('test')
    const { upstreams } = instrumented({ trace })
    const breaker = upstreams.for('https://api.example/v1')
    fail(breaker)
    const span = tracer.startSpan('checkout')
    context.with(trace.setSpan(context.active(), span), () => breaker.tryAcquire())
    breaker.tryAcquire()
    span.end()
    expect(spans.getFinishedSpans()[0]?.events).toMatchObject([
      {
        name: 'circuit_breaker.rejected',
        attributes: { [NAME]: 'https://api.example', 'circuit_breaker.reason': 'open', 'circuit_breaker.retry_after_ms': 1_000 },
      },
    ])
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
  })

  it('are not left unless asked for', () => {
    const getActiveSpan = vi.spyOn(trace, 'getActiveSpan')
    const { upstreams } = instrumented()
    fail(upstreams.for('payments'))
    upstreams.for('payments').tryAcquire()
    expect(getActiveSpan).not.toHaveBeenCalled()
    getActiveSpan.mockRestore()
  })
})

describe('setting up and taking down', () => {
  it('twice on one meter is an error that says what to do', () => {
    const { upstreams, meter, stop } = instrumented()
    expect(() => instrument(upstreams, { meter })).toThrow(
      'instrument: the meter already has an instrument circuit_breaker.state; hand over all breakers in one registry, or give each call a prefix of its own',
    )
    instrument(upstreams, { meter, prefix: 'db.' })()
    stop()
    expect(() => instrument(upstreams, { meter })).not.toThrow()
  })

  it('is undone by what it returns, as often as one likes', async () => {
    const { upstreams, read, stop } = instrumented({}, AggregationTemporality.DELTA)
    upstreams.for('payments')
    expect(Object.keys(await read('circuit_breaker.state'))).toHaveLength(5)
    stop()
    stop()
    expect(await read('circuit_breaker.state')).toEqual({})
  })

  it('undone twice, frees no name that another has taken since', () => {
    const { upstreams, meter, stop } = instrumented()
    stop()
    instrument(upstreams, { meter })
    stop()
    expect(() => instrument(upstreams, { meter })).toThrow('the meter already has an instrument circuit_breaker.state')
  })

  it('takes no two names that are one to an SDK, which tells no case, and keeps none of those it refused', () => {
    const { meter } = sdk()
    const upstreams = new BreakerRegistry()
    expect(() => instrument(upstreams, { meter, names: { calls: 'same', transitions: 'Same' } })).toThrow('the meter already has an instrument Same')
    instrument(upstreams, { meter, prefix: 'q.' })
    expect(() => instrument(upstreams, { meter, prefix: 'Q.' })).toThrow('the meter already has an instrument Q.circuit_breaker.state')
    expect(() => instrument(upstreams, { meter, names: { calls: 'same' } })).not.toThrow()
  })

  it("exports one breaker as a registry of one, under names of one's own", async () => {
    const { meter, read } = sdk()
    const breaker = new CircuitBreaker({ name: 'payments' })
    instrument(breaker, { meter, prefix: 'shop.', names: { state: 'circuit' } })
    succeed(breaker)
    expect(present(await read('shop.circuit'))).toEqual({ 'payments closed': 1 })
    expect(await read('shop.circuit_breaker.calls')).toMatchObject({ 'payments success': 1 })
  })

  it.each([
    [{ meter: {} }, 'meter: expected a Meter of OpenTelemetry'],
    [{ trace: null }, 'trace: expected the trace API of OpenTelemetry'],
    [{ register: 1 }, 'instrument: unknown option "register"; known are meter, trace, prefix, names, group, maxSeries, durations, buckets'],
    [{ prefix: '1' }, 'prefix: "1circuit_breaker.state" is no name for an instrument'],
    [{ maxSeries: 1.5 }, 'maxSeries: expected a whole number of at least 1, got 1.5'],
    [{ buckets: [1] }, 'buckets: needs durations: true'],
  ])('options %o are an error: %s', (options, message) => {
    const { meter } = sdk()
    expect(() => instrument(new BreakerRegistry(), { meter, ...options } as never)).toThrow(message)
    expect(() => instrument(new BreakerRegistry(), { meter })).not.toThrow()
  })
})

describe('what goes wrong here changes nothing for callers (law 17)', () => {
  it('a histogram and a span that throw lose no count', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const { meter, read } = sdk()
    const throwing = (what: string) => () => {
      throw new Error(what)
    }
    vi.spyOn(meter, 'createHistogram').mockReturnValue({ record: throwing('the histogram is full') })
    const upstreams = new BreakerRegistry({ failureThreshold: 1 })
    instrument(upstreams, { meter, durations: true, trace: { getActiveSpan: throwing('no spans today') } })
    await expect(upstreams.execute('payments', () => 'fine')).resolves.toBe('fine')
    fail(upstreams.for('payments'))
    await expect(upstreams.execute('payments', () => 'fine')).rejects.toMatchObject({ code: 'ERR_CIRCUIT_OPEN' })
    expect(await read('circuit_breaker.calls')).toEqual({ 'payments success': 1, 'payments failure': 1, 'payments ignored': 0, 'payments rejected': 1 })
    expect(warned.mock.calls.map(([message]) => message)).toEqual([
      'a listener to settled threw: Error: the histogram is full',
      'a listener to rejected threw: Error: no spans today',
    ])
    warned.mockRestore()
  })

  it('a meter that throws while instruments are made leaves nothing behind', async () => {
    const { meter, read } = sdk()
    const upstreams = new BreakerRegistry()
    vi.spyOn(meter, 'addBatchObservableCallback').mockImplementationOnce(() => {
      throw new Error('full')
    })
    expect(() => instrument(upstreams, { meter })).toThrow('full')
    await expect(upstreams.execute('payments', () => 'fine')).resolves.toBe('fine')
    instrument(upstreams, { meter })
    expect(await read('circuit_breaker.calls')).toMatchObject({ 'payments success': 0 })
  })

  it('an exporter that throws costs no caller anything', async () => {
    const { exporter, meter, read } = sdk()
    const upstreams = new BreakerRegistry()
    instrument(upstreams, { meter })
    upstreams.for('payments')
    const send = vi.spyOn(exporter, 'export').mockImplementationOnce(() => {
      throw new Error('the collector is down')
    })
    await read('circuit_breaker.state').catch(() => undefined)
    expect(send).toHaveBeenCalledOnce()
    await expect(upstreams.execute('payments', () => 'fine')).resolves.toBe('fine')
    expect(await read('circuit_breaker.calls')).toMatchObject({ 'payments success': 1 })
  })
})

/** Contexts of synchronous code, which is all that these tests run. */
function stackManager(): ContextManager {
  const stack: Context[] = []
  return {
    active: () => stack.at(-1) ?? ROOT_CONTEXT,
    with: (inner, fn, thisArg, ...args) => {
      stack.push(inner)
      try {
        return fn.call(thisArg!, ...args)
      } finally {
        stack.pop()
      }
    },
    bind: (_inner, target) => target,
    enable() {
      return this
    },
    disable() {
      return this
    },
  }
}
