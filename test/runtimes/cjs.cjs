// The checks on Node, Bun and Deno, with what `require` finds.
const library = require('lazybreaker')
const adapter = require('lazybreaker/fetch')

const [server, nobody] = process.argv.slice(2)
void import('./conformance.mjs')
  .then(({ conformance }) => conformance({ library, adapter, server, nobody }))
  .then((result) => console.log(`RESULT ${JSON.stringify(result)}`))
