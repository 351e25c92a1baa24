// What holds in either format. `entries` maps each path of `exports` to what it gave.
import assert from 'node:assert/strict'

export async function check(entries) {
  const { CircuitBreaker, BreakerRegistry, CircuitOpenError, ManualClock } = entries['.']
  for (const [path, entry] of Object.entries(entries)) {
    assert.ok(Object.keys(entry).length > 0, `${path} exports nothing`)
  }
  // A bundler may rename classes it finds used inside themselves; people see these names.
  for (const [name, value] of Object.entries(entries['.'])) {
    if (/^[A-Z]/.test(name)) assert.equal(value.name, name)
  }

  const clock = new ManualClock()
  const hosts = new BreakerRegistry({ clock, failureThreshold: 1 })
  await assert.rejects(
    hosts.execute('http://down.test', () => Promise.reject(new Error('down'))),
    /down/,
  )
  assert.ok(hosts.for('http://down.test') instanceof CircuitBreaker)

  // One class per format: what the fetch adapter throws is what the main entry exports.
  const fetch = entries['./fetch'].breakerFetch(hosts, { fetch: () => assert.fail('it was refused') })
  const refusal = await fetch('http://down.test/path').catch((error) => error)
  assert.ok(refusal instanceof CircuitOpenError, String(refusal))
  assert.equal(refusal.retryAfterMs, 30_000)

  clock.advance(refusal.retryAfterMs)
  assert.equal(await hosts.execute('http://down.test', () => 'up'), 'up')
  assert.equal(hosts.get('http://down.test').state, 'closed')
}
