import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bin, manifest, pack, type Place, root, run, specifiers } from './packed.js'

describe('what is packed', () => {
  let packed: Place
  beforeAll(() => {
    packed = pack()
  })
  afterAll(() => {
    packed.remove()
  })

  it('holds dist, the licence, the readme and the manifest, and nothing else', () => {
    const { output } = run('tar', ['-tzf', packed.tarball], packed.folder)
    const files = output
      .trim()
      .split('\n')
      .map((file) => file.replace(/^package\//, ''))
    expect(files.filter((file) => !file.startsWith('dist/')).sort()).toEqual(['LICENSE', 'README.md', 'package.json'])
    expect(files.filter((file) => file.startsWith('dist/')).filter((file) => !/\.(js|cjs|d\.ts|d\.cts|map)$/.test(file))).toEqual([])
  })

  it('holds every file that package.json exports: if one is missing, its source under src/adapters is, or npm run build', () => {
    const targets = Object.values(manifest.exports).flatMap((target) =>
      typeof target === 'string' ? [target] : [...Object.values(target.import), ...Object.values(target.require)],
    )
    expect(targets.length).toBe(specifiers.length * 4 + 1)
    expect(targets.filter((target) => !existsSync(join(root, target)))).toEqual([])
  })

  it('brings no dependency', () => {
    expect(manifest.dependencies).toBeUndefined()
    expect(Object.keys(manifest)).not.toContain('peerDependencies')
    expect(Object.keys(manifest)).not.toContain('optionalDependencies')
  })

  it('satisfies publint, strictly', () => {
    const { status, output } = run(bin('publint'), ['--strict', packed.tarball], packed.folder)
    expect(status, output).toBe(0)
    expect(output).toContain('All good!')
  })

  it('has types that resolve right under every module resolution of Node 16 and later, and of bundlers', () => {
    const { status, output } = run(bin('attw'), [packed.tarball, '--profile', 'node16', '--format', 'ascii'], packed.folder)
    expect(status, output).toBe(0)
    expect(output.match(/node16 \(from (CJS|ESM)\): 🟢/g)).toHaveLength(2 * specifiers.length + 2)
  })
}, 60_000)
