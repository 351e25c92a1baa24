import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

if (!existsSync(new URL('../../dist/index.js', import.meta.url))) throw new Error('there is no dist to attack: npm run build')

const program = fileURLToPath(new URL('attack.mjs', import.meta.url))

// A full registry of 10,000 holds about 1.5 MB of breakers, or 5 MB with a window each; a million keys would be a hundred times that.
it.each(['consecutive', 'window'])(
  'a million made-up keys, each failing once, neither grow the heap by 2 MB nor reopen the way to a host that is down (%s, law 20)',
  (trip) => {
    const { grown, ...rest } = JSON.parse(execFileSync(process.execPath, ['--expose-gc', program, trip], { encoding: 'utf8' })) as { grown: number }
    expect(rest).toEqual({ size: 10_000, overflows: 0, outages: 20, admitted: 0, probed: 20 })
    expect(grown).toBeLessThan(2e6)
  },
  120_000,
)

// A hand that stands still in a set keeps every table that the set has outgrown: 150 bytes for each outage, for ever.
it.each(['outages', 'passersBy'])(
  'what comes and goes in a registry that has been full once leaves nothing behind (%s, law 20)',
  (play) => {
    const standing = fileURLToPath(new URL('standing.mjs', import.meta.url))
    const grown = Number(execFileSync(process.execPath, ['--expose-gc', standing, play], { encoding: 'utf8' }))
    expect(grown).toBeLessThan(1e6)
  },
  60_000,
)
