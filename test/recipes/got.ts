import got, { CancelError, type RequestError, type Response } from 'got'
import { BreakerRegistry } from '../../src/index.js'

const upstreams = new BreakerRegistry()

export const api = got.extend({
  handlers: [
    (options, next) => {
      if (options.isStream) return next(options)
      const permit = upstreams.for(new URL(String(options.url)).origin).acquire({ signal: options.signal })
      const call = next(options)
      const answered = ({ statusCode }: Response) => (statusCode >= 500 ? permit.failure() : permit.success())
      Promise.resolve(call as Promise<Response>).then(answered, (error: unknown) => {
        const { response } = error as RequestError
        if (response) answered(response)
        else if (error instanceof CancelError) permit.ignore()
        else permit.failure(error)
      })
      return call
    },
  ],
})
