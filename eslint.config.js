import { readFileSync } from 'node:fs'
import js from '@eslint/js'
import vitest from '@vitest/eslint-plugin'
import { defineConfig } from 'eslint/config'
import n from 'eslint-plugin-n'
import tsdoc from 'eslint-plugin-tsdoc'
import globals from 'globals'
import tseslint from 'typescript-eslint'

/** The library never wakes up by itself, takes its time from a clock, and runs on any platform. */
const restrictedGlobals = {
  setTimeout: 'A breaker never wakes up by itself: store the time, and compare when somebody calls.',
  setInterval: 'A breaker never wakes up by itself: store the time, and compare when somebody calls.',
  setImmediate: 'A breaker never wakes up by itself: store the time, and compare when somebody calls.',
  queueMicrotask: 'A breaker never wakes up by itself: store the time, and compare when somebody calls.',
  performance: 'Take the time from the clock of the plan; only src/clock.ts reads it.',
  Date: 'Take the time from the clock of the plan; only the reader of Retry-After needs the wall clock.',
  process: 'Not every platform has it: go through globalThis, where warnings are reported.',
  console: 'Not every platform has it: go through globalThis, where warnings are reported.',
  Buffer: 'Not every platform has it.',
  require: 'Not every platform has it.',
}

/** `no-restricted-globals` for src, without the names a file has good reason to use. */
const withoutGlobals = (...allowed) => [
  'error',
  {
    checkGlobalObject: true,
    globals: Object.entries(restrictedGlobals)
      .filter(([name]) => !allowed.includes(name))
      .map(([name, message]) => ({ name, message })),
  },
]

/** The adapters that package.json exports; what else stands beside them, they share. */
const subpaths = Object.keys(JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')).exports).map((subpath) => subpath.slice('./'.length))

const noPlatformModules = { regex: '^node:', message: 'src runs on every platform: no module of one of them.' }

export default defineConfig(
  { ignores: ['dist/', 'coverage/', 'reports/', '.stryker-tmp/', '.runtimes/', 'test/consumers/'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: {
      parserOptions: { project: ['tsconfig.json', 'test/tsconfig.json'], tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      eqeqeq: 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
    },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { n, tsdoc },
    settings: { n: { version: '>=20.19.0' } },
    rules: {
      'no-restricted-globals': withoutGlobals(),
      'no-restricted-imports': ['error', { patterns: [noPlatformModules] }],
      'n/no-unsupported-features/es-builtins': 'error',
      'n/no-unsupported-features/es-syntax': 'error',
      'n/no-unsupported-features/node-builtins': 'error',
      'tsdoc/syntax': 'error',
      // A user's callbacks are read off an object that is not kept, so they have no `this` to lose.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['src/clock.ts'],
    rules: { 'no-restricted-globals': withoutGlobals('performance') },
  },
  {
    files: ['src/adapters/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: `^(?!\\.\\./index\\.js$|\\./(?!(?:${subpaths.join('|')})\\.js$)[\\w-]+\\.js$)`,
              message: 'An adapter hangs off the core: it imports ../index.js, and files beside it that are no subpaths.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      // What is wrong on purpose here is the subject: wrong types, odd throws, functions that do nothing.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['test/**/*.test.ts', 'test/**/*.test-d.ts'],
    ...vitest.configs.recommended,
    settings: { vitest: { typecheck: true } },
    rules: {
      ...vitest.configs.recommended.rules,
      // Helpers named expect…, assert… and agree… hold expectations, and so does a property.
      'vitest/expect-expect': ['error', { assertFunctionNames: ['expect', 'expect*', 'expectTypeOf', 'assertType', 'assert*', 'agree*', 'fc.assert', 'typecheck'] }],
      'vitest/valid-expect': ['error', { maxArgs: 2 }],
      'vitest/no-conditional-expect': 'off',
      'vitest/no-standalone-expect': 'off',
      // Tables of cases name their tests with variables.
      'vitest/valid-title': ['error', { allowArguments: true }],
    },
  },
  {
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    ...tseslint.configs.disableTypeChecked,
    languageOptions: { ...tseslint.configs.disableTypeChecked.languageOptions, globals: globals.nodeBuiltin },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: { sourceType: 'commonjs', globals: globals.node },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
)
