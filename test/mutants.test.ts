// The mutants themselves run by themselves (npm run mutants); that they still fit the source is seen here.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './architecture/sources.js'
import { mutants } from './mutants/mutants.mjs'

describe('the seeded faults', () => {
  it.each(mutants)('$name: what it changes stands in the source, once', ({ file, from, to, also }) => {
    const broken = new Map<string, string>()
    for (const change of [{ file, from, to }, ...(also === undefined ? [] : [also])]) {
      const source = broken.get(change.file) ?? readFileSync(join(root, change.file), 'utf8')
      expect(source.split(change.from).length - 1, `in ${change.file}: ${change.from}`).toBe(1)
      broken.set(
        change.file,
        source.replace(change.from, () => change.to),
      )
      expect(broken.get(change.file)).not.toBe(source)
    }
  })

  it('are as many as the README says, and all noticed', () => {
    const [, noticed, all] = /(\d+) of (\d+) are noticed/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
    expect([noticed, all].map(Number)).toEqual([mutants.length, mutants.length])
  })

  it('have names of their own', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
  })
})
