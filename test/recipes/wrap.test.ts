// The recipe for any function that returns a promise, run against Node's resolver.
import { describe, expect, it } from 'vitest'
import { rejectionOf } from '../support/calls.js'
import { guardedLookup } from './wrap.js'

describe('the recipe for any promise API', () => {
  it('is the same function', async () => {
    expect(await guardedLookup('localhost')).toMatchObject({ address: expect.any(String) as unknown })
  })

  it('takes the answer that there is no such name as an answer', async () => {
    for (let n = 0; n < 6; n++) expect(await rejectionOf(guardedLookup('no-such-host.invalid'))).toMatchObject({ syscall: 'getaddrinfo' })
    expect(await guardedLookup('localhost')).not.toEqual({ address: '0.0.0.0', family: 4 })
  })

  it('answers with the fallback once it is open', async () => {
    for (let n = 0; n < 5; n++) await rejectionOf(guardedLookup(Symbol('not a name') as unknown as string))
    expect(await guardedLookup('example.com')).toEqual({ address: '0.0.0.0', family: 4 })
  })
})
