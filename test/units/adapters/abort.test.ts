import { expect, it } from 'vitest'
import { isOfUpload, refusedByFetch } from '../../../src/adapters/abort.js'

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

it('a call failed because of its upload if its reader says that this was closed before its end, and it was', () => {
  const early = new Error('Premature close')
  for (const error of [early, new TypeError('fetch failed', { cause: early })]) {
    expect(isOfUpload(error, { errored: null, readableAborted: true })).toBe(true)
    // A response is cut off with the same words.
    expect(isOfUpload(error, { errored: null, readableAborted: false })).toBe(false)
    expect(isOfUpload(error, 'text')).toBe(false)
  }
  expect(isOfUpload(new Error('reset'), { errored: null, readableAborted: true })).toBe(false)
})

it('a call failed because of its upload if that is a web stream which erred, not one which was cancelled or has more to come', async () => {
  const broke = new Error('my own disk')
  const erred = new ReadableStream({ start: (controller) => controller.error(broke) })
  const cancelled = new ReadableStream()
  await cancelled.cancel(broke)
  expect([erred, cancelled, new ReadableStream()].map((body) => isOfUpload(new TypeError('fetch failed', { cause: broke }), body))).toEqual([true, false, false])
})

it('fetch refuses a port, and an answer that was ordered otherwise; what else went wrong it does not refuse', () => {
  const causes = ['bad port', 'unexpected redirect', 'integrity mismatch', 'redirect count exceeded', 'other side closed', undefined]
  expect(causes.map(refusedByFetch)).toEqual([true, true, true, false, false, false])
})
