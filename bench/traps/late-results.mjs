/** Calls that began before the outage and end during it. */
import { absent, broken, hang, pending, run, settle, start, takeTheClock, trip, verdict, ok } from './scene.mjs'

const OPEN_FOR = 1_000
/** Some count in buckets, and are half-open a bucket later. */
const OVER = 1.2 * OPEN_FOR

async function halfOpenWithLateCall(make) {
  const clock = takeTheClock()
  const subject = make({ failures: 1, openFor: OPEN_FOR })
  const late = pending(subject)
  await settle()
  await trip(subject)
  await clock.wait(OVER)
  const noProbe = subject.lacksHalfOpen && subject.state() === 'closed'
  const probe = pending(subject)
  await settle()
  return { subject, late, probe, noProbe }
}

export const traps = [
  {
    id: 'late success',
    asks: 'A success from before the outage arrives while a probe is out: it does not close the circuit, and the probe, which succeeds, does',
    async run(make) {
      const { subject, late, probe, noProbe } = await halfOpenWithLateCall(make)
      if (noProbe) return absent(subject.lacksHalfOpen)
      if (!probe.call.ran) return broken('no probe let through')
      await late.succeed()
      if (subject.state() === 'closed') return broken('closed by it')
      await probe.succeed()
      const after = await run(subject, ok)
      return verdict(after.ended === 'value', after.ended === 'value' ? 'the probe decides' : 'the probe’s own success no longer closes it')
    },
  },
  {
    id: 'late failure',
    asks: 'A failure from before the outage arrives while a probe is out: it does not reopen the circuit, and the probe, which succeeds, closes it',
    async run(make) {
      const { subject, late, probe, noProbe } = await halfOpenWithLateCall(make)
      if (noProbe) return absent(subject.lacksHalfOpen)
      if (!probe.call.ran) return broken('no probe let through')
      await late.fail()
      const between = subject.state()
      await probe.succeed()
      const after = await run(subject, ok)
      if (between === 'open' && !subject.unnamedHalfOpen) return broken('reopened by it')
      return verdict(after.ended === 'value', after.ended === 'value' ? 'the probe decides' : 'the probe’s success no longer closes it')
    },
  },
  {
    id: 'late failure while open',
    asks: 'A failure from before the outage arrives while open: the wait is not longer for it',
    async run(make) {
      const clock = takeTheClock()
      const subject = make({ failures: 1, openFor: OPEN_FOR })
      const late = pending(subject)
      await settle()
      await trip(subject)
      await clock.wait(0.9 * OPEN_FOR)
      await late.fail()
      await clock.wait(OVER - 0.9 * OPEN_FOR)
      const probe = start(subject, hang)
      await settle()
      return verdict(probe.ran, probe.ran ? 'as long as before' : 'still refused')
    },
  },
]
