import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { Abandon, Advance, Command, Expected, Read, Settle, SettleAgain, Start, StepBack } from './model/commands.js'
import { healthy } from './model/model.js'
import { type ModelOptions, type PhaseOptions, type TripOptions, several, single, waitOf } from './model/options.js'
import { Real } from './model/real.js'

const ms = fc.integer({ min: 1, max: 30 })
const few = fc.integer({ min: 1, max: 4 })
const rate = fc.constantFrom(0.07, 0.25, 0.5, 0.55, 1)

const trip: fc.Arbitrary<TripOptions> = fc.oneof(
  fc.record({ kind: fc.constant('consecutive' as const), threshold: few }),
  fc
    .record({ rate, calls: fc.integer({ min: 1, max: 6 }), share: fc.double({ min: 0, max: 1, noNaN: true }), slowCallRate: fc.option(rate, { nil: undefined }) })
    .map(({ calls, share, ...rest }) => ({ kind: 'rate' as const, ...rest, window: { calls }, minimumCalls: Math.max(1, Math.ceil(calls * share)) })),
  fc
    .record({ rate, width: fc.integer({ min: 1, max: 8 }), buckets: few, minimumCalls: few, slowCallRate: fc.option(rate, { nil: undefined }) })
    .map(({ width, buckets, ...rest }) => ({ kind: 'rate' as const, ...rest, window: { ms: width * buckets, buckets } })),
)

const phase: fc.Arbitrary<PhaseOptions> = fc.record({
  ratio: fc.constantFrom(0.001, 0.1, 0.25, 0.3, 0.5, 0.9, 1),
  successThreshold: few,
  maxFailures: fc.integer({ min: 0, max: 2 }),
  maxConcurrent: fc.constantFrom(1, 2, 3, Infinity),
  maxGap: ms,
})

const phases: fc.Arbitrary<readonly PhaseOptions[]> = fc.oneof(
  fc.constant([single]),
  fc.tuple(few, few).map(([places, successes]) => [several(places, successes)]),
  fc.array(phase, { minLength: 1, maxLength: 3 }),
)

const recoveryTimeout: fc.Arbitrary<ModelOptions['recoveryTimeout']> = fc.oneof(
  fc.integer({ min: 0, max: 30 }),
  fc.tuple(ms, ms).map(
    ([first, more]) =>
      (relapses: number) =>
        first + more * Math.min(relapses, 5),
  ),
)

const options: fc.Arbitrary<ModelOptions> = fc
  .record({ trip, phases, recoveryTimeout, probeTimeout: ms, slowCallDuration: fc.option(ms, { nil: undefined }) })
  // Who wants a slow rate has to say what slow is (law 18).
  .map((all) => (all.trip.kind === 'rate' && all.trip.slowCallRate !== undefined ? { ...all, slowCallDuration: all.slowCallDuration ?? 3 } : all))

const which = fc.nat({ max: 7 })
const outcome = fc.constantFrom('success' as const, 'failure' as const, 'ignored' as const)

const commands = fc.commands(
  [
    fc.constantFrom('tryAcquire' as const, 'acquire' as const, 'execute' as const).map((way) => new Start(way)),
    fc.constantFrom('tryAcquire' as const, 'acquire' as const, 'execute' as const).map((way) => new Start(way)),
    fc.tuple(which, outcome).map(([index, ending]) => new Settle(index, ending)),
    fc.tuple(which, fc.constantFrom('success' as const, 'failure' as const)).map(([index, ending]) => new Settle(index, ending)),
    fc.tuple(which, fc.integer({ min: 0, max: 60 })).map(([index, openFor]) => new Settle(index, 'failure', openFor)),
    fc.tuple(which, outcome).map(([index, ending]) => new SettleAgain(index, ending)),
    which.map((index) => new Abandon(index)),
    fc
      .tuple(
        fc.constantFrom('recoveryTimeout' as const, 'probeTimeout' as const, 'slowCallDuration' as const, 'maxGap' as const, 'bucket' as const),
        fc.constantFrom(-1, 0, 0, 1),
      )
      .map(([by, extra]) => new Advance(by, extra)),
    fc.constant(new Advance('retryAfterMs', 0)),
    fc.integer({ min: 0, max: 5 }).map((extra) => new Advance('nothing', extra)),
    fc.integer({ min: 0, max: 100_000 }).map((extra) => new Advance('nothing', extra)),
    fc.integer({ min: 1, max: 1_000 }).map((back) => new StepBack(back)),
    fc.constantFrom('reset' as const, 'forceOpen' as const, 'disable' as const).map((type) => new Command(type)),
    fc.constant(new Read()),
  ],
  { maxCommands: 60, size: 'max' },
)

/** Law 12 and the promise that it never wedges: whatever came before, some time later a call gets to probe. */
function expectToAdmitInTheEnd(setup: ModelOptions, real: Real): void {
  const { phases: list, probeTimeout, slowCallDuration = 0 } = setup
  const longestOpen = Math.max(60, ...Array.from({ length: 100 }, (_, relapses) => waitOf(setup, relapses)))
  real.clock.advance(longestOpen + probeTimeout + slowCallDuration + Math.max(...list.map(({ maxGap }) => maxGap)))
  expect(real.tryStart(-1)).toBe(real.breaker.state !== 'forced-open')
}

const runs = Number(process.env.MODEL_RUNS ?? 1_500)

describe('the breaker and its model', () => {
  it.prop([options, fc.constantFrom('transitions' as const, 'everything' as const), commands], { numRuns: runs })(
    'agree on every reading, answer and event, whatever is done in whatever order (laws 1 to 16)',
    async (setup, observed, list) => {
      const real = new Real(setup, { observed })
      await fc.asyncModelRun(() => ({ model: new Expected(setup, healthy), real }), list)
      expectToAdmitInTheEnd(setup, real)
    },
    300_000,
  )
})
