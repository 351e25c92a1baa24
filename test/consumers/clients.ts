// Clients that want a newer Node than the tests run on: their types, at least, take ours.
import ky from 'ky2'
import { Agent, type Dispatcher, setGlobalDispatcher } from 'undici8'
import { BreakerRegistry } from 'lazybreaker'
import { breakerFetch } from 'lazybreaker/fetch'
import { breakerInterceptor } from 'lazybreaker/undici'

const upstreams = new BreakerRegistry()

export const client = ky.create({ fetch: breakerFetch(upstreams), retry: 0 })
export const interceptor: Dispatcher.DispatcherComposeInterceptor = breakerInterceptor(upstreams)
setGlobalDispatcher(new Agent().compose(breakerInterceptor(upstreams)))
