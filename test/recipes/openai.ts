import OpenAI from 'openai'
import { BreakerRegistry } from '../../src/index.js'
import { breakerFetch } from '../../src/adapters/fetch.js'

// The SDK's timeout is a plain abort, like ky's.
const upstreams = new BreakerRegistry({ slowCallDuration: 30_000 })

export const openai = new OpenAI({
  apiKey: process.env.OPENAI_API_KEY ?? 'none',
  timeout: 60_000,
  // A 429 or 503 that says Retry-After opens for that long. Each attempt of the SDK is a call of its own.
  fetch: breakerFetch(upstreams, { retryAfter: true }),
})
