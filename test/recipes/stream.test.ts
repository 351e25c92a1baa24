// The recipe for streams, run against the real SDK and a real server that sends events.
import OpenAI from 'openai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CircuitBreaker, CircuitOpenError, ManualClock } from '../../src/index.js'
import { rejectionOf } from '../support/calls.js'
import * as http from '../support/http.js'
import { Ledger } from '../support/outcomes.js'
import { recipe } from './readme.js'
import { guardedStream } from './stream.js'

afterEach(http.closeServers)

let breaker: CircuitBreaker
let ledger: Ledger
beforeEach(() => {
  breaker = new CircuitBreaker({ failureThreshold: 1, clock: new ManualClock() })
  ledger = new Ledger(breaker)
})

const event = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`

/** What a model says, bit by bit. */
async function said(answer: http.Answer, signal?: AbortSignal): Promise<AsyncGenerator<string>> {
  const { origin } = await http.serve(answer)
  const openai = new OpenAI({ apiKey: 'none', baseURL: origin, maxRetries: 0 })
  const stream = guardedStream(breaker, () => openai.chat.completions.create({ model: 'small', messages: [], stream: true }, { signal }), signal)
  return (async function* () {
    for await (const chunk of stream) yield chunk.choices[0]?.delta.content ?? ''
  })()
}

const events =
  (end: (request: Parameters<http.Answer>[0], response: Parameters<http.Answer>[1]) => void): http.Answer =>
  (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event('Hello, '))
    response.write(event('world'), () => end(request, response))
  }

async function all(stream: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const bit of stream) text += bit
  return text
}

describe('the recipe for streams', () => {
  it('a stream is a success when it has ended, and not before', async () => {
    const stream = await said(events((_request, response) => response.end('data: [DONE]\n\n')))
    const { value: first } = await stream.next()
    expect(ledger.verdicts).toEqual([])
    expect(`${String(first)}${await all(stream)}`).toBe('Hello, world')
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('one that breaks off is a failure, and the next is refused', async () => {
    await rejectionOf(all(await said(events((request) => request.socket.resetAndDestroy()))))
    expect(ledger.verdicts).toEqual(['failure'])
    expect(await rejectionOf(all(await said(http.hang)))).toBeInstanceOf(CircuitOpenError)
  })

  it('one that does not begin is a failure', async () => {
    await rejectionOf(all(await said(http.answer(500))))
    expect(ledger.verdicts).toEqual(['failure'])
  })

  it('one that its reader leaves is ignored', async () => {
    for await (const bit of await said(events(() => {}))) if (bit === 'world') break
    expect(ledger.verdicts).toEqual(['ignored'])
  })

  it('one that its reader aborts is ignored', async () => {
    const controller = new AbortController()
    const stream = await said(
      events(() => {}),
      controller.signal,
    )
    await stream.next()
    controller.abort()
    // The SDK ends a stream that was aborted as if it were complete, once what has arrived is read.
    await all(stream).catch(() => '')
    expect(ledger.verdicts).not.toContain('failure')
  })
})

describe('a recipe in the README', () => {
  it('imports the package where the file imports its source', () => {
    expect(recipe('ky')).toContain("import { BreakerRegistry, findCircuitOpenError } from 'lazybreaker'\nimport { breakerFetch } from 'lazybreaker/fetch'\n")
  })
})
