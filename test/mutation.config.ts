import { defineConfig } from 'vitest/config'

// What judges a mutant: the tests that run on src, in this process, without servers.
export default defineConfig({
  test: {
    // Instrumented code is slow, and a mutant is seen soon or not at all.
    testTimeout: 60_000,
    env: { MODEL_RUNS: '150' },
    include: [
      'test/in-flight.test.ts',
      'test/hostile.test.ts',
      'test/model.test.ts',
      'test/scenarios.test.ts',
      'test/{scenarios,trip,registry}/**/*.test.ts',
      'test/adapters/{explain,prometheus,opentelemetry,diagnostics}.test.ts',
    ],
    exclude: ['test/scenarios/process.test.ts', 'test/registry/attack.test.ts'],
  },
})
