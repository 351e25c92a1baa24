import ky from 'ky'
import { BreakerRegistry, findCircuitOpenError } from '../../src/index.js'
import { breakerFetch } from '../../src/adapters/fetch.js'

// ky's own timeout is a plain abort, which says nothing about the host: a call that had become slow before it counts all the same.
const upstreams = new BreakerRegistry({ slowCallDuration: 5_000 })

export const api = ky.create({
  timeout: 10_000,
  fetch: breakerFetch(upstreams),
  // Each attempt is a call of its own; one that was refused is not tried again.
  retry: { shouldRetry: ({ error }) => (findCircuitOpenError(error) ? false : undefined) },
})
