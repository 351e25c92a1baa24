// test/README.md says which file tests which law; here that is kept true.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './architecture/sources.js'

const folder = join(root, 'test')
const page = join(folder, 'README.md')
const text = readFileSync(page, 'utf8')

/** The laws that a text cites: "law 5", "laws 1, 2 and 9", "laws 1 to 16". */
function cited(source: string): Set<number> {
  const laws = new Set<number>()
  for (const [, list = ''] of source.matchAll(/\blaws?((?:[\s,*]|and\b|to\b|\d+\b)*)/gi)) {
    for (const [, from, to] of list.matchAll(/(\d+)[\s*]+to[\s*]+(\d+)/g)) for (let law = Number(from); law <= Number(to); law++) laws.add(law)
    for (const [law] of list.matchAll(/\d+/g)) laws.add(Number(law))
  }
  return laws
}

/** Files that test, or that a test is made of, by the law that they cite. */
function filesByLaw(): Map<number, string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(ts|mjs)$/.test(file) && !/node_modules|^laws\.test|^mutants/.test(file))
  const byLaw = new Map<number, string[]>()
  for (const file of files.sort()) {
    for (const law of cited(readFileSync(join(folder, file), 'utf8'))) byLaw.set(law, [...(byLaw.get(law) ?? []), relative(folder, join(folder, file))])
  }
  return byLaw
}

const rows = [...text.matchAll(/^\| (\d+) \| (.+?) \| (.*?) ?\|$/gm)].map(([row, law, , files = '']) => ({
  row,
  law: Number(law),
  files: [...files.matchAll(/\]\(([^)]+)\)/g)].map(([, file = '']) => file),
}))

describe('the page of guarantees', () => {
  const byLaw = filesByLaw()

  it('has each law once, in order', () => {
    expect(rows.map(({ law }) => law)).toEqual(Array.from({ length: 22 }, (_, i) => i + 1))
  })

  it('names only files that cite the law (to list all of them it: UPDATE_README=1 npx vitest run test/laws.test.ts)', () => {
    if (process.env.UPDATE_README === '1') {
      const links = (law: number) => (byLaw.get(law) ?? []).map((file) => `[${file}](${file})`).join(', ')
      writeFileSync(
        page,
        text.replace(/^\| (\d+) \| (.+?) \| .*\|$/gm, (_, law: string, says: string) => `| ${law} | ${says} | ${links(Number(law))} |`),
      )
      return
    }
    for (const { law, files } of rows) expect(byLaw.get(law), `law ${String(law)}`).toEqual(expect.arrayContaining(files))
  })

  it.each(rows)('law $law is tested by a test that runs', ({ files }) => {
    expect(files.filter((file) => file.endsWith('.test.ts'))).not.toEqual([])
  })

  it.each([...new Set([...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link))])('%s is there', (link) => {
    expect(readdirSync(join(folder, link, '..'))).toContain(link.split('/').at(-1))
  })
})
