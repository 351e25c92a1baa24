// What an ES module sees of the packed library.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { check } from './check.mjs'

const require = createRequire(import.meta.url)
const { exports } = require('lazybreaker/package.json')
const entries = {}
for (const path of Object.keys(exports).filter((path) => path !== './package.json')) {
  entries[path] = await import(`lazybreaker${path.slice(1)}`)
  assert.ok(!('default' in entries[path]), `${path} has a default export: everything here has a name`)
}
await check(entries)

// A service may hold both copies, its own and a dependency's: errors are recognised across them, by their code.
const other = require('lazybreaker')
const refused = new other.CircuitBreaker({ name: 'other copy' })
refused.forceOpen()
const error = await refused.execute(() => 'never').catch((error) => error)
assert.ok(!(error instanceof entries['.'].CircuitOpenError))
assert.equal(entries['.'].findCircuitOpenError(new Error('outer', { cause: error })), error)
console.log(Object.keys(entries).length, 'entries imported')
