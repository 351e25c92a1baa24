import { basename } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// What judges a mutant of each part: the tests that run on src, in this process. The parts are those of run.mjs.
const tests: Record<string, readonly string[]> = {
  core: [
    'test/in-flight.test.ts',
    'test/observer-wanted.test.ts',
    'test/scenarios.test.ts',
    'test/{scenarios,trip,registry}/**/*.test.ts',
    'test/units/**/*.test.ts',
    'test/hostile.test.ts',
    'test/hostile-calls.test.ts',
    'test/model.test.ts',
  ],
  metrics: ['test/adapters/{explain,prometheus,opentelemetry,diagnostics}.test.ts', 'test/units/adapters/*.test.ts'],
  http: ['test/adapters/{fetch,axios,undici}*.test.ts', 'test/units/adapters/*.test.ts'],
}

// The rest of a mutant's tests is spared once one has failed: those of one file first, which know it best, and the slow ones last.
const slow = ['hostile-calls', 'model', 'hostile', 'listeners', 'errors', 'reentrancy', 'forgetting', 'undici', 'fetch-outcomes', 'undici-outcomes']

class QuickOnesFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const late = slow.indexOf(basename(moduleId, '.test.ts'))
      return late < 0 && moduleId.includes('/units/') ? -2 : late
    }
    return Promise.resolve([...files].sort((a, b) => rank(a) - rank(b)))
  }
}

export default defineConfig({
  test: {
    include: [...(tests[process.env.MUTATION ?? 'core'] ?? [])],
    exclude: ['test/scenarios/process.test.ts', 'test/registry/attack.test.ts'],
    setupFiles: ['test/mutation/setup.ts'],
    sequence: { sequencer: QuickOnesFirst },
    isolate: false,
    // Instrumented code is slow, and a mutant is seen soon or not at all.
    testTimeout: 60_000,
    env: { MODEL_RUNS: '150', MANY_CALLS: '400' },
  },
})
