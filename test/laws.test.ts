// test/README.md says which file tests which law; here that is kept true.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './architecture/sources.js'
import { lawsTestedBy } from './support/citations.js'

const folder = join(root, 'test')
const page = join(folder, 'README.md')
const text = readFileSync(page, 'utf8')

/** Files that test, or that a test is made of, by the law that they cite. */
function filesByLaw(): Map<number, string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(ts|mjs)$/.test(file) && !/node_modules|^laws\.test|^mutants/.test(file))
  const byLaw = new Map<number, string[]>()
  for (const file of files.sort()) {
    for (const law of lawsTestedBy(file, readFileSync(join(folder, file), 'utf8'))) byLaw.set(law, [...(byLaw.get(law) ?? []), relative(folder, join(folder, file))])
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

  it('names all files that test the law, and no others (to list them: UPDATE_README=1 npx vitest run test/laws.test.ts)', () => {
    if (process.env.UPDATE_README === '1') {
      const links = (law: number) => (byLaw.get(law) ?? []).map((file) => `[${file}](${file})`).join(', ')
      writeFileSync(
        page,
        text.replace(/^\| (\d+) \| (.+?) \| .*\|$/gm, (_, law: string, says: string) => `| ${law} | ${says} | ${links(Number(law))} |`),
      )
      return
    }
    for (const { law, files } of rows) expect(byLaw.get(law), `law ${String(law)}`).toEqual(files)
  })

  it.each(rows)('law $law is tested by a test that runs', ({ files }) => {
    expect(files.filter((file) => file.endsWith('.test.ts'))).not.toEqual([])
  })

  it.each([...new Set([...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link))])('%s is there', (link) => {
    expect(readdirSync(join(folder, link, '..'))).toContain(link.split('/').at(-1))
  })
})

describe('a file', () => {
  const inTest = (source: string) => [...lawsTestedBy('some.test.ts', source)]
  const inHelper = (source: string) => [...lawsTestedBy('some.ts', source)]

  it.each([
    "it('holds (law 5)', () => {})",
    "describe('all of them (B12, law 5)', () => {})",
    "it.each([1, 2])('holds for %d (law 5)', () => {})",
    "describe.each(rows)('%s (law 5)', () => {})",
    "it.skipIf(absent)('holds (law 5)', () => {})",
    'it(`holds for ${name} (law 5)`, () => {})',
  ])('tests the law that a title cites: %s', (source) => {
    expect(inTest(source)).toEqual([5])
  })

  it('tests each law of a list', () => {
    expect(inTest("it('holds (laws 1, 12 and 9)', () => {})")).toEqual([1, 12, 9])
  })

  it.each(["it.skip('holds (law 5)', () => {})", "it.todo('holds (law 5)')", "describe.skip('all (law 5)', () => {})", "it.fails.each([1])('holds (law 5)', () => {})"])(
    'does not test a law by a test that does not run: %s',
    (source) => {
      expect(inTest(source)).toEqual([])
    },
  )

  it.each([
    '// Law 5: it holds.',
    "it('holds', () => { expect(1, 'law 5').toBe(1) })",
    "it('holds', () => { throw new Error('law 5') })",
    "it('holds for every law (laws 1 to 16)', () => {})",
    "it.each(['law 5'])('%s', () => {})",
    "const text = 'law 5'",
  ])('does not test a law by saying so elsewhere: %s', (source) => {
    expect(inTest(source)).toEqual([])
  })

  it.each(["demand(holds, 'law 5: it holds')", "if (!holds) throw new Error(`${what} is wrong (law 5)`)", "expect(value, 'law 5').toBe(1)"])(
    'that tests are made of tests the law that it complains with: %s',
    (source) => {
      expect(inHelper(source)).toEqual([5])
    },
  )

  it.each(['/** Law 5: it holds. */', "const name = 'law 5'", "throws(() => {}, 'law 5')"])('that tests are made of does not by other words: %s', (source) => {
    expect(inHelper(source)).toEqual([])
  })
})
