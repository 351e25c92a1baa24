import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bin, consumer, type Place, root, run, specifiers } from './packed.js'

/** Compilers and clients of test/consumers, there once `npm run consumers` has run. If some are there, all have to be. */
const consumers = join(root, 'test', 'consumers', 'node_modules')
const areAbsent = !existsSync(consumers)
const compilers = [
  { version: '6.0', tsc: bin('tsc') },
  ...['54', '59', '70'].map((digits) => ({
    version: `${digits.slice(0, 1)}.${digits.slice(1)}`,
    tsc: join(consumers, `ts${digits}`, 'bin', 'tsc'),
  })),
]
const nodenext = { module: 'nodenext', moduleResolution: 'nodenext' }

describe('a project that installs the tarball', () => {
  let project: Place
  beforeAll(() => {
    project = consumer()
    copyFileSync(join(project.folder, 'types.ts'), join(project.folder, 'types.cts'))
    copyFileSync(join(project.folder, 'adapters.ts'), join(project.folder, 'adapters.cts'))
  })
  afterAll(() => {
    project.remove()
  })

  /** Compiles the given programs and gives what the compiler had to say. */
  function compile(tsc: string, files: string[], options: Record<string, unknown>): string {
    expect(existsSync(tsc), `${tsc} is not there: npm run consumers`).toBe(true)
    const file = join(project.folder, 'tsconfig.json')
    // Its libraries' declarations are checked too, and it has no other types than ours.
    const compilerOptions = { strict: true, noEmit: true, skipLibCheck: false, types: [], target: 'es2022', ...options }
    writeFileSync(file, JSON.stringify({ compilerOptions, files }))
    return run(process.execPath, [tsc, '-p', file, '--pretty', 'false'], project.folder).output.trim()
  }

  it('imports every entry, and an error of any of them is of the one class', () => {
    const { status, output } = run(process.execPath, ['import.mjs'], project.folder)
    expect(status, output).toBe(0)
    expect(output).toContain(`${String(specifiers.length)} entries imported`)
  })

  it('requires every entry, and an error of any of them is of the one class', () => {
    const { status, output } = run(process.execPath, ['require.cjs'], project.folder)
    expect(status, output).toBe(0)
    expect(output).toContain(`${String(specifiers.length)} entries required`)
  })

  it.skipIf(areAbsent)('hands what the adapters give to undici 8 and ky 2', () => {
    const modules = join(project.folder, 'node_modules')
    mkdirSync(join(modules, '@types'))
    for (const client of ['ky2', 'undici8']) symlinkSync(join(consumers, client), join(modules, client))
    symlinkSync(join(root, 'node_modules', '@types', 'node'), join(modules, '@types', 'node'))
    // Their declarations are theirs to check.
    const options = { ...nodenext, types: ['node'], skipLibCheck: true }
    expect(compile(bin('tsc'), ['clients.ts'], options)).toBe('')
  })

  describe.each(compilers)('with TypeScript $version', ({ tsc }) => {
    const isAbsent = areAbsent && tsc.startsWith(consumers)
    it.skipIf(isAbsent)('compiles as an ES module and as CommonJS under nodenext', () => {
      expect(compile(tsc, ['types.ts', 'types.cts', 'adapters.ts', 'adapters.cts'], nodenext)).toBe('')
    })

    it.skipIf(isAbsent)('compiles for a bundler, without the DOM, with the strictest options there are', () => {
      const strictest = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true }
      const options = { module: 'esnext', moduleResolution: 'bundler', lib: ['ES2022'], ...strictest }
      expect(compile(tsc, ['types.ts', 'adapters.ts'], options)).toBe('')
    })
  })
}, 120_000)
