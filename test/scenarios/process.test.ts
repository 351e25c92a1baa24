import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'process-'))

/** Runs a script, with the whole library bundled into `lib.mjs` beside it, and returns what it printed. */
function run(script: string): string {
  const file = join(folder, 'script.mjs')
  writeFileSync(file, script)
  const { stdout, stderr, status, error } = spawnSync(process.execPath, [file], { encoding: 'utf8', timeout: 20_000 })
  if (error !== undefined) throw error
  expect(status, stderr).toBe(0)
  return stdout.trim()
}

describe('a process with open breakers (B67)', () => {
  beforeAll(async () => {
    const entry = fileURLToPath(new URL('../../src/index.ts', import.meta.url))
    await build({ entryPoints: [entry], bundle: true, format: 'esm', target: 'es2022', outfile: join(folder, 'lib.mjs'), logLevel: 'error' })
  })
  afterAll(() => {
    rmSync(folder, { recursive: true })
  })

  it('ends by itself, with nothing left that could keep it', () => {
    const printed = run(`
      import { BreakerRegistry } from './lib.mjs';
      const hosts = new BreakerRegistry({ failureThreshold: 1, slowCallDuration: 10 });
      for (let n = 0; n < 1000; n++) await hosts.execute(n, () => Promise.reject(new Error('down'))).catch(() => {});
      for (let n = 0; n < 1000; n++) hosts.execute('hung', () => new Promise(() => {})).catch(() => {});
      const resources = process.getActiveResourcesInfo().filter((name) => !/(Pipe|TTY|FS|Close)/i.test(name));
      console.log(JSON.stringify({ open: [...hosts.outages()].length, resources }));
    `)
    const { open, resources } = JSON.parse(printed) as { open: number; resources: string[] }
    expect(open).toBeGreaterThanOrEqual(1_000)
    expect(resources).toEqual([])
  })

  it('can use the library where there are no timers at all', () => {
    const printed = run(`
      const explode = () => { throw new Error('a timer'); };
      Object.assign(globalThis, { setTimeout: explode, setInterval: explode, setImmediate: explode, queueMicrotask: explode });
      const { CircuitBreaker, ManualClock } = await import('./lib.mjs');
      const clock = new ManualClock();
      const breaker = new CircuitBreaker({ failureThreshold: 1, clock });
      await breaker.execute(() => Promise.reject(new Error('down'))).catch(() => {});
      clock.advance(30_000);
      console.log(await breaker.execute(() => breaker.state), breaker.state);
    `)
    expect(printed).toBe('half-open closed')
  })
})
