// What a CommonJS module sees of the packed library.
'use strict'
const manifest = require('lazybreaker/package.json')

const entries = {}
for (const path of Object.keys(manifest.exports).filter((path) => path !== './package.json')) {
  entries[path] = require(`lazybreaker${path.slice(1)}`)
}
import('./check.mjs').then(({ check }) => check(entries)).then(() => console.log(Object.keys(entries).length, 'entries required'))
