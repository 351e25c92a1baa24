/** What is counted, until when, and what it comes to. */
import { absent, broken, fail, kept, ok, run, takeTheClock, trip, verdict } from './scene.mjs'

const rate = { rate: 0.5, minimumCalls: 5, kind: 'time', size: 100, windowMs: 10_000 }

/** Waits until a call is let through that succeeds, and goes on until it is closed. */
async function recover(subject, clock, stepMs) {
  for (let i = 0; i < 100 && subject.state() !== 'closed'; i++) {
    await clock.wait(stepMs)
    await run(subject, ok)
  }
  if (subject.state() !== 'closed') throw new Error('does not recover')
}

/** A trap about rates, for those that have them. */
const withRate = (spec, play) => async (make) => {
  const clock = takeTheClock()
  const subject = make({ openFor: 1_000, failures: spec.minimumCalls, rate: spec })
  return subject.consecutiveOnly ? absent('no window') : play(subject, clock, make)
}

export const traps = [
  {
    id: 'idle gap',
    asks: 'Four failures, an hour of nothing, one failure; a window of 10 s that opens at five: it stays closed',
    run: withRate(rate, async (subject, clock) => {
      await run(subject, fail, 4)
      await clock.wait(3_600_000)
      await run(subject, fail)
      return verdict(subject.state() === 'closed', subject.state() === 'closed' ? 'stays closed' : 'opened on an hour-old count')
    }),
  },
  {
    id: 'completed by a success',
    asks: 'Three failures and then a success, opening at 50 % of at least four calls: it opens then',
    run: withRate({ ...rate, kind: 'count', minimumCalls: 4 }, async (subject) => {
      await run(subject, fail, 3)
      await run(subject, ok)
      return verdict(subject.state() === 'open', subject.state() === 'open' ? 'opened' : 'stays closed at 75 %')
    }),
  },
  {
    id: 'exact threshold',
    asks: 'Two failures of four at 50 %, and four of four at 100 %: both open',
    async run(make) {
      takeTheClock()
      const half = make({ openFor: 1_000, failures: 4, rate: { ...rate, kind: 'count', minimumCalls: 4 } })
      if (half.consecutiveOnly) return absent('no rate')
      await run(half, ok, 2)
      await run(half, fail, 2)
      let all
      try {
        const subject = make({ openFor: 1_000, failures: 4, rate: { ...rate, rate: 1, kind: 'count', minimumCalls: 4 } })
        await run(subject, fail, 4)
        all = subject.state()
      } catch (error) {
        all = error.name
      }
      return verdict(half.state() === 'open' && all === 'open', `at 50 % ${half.state()}, at 100 % ${all}`)
    },
  },
  {
    id: 'refusals in the denominator',
    asks: 'An outage with 200 refusals, recovery, ten failures in a row; opening at 50 % of at least five: it opens again',
    run: withRate({ ...rate, windowMs: 60_000 }, async (subject, clock) => {
      await trip(subject)
      await run(subject, ok, 200)
      await recover(subject, clock, 1_000)
      for (let failures = 1; failures <= 10; failures++) {
        await run(subject, fail)
        if (subject.state() === 'open') return kept(`opened at failure ${failures}`)
      }
      return broken('ten failures, still closed')
    }),
  },
  {
    id: 'first failure after recovery',
    asks: 'Recovered, the first failure does not open it again on counts from before',
    run: withRate({ ...rate, windowMs: 60_000 }, async (subject, clock) => {
      await trip(subject)
      await recover(subject, clock, 1_000)
      await run(subject, fail)
      return verdict(subject.state() === 'closed', subject.state() === 'closed' ? 'stays closed' : 'opened')
    }),
  },
]
