import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TimeWindow } from '../../../src/trip/time-window.js'

/** The obvious way: remembers everything, and counts what is in the running bucket or in those before it that still count. */
class Obvious {
  readonly #seen: { bucket: number; marked: boolean }[] = []

  constructor(
    readonly buckets: number,
    readonly width: number,
  ) {}

  push(marked: boolean, now: number): void {
    this.#seen.push({ bucket: Math.floor(now / this.width), marked })
  }

  at(now: number): [total: number, marked: number] {
    const live = this.#seen.filter(({ bucket }) => bucket > Math.floor(now / this.width) - this.buckets)
    return [live.length, live.filter(({ marked }) => marked).length]
  }
}

describe('a window of time', () => {
  it('counts as the obvious one does, which remembers everything, before and after the zero of the clock (law 2)', () => {
    const step = fc.record({ after: fc.nat(60), marked: fc.boolean(), look: fc.nat(120) })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.integer({ min: -400, max: 400 }), fc.array(step, { maxLength: 40 }), (buckets, start, steps) => {
        const window = new TimeWindow(buckets, 10)
        const obvious = new Obvious(buckets, 10)
        let now = start
        for (const { after, marked, look } of steps) {
          now += after
          window.push(marked, now)
          obvious.push(marked, now)
          // Reading ahead changes nothing: the next round finds what this one left.
          for (const moment of [now, now + look]) expect([window.totalAt(moment), window.markedAt(moment)]).toEqual(obvious.at(moment))
        }
      }),
    )
  })

  it('counts nothing before anything was pushed', () => {
    const window = new TimeWindow(3, 10)
    expect([window.totalAt(-5), window.markedAt(0), window.totalAt(1e9)]).toEqual([0, 0, 0])
  })
})
