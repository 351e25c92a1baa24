// The default clock moves under the fake timers of Vitest, Jest and sinon without being told anything, and a clock made of Date under those
// of node:test (law 3). What runs here are the very snippets that the readme shows. (Under Bun's: `npm run test:runtimes`.)
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import FakeTimers from '@sinonjs/fake-timers'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { CircuitBreaker } from '../../src/index.js'

const here = dirname(fileURLToPath(import.meta.url))
if (!existsSync(join(here, '../../dist/index.cjs'))) throw new Error('there is no dist to require: npm run build')

describe('with the fake timers of Vitest, a breaker (law 3)', async () => {
  await import('./vitest.snippet.js')
})

describe('with the fake timers of Jest, a breaker (law 3)', () => {
  const cacheDirectory = mkdtempSync(join(tmpdir(), 'lazybreaker-jest-'))
  afterAll(() => rmSync(cacheDirectory, { recursive: true, force: true }))

  it('probes again after thirty seconds', () => {
    const jest = join(dirname(createRequire(import.meta.url).resolve('jest/package.json')), 'bin/jest.js')
    const config = {
      rootDir: here,
      testMatch: ['**/jest.snippet.cjs'],
      testEnvironment: 'node',
      transform: {},
      moduleFileExtensions: ['cjs', 'js', 'json'],
      cacheDirectory,
    }
    const { status, output } = run(jest, '--config', JSON.stringify(config), '--runInBand')
    expect(output).toMatch(/Tests: +1 passed, 1 total/)
    expect(status).toBe(0)
  }, 60_000)
})

describe('with the fake timers of sinon, a breaker (law 3)', () => {
  it('probes again after thirty seconds', async () => {
    const timers = FakeTimers.install()
    onTestFinished(() => {
      timers.uninstall()
    })
    const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 30_000 })
    await expect(breaker.execute(() => Promise.reject(new Error('down')))).rejects.toThrow('down')
    timers.tick(29_999)
    expect(breaker.state).toBe('open')
    timers.tick(1)
    expect(await breaker.execute(() => 'up again')).toBe('up again')
    expect(breaker.state).toBe('closed')
  })
})

describe('with the fake timers of node:test, and a clock made of Date, a breaker', () => {
  it('probes again after thirty seconds', () => {
    const { status, output } = run('--test', '--test-reporter=tap', join(here, 'node-test.snippet.mjs'))
    expect(output).toMatch(/# pass 1\n# fail 0/)
    expect(status).toBe(0)
  }, 60_000)
})

/** Runs Node as a process that knows nothing of the test runner around it. */
function run(...args: string[]): { status: number | null; output: string } {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(NODE_ENV|NODE_OPTIONS|VITEST.*|TEST|FORCE_COLOR)$/.test(name)))
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: here, env, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}
