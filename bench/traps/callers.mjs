/** What callers do to their own calls, and functions that are not asynchronous. */
import { absent, broken, kept, run, settle, start, takeTheClock, until, verdict } from './scene.mjs'

export const traps = [
  {
    id: 'caller abort',
    asks: 'Callers abort their own calls, more often than the threshold: that is no evidence against the host',
    async run(make) {
      takeTheClock()
      const subject = make({ failures: 2, openFor: 1_000 })
      for (let i = 0; i < 4; i++) {
        const caller = new AbortController()
        start(subject, until(caller.signal), caller.signal)
        await settle()
        caller.abort()
        await settle()
      }
      const closed = subject.state() === 'closed'
      if (!subject.takesSignal) return absent(`takes no signal: ${closed ? 'closed' : 'opened'}`)
      return verdict(closed, closed ? 'stays closed' : 'opened')
    },
  },
  {
    id: 'own timeout',
    asks: 'Calls run into the caller’s or the library’s timeout: that is evidence',
    async run(make) {
      const clock = takeTheClock()
      const subject = make({ failures: 2, openFor: 60_000, callTimeout: 500 })
      for (let i = 0; i < 3; i++) {
        const caller = new AbortController()
        setTimeout(() => caller.abort(new DOMException('too slow', 'TimeoutError')), 500)
        start(subject, until(caller.signal), caller.signal)
        await clock.wait(600)
      }
      return verdict(subject.state() === 'open', subject.state() === 'open' ? 'opened' : `stays ${subject.state()}`)
    },
  },
  {
    id: 'synchronous undefined',
    asks: 'A function returns `undefined`, not a promise: the caller gets `undefined`, and it is a success',
    async run(make) {
      takeTheClock()
      const subject = make({ failures: 1, openFor: 1_000 })
      if (subject.callbacks) return absent('takes callbacks')
      const call = await run(subject, () => undefined)
      if (call.ended === 'value' && call.value === undefined && subject.state() === 'closed') return kept('undefined')
      return broken(call.error ? `${call.error.name}: ${call.error.message.split('\n')[0].slice(0, 60)}` : subject.state())
    },
  },
  {
    id: 'hangs seen',
    asks: 'Five calls hang: the circuit opens by what is slow (1 s here) before any of them returns or times out',
    async run(make, peer) {
      const clock = takeTheClock()
      const spec = { failures: 5, openFor: 60_000, seesHangsAfter: 1_000, inFlight: 5 }
      const subject = make(spec)
      const offered = JSON.stringify(peer.options(spec)) !== JSON.stringify(peer.options({ ...spec, seesHangsAfter: undefined }))
      for (let i = 0; i < 5; i++) start(subject, () => new Promise(() => undefined))
      await clock.wait(1_500)
      const next = start(subject, async () => 'ok')
      await settle()
      if (!offered && next.ran) return absent('sees a call when it ends')
      return verdict(!next.ran, next.ran ? 'closed while they hang' : 'opened')
    },
  },
]
