import { defineConfig } from 'vitest/config'

// What judges a mutant: the tests that run on src, in this process, without servers. The quick ones go first (MUTATION=quick); run again
// without, only what survived them meets the model and the fuzz, for Stryker remembers.
const quick = process.env.MUTATION === 'quick'

export default defineConfig({
  test: {
    include: [
      'test/in-flight.test.ts',
      'test/observer-wanted.test.ts',
      'test/scenarios.test.ts',
      'test/{scenarios,trip,registry}/**/*.test.ts',
      'test/units/**/*.test.ts',
      ...(quick ? [] : ['test/hostile.test.ts', 'test/model.test.ts', 'test/adapters/{explain,prometheus,opentelemetry,diagnostics}.test.ts']),
    ],
    exclude: ['test/scenarios/process.test.ts', 'test/registry/attack.test.ts', ...(quick ? ['test/registry/forgetting.test.ts'] : [])],
    setupFiles: ['test/mutation.setup.ts'],
    // The slower ones are told by warnings, which a process says once.
    isolate: !quick,
    // Instrumented code is slow, and a mutant is seen soon or not at all.
    testTimeout: 60_000,
    env: { MODEL_RUNS: '150' },
  },
})
