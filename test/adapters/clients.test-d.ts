// A guarded fetch is taken wherever a client takes one, and a guarded client is still a client of its own type.
import got, { type Got, type HandlerFunction } from 'got'
import ky, { type KyInstance } from 'ky'
import OpenAI from 'openai'
import { describe, expectTypeOf, it } from 'vitest'
import { breakerFetch } from '../../src/adapters/fetch.js'
import type { BreakerRegistry } from '../../src/index.js'
import ky2, { type KyInstance as KyInstance2 } from '../consumers/node_modules/ky2/distribution/index.js'
import { api as guardedGot } from '../recipes/got.js'
import { api as guardedKy } from '../recipes/ky.js'

declare const upstreams: BreakerRegistry

describe('a guarded client', () => {
  it('is a ky of ky 1', () => {
    expectTypeOf(ky.create({ fetch: breakerFetch(upstreams) })).toEqualTypeOf<KyInstance>()
    expectTypeOf(guardedKy).toEqualTypeOf<KyInstance>()
  })

  it('is a ky of ky 2', () => {
    // Should this be `any`, `npm run consumers` has not been run.
    expectTypeOf<KyInstance2>().not.toBeAny()
    expectTypeOf(ky2.create({ fetch: breakerFetch(upstreams) })).toEqualTypeOf<KyInstance2>()
  })

  it('is a got', () => {
    expectTypeOf(guardedGot).toExtend<Got>()
    expectTypeOf(got.extend({ handlers: [] as HandlerFunction[] })).toExtend<typeof guardedGot>()
  })

  it('is an SDK with a fetch option', () => {
    expectTypeOf(new OpenAI({ apiKey: '', fetch: breakerFetch(upstreams) })).toEqualTypeOf<OpenAI>()
  })
})
