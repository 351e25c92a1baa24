import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the project. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

interface Manifest {
  name: string
  version: string
  exports: Record<string, string | { import: Record<string, string>; require: Record<string, string> }>
  dependencies?: Record<string, string>
}

/** What package.json says. */
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest

/** What can be imported, as it is written: `lazybreaker`, `lazybreaker/fetch`, … */
export const specifiers = Object.keys(manifest.exports)
  .filter((path) => path !== './package.json')
  .map((path) => manifest.name + path.slice(1))

/** Runs a command to its end and gives all it said. */
export function run(command: string, args: string[], cwd: string): { status: number | null; output: string } {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } })
  return { status, output: error === undefined ? stdout + stderr : error.message }
}

/** An executable of the development dependencies. */
export const bin = (name: string): string => join(root, 'node_modules', '.bin', name)

/** A temporary folder, and how to be rid of it. */
export interface Place {
  readonly folder: string
  readonly tarball: string
  remove(): void
}

/** Packs what `npm publish` would send. It takes dist as it is: build first. */
export function pack(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'lazybreaker-packed-'))
  // Without its scripts: they would build again, under the feet of the tests that read dist.
  const { status, output } = run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], root)
  if (status !== 0) throw new Error(`npm pack failed:\n${output}`)
  return {
    folder,
    tarball: join(folder, `${manifest.name}-${manifest.version}.tgz`),
    remove: () => {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A project that has installed the packed library and nothing else, with the programs of test/consumers in it. */
export function consumer(): Place {
  const place = pack()
  cpSync(join(root, 'test', 'consumers'), place.folder, {
    recursive: true,
    filter: (source) => !/node_modules|package(-lock)?\.json|\.npmrc/.test(source.slice(root.length)),
  })
  writeFileSync(join(place.folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', place.tarball]
  const { status, output } = run('npm', install, place.folder)
  if (status !== 0) throw new Error(`npm ${install.join(' ')} failed:\n${output}`)
  return place
}
