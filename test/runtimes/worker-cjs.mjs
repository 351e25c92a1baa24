// The checks on workerd, with the CommonJS build.
import library from './library/index.cjs'
import adapter from './library/fetch.cjs'
import { conformance } from './conformance.mjs'

export default {
  async test(_, { server, nobody }) {
    const result = await conformance({ library, adapter, server, nobody })
    await fetch(`${server}/result`, { method: 'POST', body: JSON.stringify(result) })
  },
}
