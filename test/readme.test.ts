// The README is the product's face: each of its snippets compiles, those that can run do, and what it copies from a file equals the file.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { root } from './architecture/sources.js'

const path = join(root, 'README.md')
const text = readFileSync(path, 'utf8')
const pages = ['README.md', 'bench/README.md'].map((page) => ({ page, text: readFileSync(join(root, page), 'utf8') }))

interface Snippet {
  readonly line: number
  readonly code: string
}

/** The fenced blocks of one language. */
function snippets(language: string): Snippet[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(({ index, 1: code = '' }) => ({
    line: text.slice(0, index).split('\n').length,
    code,
  }))
}

describe('each TypeScript snippet', () => {
  const all = snippets('ts')
  const nameOf = ({ line }: Snippet) => join(root, 'test', `readme-line-${String(line)}.ts`)

  it('is there', () => {
    expect(all.length).toBeGreaterThan(8)
  })

  it('compiles as a reader would write it', () => {
    const { config } = ts.readConfigFile(join(root, 'test', 'tsconfig.json'), (file) => ts.sys.readFile(file))
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(root, 'test'))
    const virtual = new Map(all.map((snippet) => [nameOf(snippet), snippet.code]))
    const settings: ts.CompilerOptions = {
      ...options,
      noEmit: true,
      noUnusedLocals: false,
      noUnusedParameters: false,
      rootDir: root,
      paths: { lazybreaker: [join(root, 'src/index.ts')], 'lazybreaker/*': [join(root, 'src/adapters/*.ts')], undici: [join(root, 'node_modules/undici7/index.d.ts')] },
    }
    const host = ts.createCompilerHost(settings)
    const { fileExists, readFile, getSourceFile } = host
    host.fileExists = (file) => virtual.has(file) || fileExists(file)
    host.readFile = (file) => virtual.get(file) ?? readFile(file)
    host.getSourceFile = (file, languageVersion, ...rest) => {
      const code = virtual.get(file)
      return code === undefined ? getSourceFile(file, languageVersion, ...rest) : ts.createSourceFile(file, code, languageVersion)
    }
    const program = ts.createProgram([...virtual.keys(), join(root, 'test/support/readme.d.ts')], settings, host)
    const complaints = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
      const { line } = file?.getLineAndCharacterOfPosition(start) ?? { line: 0 }
      return `${file?.fileName.slice(root.length) ?? ''}, its line ${String(line + 1)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
    })
    expect(complaints).toEqual([])
  }, 60_000)

  // Those that import only this library, and do not need its reader's test runner or client.
  const own = all.filter(({ code }) => [...code.matchAll(/ from '([^']+)'/g)].every(([, name]) => name === 'lazybreaker' || name?.startsWith('lazybreaker/')))
  let folder: string

  beforeAll(() => {
    folder = mkdtempSync(join(root, 'node_modules', '.readme-'))
    vi.stubGlobal('url', 'https://api.example.com/users')
    vi.stubGlobal('order', { id: '1' })
    vi.stubGlobal('signal', new AbortController().signal)
    vi.stubGlobal('charge', () => Promise.resolve({ id: '1' }))
    vi.stubGlobal('queueForLater', (order: unknown) => order)
    vi.stubGlobal('HttpError', class extends Error {})
    vi.stubGlobal('message', 'hello')
    vi.stubGlobal('send', (_message: string, sent: () => void) => {
      sent()
    })
    vi.stubGlobal('id', '1')
    vi.stubGlobal('getUser', () => Promise.resolve({ id: '1' }))
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('[]')))
  })

  afterAll(() => {
    vi.unstubAllGlobals()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(own)('runs: the one on line $line', async (snippet) => {
    const { outputText } = ts.transpileModule(snippet.code, { compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 } })
    const file = join(folder, `line-${String(snippet.line)}.mjs`)
    writeFileSync(
      file,
      outputText.replace(
        / from 'lazybreaker(\/[^']+)?'/g,
        (_, subpath: string | undefined) => ` from '${pathToFileURL(join(root, 'dist', `${subpath?.slice(1) ?? 'index'}.js`)).href}'`,
      ),
    )
    await expect(import(/* @vite-ignore */ pathToFileURL(file).href)).resolves.toBeDefined()
  })
})

/** A file of this project imports the source where a reader imports the package. */
function asTheReaderWritesIt(code: string): string {
  return code.replaceAll("'../../src/index.js'", "'lazybreaker'").replaceAll(/'\.\.\/\.\.\/src\/adapters\/(\w+)\.js'/g, "'lazybreaker/$1'")
}

describe('what it copies from a file', () => {
  const copied = /<!-- file: (\S+) -->\n\n```(\w+)\n(.*?)```/gs

  it('is marked, each marker followed by the code', () => {
    expect([...text.matchAll(copied)].map(([, file]) => file)).toEqual([...text.matchAll(/<!-- file: (\S+) -->/g)].map(([, file]) => file))
  })

  it('equals the file (to rewrite it: UPDATE_README=1 npx vitest run test/readme.test.ts)', () => {
    const now = text.replace(
      copied,
      (_, file: string, language: string) => `<!-- file: ${file} -->\n\n\`\`\`${language}\n${asTheReaderWritesIt(readFileSync(join(root, file), 'utf8'))}\`\`\``,
    )
    if (process.env.UPDATE_README === '1' && now !== text) writeFileSync(path, now)
    else expect(text).toBe(now)
  })
})

describe('what it tells to run', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

  it.each([...new Set(pages.flatMap(({ text }) => [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name)))])('npm run %s is a script', (name) => {
    expect(Object.keys(scripts)).toContain(name)
  })
})

describe.each(pages)('$page', ({ page, text }) => {
  it.each([...new Set([...text.matchAll(/\]\(([^):]+)\)/g)].map(([, link = '']) => link))])('leads to %s, which is there', (link) => {
    const [file = '', heading] = link.split('#')
    const there = readFileSync(file === '' ? join(root, page) : join(root, dirname(page), file), 'utf8')
    if (heading !== undefined) expect(headingsOf(there)).toContain(heading)
  })

  it('has no place left to fill', () => {
    expect(text).not.toMatch(/^[A-Z]{4,}(:|$)/m)
    for (const [marker, name] of text.matchAll(/<!-- (?!\/|file:)([\w:]+) -->/g)) {
      expect(text.slice(text.indexOf(marker)), `between the markers of ${name ?? ''}`).toMatch(
        new RegExp(`^<!-- ${name ?? ''} -->\\s+\\S[\\s\\S]*?<!-- /${name ?? ''} -->`),
      )
      expect(text).not.toContain(`<!-- ${name ?? ''} -->\n\n<!-- /`)
    }
  })
})

it('is not cut off by a package registry, which shows 64 KiB of it', () => {
  expect(Buffer.byteLength(text)).toBeLessThan(65_536)
})

/** What a link to a heading says after the `#`. */
function headingsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase().replaceAll(/[^\w\s-]/g, '').replaceAll(' ', '-'))
}
