import { expect, it } from 'vitest'
import { isOfUpload } from '../../../src/adapters/abort.js'

it('a call failed because of its upload if the error, or what caused it, is the one that destroyed the upload', () => {
  const broke = new Error('my own disk')
  expect(isOfUpload(broke, { errored: broke })).toBe(true)
  expect(isOfUpload(new TypeError('fetch failed', { cause: broke }), { errored: broke })).toBe(true)
})

it('a call that failed of itself did not fail because of its upload, whatever became of that', () => {
  const broke = new Error('my own disk')
  for (const error of [new Error('reset'), new Error('reset', { cause: null }), null, undefined]) {
    for (const body of [{ errored: broke }, { errored: null }, {}, 'text', null, undefined]) expect(isOfUpload(error, body)).toBe(false)
  }
})
