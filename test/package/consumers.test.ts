import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bin, consumer, type Place, root, run, specifiers } from './packed.js';

/** Compilers of test/consumers, there once `npm run consumers` has run. */
const consumers = join(root, 'test', 'consumers', 'node_modules');
const compilers = [
  { version: '6.0', tsc: bin('tsc') },
  ...['54', '59', '70'].map((digits) => ({
    version: `${digits.slice(0, 1)}.${digits.slice(1)}`,
    tsc: join(consumers, `ts${digits}`, 'bin', 'tsc'),
  })),
];

describe('a project that installs the tarball', () => {
  let project: Place;
  beforeAll(() => {
    project = consumer();
    copyFileSync(join(project.folder, 'types.ts'), join(project.folder, 'types.cts'));
    copyFileSync(join(project.folder, 'adapters.ts'), join(project.folder, 'adapters.cts'));
  });
  afterAll(() => {
    project.remove();
  });

  /** Compiles the given programs and gives what the compiler had to say. */
  function compile(tsc: string, files: string[], options: Record<string, unknown>): string {
    const file = join(project.folder, 'tsconfig.json');
    // Its libraries' declarations are checked too, and it has no other types than ours.
    const compilerOptions = { strict: true, noEmit: true, skipLibCheck: false, types: [], target: 'es2022', ...options };
    writeFileSync(file, JSON.stringify({ compilerOptions, files }));
    return run(process.execPath, [tsc, '-p', file, '--pretty', 'false'], project.folder).output.trim();
  }

  it('imports every entry, and an error of any of them is of the one class', () => {
    const { status, output } = run(process.execPath, ['import.mjs'], project.folder);
    expect(status, output).toBe(0);
    expect(output).toContain(`${String(specifiers.length)} entries imported`);
  });

  it('requires every entry, and an error of any of them is of the one class', () => {
    const { status, output } = run(process.execPath, ['require.cjs'], project.folder);
    expect(status, output).toBe(0);
    expect(output).toContain(`${String(specifiers.length)} entries required`);
  });

  describe.each(compilers)('with TypeScript $version', ({ tsc }) => {
    const absent = !existsSync(tsc);
    const modules = { module: 'nodenext', moduleResolution: 'nodenext' };

    it.skipIf(absent)('compiles as an ES module and as CommonJS under nodenext', () => {
      expect(compile(tsc, ['types.ts', 'types.cts', 'adapters.ts', 'adapters.cts'], modules)).toBe('');
    });

    it.skipIf(absent)('compiles without the DOM', () => {
      expect(compile(tsc, ['types.ts', 'adapters.ts'], { ...modules, lib: ['ES2022'] })).toBe('');
    });

    it.skipIf(absent)('compiles for a bundler', () => {
      expect(compile(tsc, ['types.ts', 'adapters.ts'], { module: 'esnext', moduleResolution: 'bundler' })).toBe('');
    });

    it.skipIf(absent)('compiles with the strictest options there are', () => {
      const strictest = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true };
      expect(compile(tsc, ['types.ts', 'adapters.ts'], { ...modules, ...strictest })).toBe('');
    });
  });
}, 120_000);
