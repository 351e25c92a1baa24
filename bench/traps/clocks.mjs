/** What time does. */
import { absent, broken, crowd, hang, kept, settle, start, takeTheClock, trip, verdict } from './scene.mjs'

const HOUR = 3_600_000

export const traps = [
  {
    id: 'backward clock',
    asks: 'The wall clock steps back an hour while open for 10 s; a caller a second: one gets to probe within twice that (ours on the wall clock here, too)',
    async run(make) {
      const clock = takeTheClock()
      const subject = make({ failures: 1, openFor: 10_000, clock: 'wall' })
      await trip(subject)
      clock.step(-HOUR)
      for (let second = 1; second <= 20; second++) {
        await clock.wait(1_000)
        const probe = start(subject, hang)
        await settle()
        if (probe.ran) return kept(`a probe after ${second} s`)
      }
      return broken('refused for 20 s')
    },
  },
  {
    id: 'forward clock',
    asks: 'The wall clock steps forward an hour while open: one early probe at most, of five callers (ours on the wall clock here, too)',
    async run(make) {
      const clock = takeTheClock()
      const subject = make({ failures: 1, openFor: 10_000, clock: 'wall' })
      await trip(subject)
      clock.step(HOUR)
      const { ran } = await crowd(subject, 5)
      return verdict(ran <= 1, `${ran} let through`)
    },
  },
  {
    id: 'remaining time',
    asks: 'A refusal says how long to wait: never 0, refused a millisecond earlier, let through then; half-open and full, too',
    async run(make, peer) {
      const probe = make({ failures: 1, openFor: 1_000 })
      if (!probe.retryAfterMs) return absent('not told')
      for (const begin of [0.1, 1_234.567, 2 ** 31 + 0.3, 1e12 / 3]) {
        for (const openFor of [1, 1_000, 777.7]) {
          const clock = peer.clock()
          clock.advance(begin)
          const subject = make({ failures: 1, openFor, clock })
          await trip(subject)
          clock.advance(openFor / 3)
          for (const full of [false, true]) {
            const told = subject.retryAfterMs((await refusal(subject)).error)
            if (!(told > 0)) return broken(`told ${told}${full ? ' while full' : ''}`)
            if (told > 1) {
              clock.advance(told - 1)
              if (!(await refusal(subject)).refused) return broken('let through a millisecond early')
              clock.advance(1)
            } else clock.advance(told)
            const next = start(subject, hang)
            await settle()
            if (!next.ran) return broken(`refused ${told} ms later, as told`)
          }
        }
      }
      return kept('to the millisecond')
    },
  },
  {
    id: 'low-traffic ramp',
    asks: 'Recovery ramped by share, one call every five seconds: it recovers',
    async run(make, peer) {
      if (!peer.registry) return absent('no ramp')
      const clock = takeTheClock()
      const subject = make({ failures: 1, openFor: 1_000, recovery: 'default ramp' })
      await trip(subject)
      for (let calls = 1; calls <= 100; calls++) {
        await clock.wait(5_000)
        start(subject, async () => 'ok')
        await settle()
        if (subject.state() === 'closed') return kept(`closed after ${calls} calls`)
      }
      return broken(`${subject.state()} after 100 calls`)
    },
  },
  {
    id: 'exact ramp',
    asks: 'A tenth of the traffic let through: of 1,000 arrivals, exactly 100',
    async run(make, peer) {
      if (!peer.registry) return absent('no ramp')
      const clock = takeTheClock()
      const subject = make({ failures: 1, openFor: 1_000, recovery: 'ramp' })
      await trip(subject)
      await clock.wait(1_000)
      let ran = 0
      for (let i = 0; i < 1_000; i++) {
        const call = start(subject, async () => 'ok')
        if (call.ran) ran++
        if (i % 100 === 0) await settle()
      }
      return verdict(ran === 100, `${ran} of 1,000`)
    },
  },
]

async function refusal(subject) {
  const call = start(subject, hang)
  await settle()
  if (!call.refused) throw new Error('expected a refusal')
  return call
}
