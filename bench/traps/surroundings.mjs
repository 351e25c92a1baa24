/** Options, listeners, other breakers. */
import { absent, broken, down, fail, kept, ok, run, settle, start, takeTheClock, trip, verdict } from './scene.mjs'

export const traps = [
  {
    id: 'NaN option',
    asks: 'The open time given is NaN: it says so when made',
    async run(make) {
      const clock = takeTheClock()
      let subject
      try {
        subject = make({ failures: 1, openFor: NaN })
      } catch (error) {
        return kept(error.name)
      }
      await run(subject, fail, 2)
      const at = []
      for (const wait of [0, 1, 30_000, 3_600_000]) {
        await clock.wait(wait)
        at.push((await run(subject, ok)).ran)
      }
      return broken(at[0] || at[1] ? 'accepted; open for 1 ms at most' : at.includes(true) ? 'accepted; some default' : 'accepted; open for ever')
    },
  },
  {
    id: 'shared options',
    asks: 'Two breakers made from one options object share nothing, and the object is as before',
    async run(make, peer) {
      takeTheClock()
      const spec = { failures: 1, openFor: 1_000 }
      const options = peer.options(spec)
      const before = { ...options }
      const [one, other] = [peer.subject(options, spec), peer.subject(options, spec)]
      const written = Object.keys(options).filter((key) => !(key in before) || options[key] !== before[key])
      await run(one, ok)
      await trip(one)
      const failed = await run(other, ok)
      // One failure less than it takes, if the count is the second one's own.
      const counted = peer.options({ ...spec, failures: 2 })
      const [first, second] = [peer.subject(counted, spec), peer.subject(counted, spec)]
      await run(first, fail)
      await run(second, fail)
      if (failed.ended !== 'value' || second.state() !== 'closed') return broken('failures of one count for the other')
      return verdict(written.length === 0, written.length === 0 ? 'nothing shared' : 'writes into the options')
    },
  },
  {
    id: 'throwing listener',
    asks: 'A listener throws at the opening: the caller gets the host’s error, and the circuit is open',
    async run(make) {
      takeTheClock()
      const uncaught = []
      process.on('uncaughtException', (error) => uncaught.push(error))
      process.on('unhandledRejection', (error) => uncaught.push(error))
      let told = 0
      const subject = make({
        failures: 1,
        openFor: 1_000,
        onOpen() {
          told++
          throw new Error('from the listener')
        },
      })
      const call = await run(subject, fail)
      await settle()
      if (told === 0) return absent('no listener was told')
      const got = call.error === down ? 'the caller gets the host’s error' : call.ended ? 'the caller gets the listener’s error' : 'the caller gets no answer'
      if (uncaught.length > 0) return broken(`${got}, and the process an unhandled one`)
      if (call.error !== down) return broken(got)
      return verdict(subject.state() === 'open', subject.state())
    },
  },
  {
    id: 're-entrant listener',
    asks: 'A listener makes a call at the opening: that call is refused, and the circuit is open',
    async run(make) {
      takeTheClock()
      const inner = []
      const subject = make({
        failures: 1,
        openFor: 1_000,
        onOpen() {
          if (inner.length < 100) inner.push(start(subject, fail))
        },
      })
      await run(subject, fail)
      await settle()
      if (inner.length === 0) return absent('no listener was told')
      if (inner.some((call) => call.ran)) return broken(`${inner.filter((call) => call.ran).length} let through`)
      return verdict(subject.state() === 'open', subject.state() === 'open' ? 'refused' : subject.state())
    },
  },
  {
    id: 'key flood',
    asks: 'A registry of at most 1,000 hosts, one of them open, meets 10,000 new hosts: the open one is still open',
    async run(make, peer) {
      if (!peer.registry) return absent('no registry')
      takeTheClock()
      const registry = peer.registry({ failureThreshold: 1, maxSize: 1_000 })
      await registry.execute('down.example', fail).catch(() => undefined)
      for (let i = 0; i < 10_000; i++) await registry.execute(`host-${i}.example`, ok)
      let ran = false
      await registry.execute('down.example', async () => (ran = true)).catch(() => undefined)
      if (registry.size > 1_000) return broken(`${registry.size} breakers kept`)
      return verdict(!ran, ran ? 'forgotten' : `still refused, ${registry.size} kept`)
    },
  },
]
