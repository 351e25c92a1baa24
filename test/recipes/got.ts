import got, { CancelError, HTTPError, ParseError, RequestError, type CancelableRequest, type Response } from 'got'
import { BreakerRegistry } from '../../src/index.js'

const upstreams = new BreakerRegistry({
  classifyError(error) {
    if (error instanceof HTTPError || error instanceof ParseError) return error.response.statusCode < 500 ? 'success' : 'failure'
    // Given up, or never sent: an option, a hook or a handler of the caller's was wrong.
    const isOfTheCaller = error instanceof CancelError || !(error instanceof RequestError) || error.code === 'ERR_GOT_REQUEST_ERROR'
    return isOfTheCaller ? 'ignored' : 'failure'
  },
  // With throwHttpErrors: false. With resolveBodyOnly there is no status to see.
  classifyResult: (answer: Partial<Response> | null) => (Number(answer?.statusCode) >= 500 ? 'failure' : 'success'),
})

export const api = got.extend({
  handlers: [
    (options, next) => {
      if (options.isStream || !options.url) return next(options)
      let call: CancelableRequest | undefined
      const judged = upstreams.execute(new URL(options.url).origin, () => (call = next(options) as CancelableRequest), { signal: options.signal })
      if (!call) return judged as never
      // What it rejects with, the caller gets from got's own promise, which alone can be cancelled.
      judged.catch(() => undefined)
      return call as never
    },
  ],
})
