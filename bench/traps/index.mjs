/** All traps, in the order of the table. */
import { traps as callers } from './callers.mjs'
import { traps as clocks } from './clocks.mjs'
import { traps as lateResults } from './late-results.mjs'
import { traps as probes } from './probes.mjs'
import { traps as processes } from './process.mjs'
import { traps as surroundings } from './surroundings.mjs'
import { traps as windows } from './windows.mjs'

/** @type {{ id: string, asks: string, lingers?: boolean, run: (make: (spec: object) => any, peer: any) => Promise<{ mark: 'kept' | 'broken' | 'absent', seen: string }> }[]} */
export const traps = [lateResults, probes, callers, windows, clocks, surroundings, processes].flat()

export const trapOf = (id) => traps.find((trap) => trap.id === id)
