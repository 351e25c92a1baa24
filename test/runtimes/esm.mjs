// The checks on Node, Bun and Deno, with what `import` finds.
import * as library from 'lazybreaker'
import * as adapter from 'lazybreaker/fetch'
import { conformance } from './conformance.mjs'

const [server, nobody] = process.argv.slice(2)
console.log(`RESULT ${JSON.stringify(await conformance({ library, adapter, server, nobody }))}`)
