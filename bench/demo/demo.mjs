/**
 * `npm run demo`: six real servers in a child process, steady traffic to each through one registry of breakers, for
 * twenty seconds. Prints a line per second and a table, and writes a picture.
 */
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as library from 'lazybreaker'
import { cast, duration } from './cast.mjs'
import { picture } from './picture.mjs'
import { openStage } from './stage.mjs'
import { tables } from './table.mjs'
import { play } from './traffic.mjs'

const symbols = { closed: '●', 'half-open': '◐', open: '○' }

/**
 * The line of one second: of each host its state, and what became of its calls.
 *
 * @param {number} second
 * @param {import('./traffic.mjs').Story[]} stories
 * @param {string[]} states
 */
function printSecond(second, stories, states) {
  const cells = stories.map((story, index) => {
    const calls = story.calls.filter((call) => call.at >= (second - 1) * 1_000 && call.at < second * 1_000)
    const count = (/** @type {string} */ outcome) => calls.filter((call) => call.outcome === outcome).length
    const parts = [`${count('ok')}✓`, `${count('failed')}✗`, `${count('refused')}⊘`].filter((part) => !part.startsWith('0'))
    if (story.role.fault === 'silent' && calls.length > 0) parts.push(`${story.hanging.at(-1)?.hanging ?? 0} hang`)
    return `${symbols[/** @type {keyof typeof symbols} */ (states[index])]} ${parts.join(' ')}`
  })
  console.log(line(`${second} s`, cells))
}

/**
 * @param {string} first
 * @param {string[]} cells
 */
const line = (first, cells) => `${first.padStart(4)}  ${cells.map((cell) => cell.padEnd(18)).join('')}`.trimEnd()

/**
 * The longest time for which this process did not come to do what it does every tenth of a second, in milliseconds.
 *
 * @param {{ at: number }[]} samples
 */
const heldUp = (samples) => Math.max(0, ...samples.map(({ at }, i) => at - (samples[i - 1]?.at ?? at) - 100))

const roles = cast(library)
const stage = await openStage(roles)
try {
  console.log(`One registry, ${roles.length} hosts, ${duration / 1_000} seconds.   ● closed  ○ open  ◐ half-open   ✓ answered  ✗ failed  ⊘ refused\n`)
  console.log(
    line(
      '',
      roles.map((role) => role.name),
    ),
  )
  const stories = await play({ library, roles, stage, duration, eachSecond: printSecond })

  console.log(`\n${tables(stories)}`)
  const held = heldUp(stories[0]?.hanging ?? [])
  if (held > 300) console.log(`\nThis machine was busy: the calls stood still for up to ${(held / 1_000).toFixed(1)} s, and the figures and the picture show that too.`)
  const file = join(tmpdir(), 'lazybreaker-demo.html')
  writeFileSync(file, picture(stories, duration))
  console.log(`\nThe picture of the run: ${pathToFileURL(file).href}`)
} finally {
  await stage.close()
}
