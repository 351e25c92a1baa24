/** What becomes of probes. */
import { absent, broken, crowd, hang, kept, ok, pending, run, settle, start, takeTheClock, trip, until, verdict } from './scene.mjs'

const OPEN_FOR = 1_000
const OVER = 1.2 * OPEN_FOR

async function halfOpen(make, spec = {}) {
  const clock = takeTheClock()
  const subject = make({ failures: 1, openFor: OPEN_FOR, ...spec })
  await trip(subject)
  await clock.wait(OVER)
  return { clock, subject, noProbe: subject.lacksHalfOpen && subject.state() === 'closed' }
}

/** A probe hangs; one caller a second asks for the next. */
async function afterAHungProbe(make, spec) {
  const { clock, subject, noProbe } = await halfOpen(make, spec)
  if (noProbe) return absent(subject.lacksHalfOpen)
  const stopped = new AbortController()
  if (spec?.callTimeout && subject.timesOutBySignal) setTimeout(() => stopped.abort(new DOMException('too slow', 'TimeoutError')), spec.callTimeout)
  const probe = start(subject, until(stopped.signal), stopped.signal)
  await settle()
  if (!probe.ran) return broken('no probe let through')
  for (let second = 1; second <= 20; second++) {
    await clock.wait(1_000)
    const next = start(subject, hang)
    await settle()
    if (next.ran) return kept(`the next probe after ${second} s`)
    if (!next.refused) return broken('callers wait behind it')
  }
  return broken('no probe for 20 s')
}

export const traps = [
  {
    id: 'hung probe',
    asks: 'A probe never answers, and no call timeout is set: a later caller gets to probe',
    run: (make) => afterAHungProbe(make),
  },
  {
    id: 'hung probe, timed out',
    asks: 'The same with a call timeout: the library’s own, or the caller’s by signal where that is how it is done',
    run: (make) => afterAHungProbe(make, { callTimeout: 500 }),
  },
  {
    id: 'abandoned probe',
    asks: 'The caller of a probe aborts it: neither closed nor reopened, the next caller probes (by signal where the library takes one, else by its filter)',
    async run(make) {
      const aborted = new DOMException('no longer wanted', 'AbortError')
      const plain = make({ failures: 1, openFor: OPEN_FOR })
      if (!plain.takesSignal && plain.lacksFilter) return absent(plain.lacksFilter)
      const { subject, noProbe } = await halfOpen(make, plain.takesSignal ? {} : { ignores: (error) => error === aborted })
      if (noProbe) return absent(subject.lacksHalfOpen)
      const caller = new AbortController()
      const probe = pending(subject, caller.signal)
      await settle()
      caller.abort(aborted)
      await probe.fail(aborted)
      return undecided(subject)
    },
  },
  {
    id: 'ignored probe',
    asks: 'A probe ends with an error that the application’s filter says is none of the host’s: neither closed nor reopened, the next caller probes',
    async run(make) {
      const notFound = Object.assign(new Error('not found'), { status: 404 })
      const { subject, noProbe } = await halfOpen(make, { ignores: (error) => error === notFound })
      if (noProbe) return absent(subject.lacksHalfOpen)
      if (subject.lacksFilter) return absent(subject.lacksFilter)
      const probe = pending(subject)
      await settle()
      await probe.fail(notFound)
      return undecided(subject)
    },
  },
  {
    id: 'reset during a probe',
    asks: 'An operator closes the circuit while a probe is out, which then fails: it stays closed',
    async run(make) {
      const { subject, noProbe } = await halfOpen(make, { failures: 3 })
      if (noProbe) return absent(subject.lacksHalfOpen)
      if (!subject.reset) return absent('no reset')
      const probe = pending(subject)
      await settle()
      subject.reset()
      await settle()
      if (subject.state() !== 'closed') return broken(`${subject.state()} after the reset`)
      await probe.fail()
      const next = await run(subject, ok)
      return verdict(next.ended === 'value' && subject.state() === 'closed', subject.state() === 'closed' ? 'stays closed' : 'reopened by the old probe')
    },
  },
  {
    id: '100 callers',
    asks: '100 callers arrive at the moment of recovery, one probe allowed: one runs, 99 are refused at once, none waits',
    async run(make) {
      const { subject } = await halfOpen(make)
      const { ran, refused, waiting } = await crowd(subject, 100)
      return verdict(ran === 1 && refused === 99, `${ran} ran, ${refused} refused${waiting ? `, ${waiting} wait` : ''}`)
    },
  },
]

/** Whether the outage goes on and somebody else may probe. */
async function undecided(subject) {
  const state = subject.state()
  if (state === 'closed') return broken('closed by it')
  const next = start(subject, hang)
  await settle()
  return verdict(next.ran, next.ran ? 'the next one probes' : 'reopened by it')
}
