import fc from 'fast-check'
import { vi } from 'vitest'

// That a mutant fails is enough: nobody reads its smallest counterexample.
fc.configureGlobal({ endOnFailure: true })

// The library says each warning once a process, and all files of tests share one here: each gets a library that has said nothing yet.
vi.resetModules()
