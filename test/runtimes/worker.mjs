// The checks on workerd; the configuration says which build is "library".
import * as library from './library/index.js'
import * as adapter from './library/fetch.js'
import { conformance } from './conformance.mjs'

export default {
  async test(_, { server, nobody }) {
    const result = await conformance({ library, adapter, server, nobody })
    await fetch(`${server}/result`, { method: 'POST', body: JSON.stringify(result) })
  },
}
