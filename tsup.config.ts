import { existsSync, readFileSync } from 'node:fs'
import { defineConfig } from 'tsup'

// The entries are what package.json exports: the main one, and one file of src/adapters/ for each subpath.
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> }
const entry: Record<string, string> = { index: 'src/index.ts' }
for (const subpath of Object.keys(manifest.exports)) {
  const file = `src/adapters/${subpath.slice('./'.length)}.ts`
  if (existsSync(file)) entry[subpath.slice('./'.length)] = file
}

export default defineConfig({
  entry,
  format: ['esm', 'cjs'],
  platform: 'neutral',
  // Below ES2022 `#private` becomes a WeakMap, and the closed path tens of times slower.
  target: 'es2022',
  // Without splitting each CommonJS entry gets its own copy of the classes, and `instanceof` fails across subpaths.
  splitting: true,
  treeshake: true,
  sourcemap: true,
  clean: true,
  dts: {
    // What is marked @internal is for the rest of the package, and no part of its types.
    compilerOptions: { ignoreDeprecations: '6.0', stripInternal: true },
    // For `Disposable`. The sources say so too, but what is bundled has it in its middle, where compilers do not look.
    banner: '/// <reference lib="esnext.disposable" preserve="true" />',
  },
})
