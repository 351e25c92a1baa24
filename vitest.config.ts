import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    typecheck: { include: ['test/**/*.test-d.ts'], tsconfig: 'test/tsconfig.json' },
    coverage: { include: ['src/**'], reporter: ['text', 'html'] },
  },
})
