// A thousand hosts are down. The process has nothing more to do, and must end although each breaker is to recover later.
import { BreakerRegistry } from '../../dist/index.js'

const hosts = new BreakerRegistry({ failureThreshold: 1 })
for (let i = 0; i < 1_000; i++) {
  await hosts.execute(i, () => Promise.reject(new Error('down'))).catch(() => undefined)
}
const open = [...hosts.outages()].filter(([, breaker]) => breaker.state === 'open').length
console.log(`${open} open, and nothing to wait for`)
