import fc from 'fast-check'
import { afterEach, inject, vi } from 'vitest'

// That a mutant fails is enough: nobody reads its smallest counterexample.
fc.configureGlobal({ endOnFailure: true })

// Nor are the files that are left loaded, which takes longer than all else: to throw here spares it.
const here = globalThis as { dead?: unknown }
const mutant: unknown = inject('activeMutant' as never)
if (mutant !== undefined && here.dead === mutant) throw new Error('the mutant is dead already')
afterEach(({ task }) => {
  if (task.result?.state === 'fail') here.dead = mutant
})

// The library says each warning once a process, and all files of tests share one here: each gets a library that has said nothing yet.
vi.resetModules()
