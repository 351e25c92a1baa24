import { existsSync, readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

// The entries are what package.json exports: the main one, and one file of src/adapters/ for each subpath.
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> };
const subpaths = Object.keys(manifest.exports)
  .filter((path) => path !== '.' && path !== './package.json')
  .map((path) => path.slice('./'.length));

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    ...Object.fromEntries(
      subpaths.map((name) => [name, `src/adapters/${name}.ts`]).filter(([, file]) => existsSync(file ?? '')),
    ),
  },
  format: ['esm', 'cjs'],
  platform: 'neutral',
  // Below ES2022 `#private` becomes a WeakMap, and the closed path tens of times slower.
  target: 'es2022',
  // Without splitting each CommonJS entry gets its own copy of the classes, and `instanceof` fails across subpaths.
  splitting: true,
  treeshake: true,
  sourcemap: true,
  clean: true,
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
});
