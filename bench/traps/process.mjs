/** The process around: a busy event loop, its end, and real time. */
import { takeTurns, undisturbed } from '../measure.mjs'
import { absent, broken, fail, kept, ok, run, start, trip, verdict } from './scene.mjs'

export const traps = [
  {
    id: 'busy event loop',
    asks: 'Callers keep the event loop busy at the time of recovery (20 ms): one gets to probe',
    async run(make) {
      const subject = make({ failures: 1, openFor: 20 })
      await trip(subject)
      const begun = performance.now()
      let refused = 0
      while (performance.now() - begun < 500) {
        const call = { ran: false }
        await Promise.resolve(subject.call(async () => (call.ran = true))).catch(() => undefined)
        if (call.ran) return kept(`after ${Math.round(performance.now() - begun)} ms`)
        refused++
      }
      return broken(`${refused > 100 ? 'only refusals' : 'refused'} for 500 ms`)
    },
  },
  {
    id: 'exit while open',
    asks: 'The program ends while a breaker is open: so does the process',
    lingers: true,
    async run(make) {
      const subject = make({ failures: 1, openFor: 60_000 })
      await trip(subject)
      return kept('exits')
    },
  },
  {
    id: 'window of 1,000',
    asks: 'A call costs the same (within half) with a window of 1,000 calls (buckets, where calls cannot be said) as with one of 10',
    async run(make) {
      const windowed = (size) => make({ failures: 1, openFor: 1_000, rate: { rate: 0.99, minimumCalls: size, kind: 'count', size, windowMs: 10_000, buckets: size } })
      if (make({ failures: 1, openFor: 1_000 }).consecutiveOnly) return absent('no window')
      // Nine successes and a failure each time, so that no turn is without one.
      const loop = (subject) => async (times) => {
        for (let i = 0; i < times; i++) {
          for (let call = 0; call < 10; call++) await Promise.resolve(subject.call(call === 9 ? fail : ok)).catch(() => undefined)
        }
      }
      const [small, large] = [windowed(10), windowed(1_000)]
      await run(large, ok, 5)
      for (let i = 0; i < 1_000; i++) await start(large, ok)
      const times = await takeTurns({ small: loop(small), large: loop(large) }, { rounds: 40 })
      const ratio = undisturbed(times.large) / undisturbed(times.small)
      return verdict(ratio < 1.5, `${ratio.toFixed(1)} times`)
    },
  },
]
