// The recipe for @grpc/grpc-js, run against a real server: unary calls and streams of each kind.
import { once } from 'node:events'
import { Client, credentials, Metadata, Server, ServerCredentials, status, type ServiceError, type UntypedServiceImplementation } from '@grpc/grpc-js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BreakerRegistry, ManualClock } from '../../src/index.js'
import { unhandledDuring } from '../support/calls.js'
import { Ledger } from '../support/outcomes.js'
import { guarded } from './grpc.js'

const serialize = (value: unknown) => Buffer.from(JSON.stringify(value))
const deserialize = (bytes: Buffer) => JSON.parse(bytes.toString()) as unknown
const method = (name: string, requestStream: boolean, responseStream: boolean) => ({
  [name]: {
    path: `/test.Echo/${name}`,
    requestStream,
    responseStream,
    requestSerialize: serialize,
    requestDeserialize: deserialize,
    responseSerialize: serialize,
    responseDeserialize: deserialize,
  },
})
const service = { ...method('Say', false, false), ...method('Count', false, true), ...method('Chat', true, true) }

interface Call extends NodeJS.EventEmitter {
  readonly request: { readonly code?: number; readonly to?: number }
  write(value: unknown): void
  end(): void
}
const failing = (code: number) => Object.assign(new Error(`status ${String(code)}`), { code, details: `status ${String(code)}` })

const implementation = {
  Say: ({ request }: Call, done: (error: object | null, value?: unknown) => void) =>
    request.code === undefined ? done(null, request) : request.code < 0 ? undefined : done(failing(request.code)),
  Count: (call: Call) => {
    for (let n = 0; n < (call.request.to ?? 0); n++) call.write({ n })
    if (call.request.code === undefined) call.end()
    else if (call.request.code >= 0) call.emit('error', failing(call.request.code))
  },
  Chat: (call: Call) => {
    call.on('data', (value) => call.write(value))
    call.on('end', () => call.end())
  },
} as unknown as UntypedServiceImplementation

let server: Server
let client: Client
let methods: BreakerRegistry
let ledger: Ledger

beforeEach(async () => {
  server = new Server()
  server.addService(service, implementation)
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound))),
  )
  methods = new BreakerRegistry({ failureThreshold: 1, recoveryTimeout: 1_000, clock: new ManualClock() })
  ledger = new Ledger(methods)
  client = new Client(`127.0.0.1:${String(port)}`, credentials.createInsecure(), { interceptors: [guarded(methods)] })
})

afterEach(() => {
  client.close()
  server.forceShutdown()
})

const say = (request: object, deadline = Infinity) =>
  new Promise<unknown>((resolve) =>
    client.makeUnaryRequest('/test.Echo/Say', serialize, deserialize, request, new Metadata(), { deadline }, (error, value) => resolve(error ?? value)),
  )

describe('the recipe for gRPC', () => {
  it('hands on a unary call, a success', async () => {
    expect(await say({ hello: 'world' })).toEqual({ hello: 'world' })
    expect(ledger.verdicts).toEqual(['success'])
  })

  it.each([
    [status.UNAVAILABLE, 'failure'],
    [status.INTERNAL, 'failure'],
    [status.UNKNOWN, 'failure'],
    [status.DATA_LOSS, 'failure'],
    [status.DEADLINE_EXCEEDED, 'failure'],
    [status.CANCELLED, 'ignored'],
    [status.RESOURCE_EXHAUSTED, 'ignored'],
    [status.INVALID_ARGUMENT, 'success'],
    [status.NOT_FOUND, 'success'],
    [status.ALREADY_EXISTS, 'success'],
    [status.PERMISSION_DENIED, 'success'],
    [status.FAILED_PRECONDITION, 'success'],
    [status.OUT_OF_RANGE, 'success'],
    [status.UNIMPLEMENTED, 'success'],
    [status.UNAUTHENTICATED, 'success'],
  ])('takes status %i as %s, of a unary call and of a stream', async (code, verdict) => {
    expect(await say({ code })).toMatchObject({ code })
    methods.resetAll()
    const stream = client.makeServerStreamRequest('/test.Echo/Count', serialize, deserialize, { to: 1, code })
    const [error] = (await once(stream.resume(), 'error')) as [ServiceError]
    expect(error.code).toBe(code)
    expect(ledger.verdicts).toEqual([verdict, verdict])
  })

  it('takes a deadline that the host missed as a failure', async () => {
    expect(await say({ code: -1 }, Date.now() + 50)).toMatchObject({ code: status.DEADLINE_EXCEEDED })
    expect(ledger.verdicts).toEqual(['failure'])
  })

  it('refuses a call of any kind without asking the host, as unavailable', async () => {
    for (const name of ['Say', 'Count', 'Chat']) methods.for(`/test.Echo/${name}`).forceOpen()
    const unhandled = await unhandledDuring(async () => {
      const refusal = { code: status.UNAVAILABLE, details: expect.stringMatching(/^circuit of .* is open$/) as unknown }
      expect(await say({}, Date.now() + 60_000)).toMatchObject(refusal)
      for (const stream of [
        () => client.makeServerStreamRequest('/test.Echo/Count', serialize, deserialize, { to: 1 }),
        () => client.makeBidiStreamRequest('/test.Echo/Chat', serialize, deserialize),
      ]) {
        expect((await once(stream().resume(), 'error'))[0]).toMatchObject(refusal)
      }
    })
    expect(unhandled).toEqual([])
    expect(ledger.verdicts).toEqual([])
  })

  it('judges a stream when it has ended, and keeps its place until then', async () => {
    const chat = client.makeBidiStreamRequest('/test.Echo/Chat', serialize, deserialize)
    chat.write({ n: 1 })
    expect(await once(chat, 'data')).toEqual([{ n: 1 }])
    expect(ledger.verdicts).toEqual([])
    chat.end()
    await once(chat, 'end')
    expect(ledger.verdicts).toEqual(['success'])
  })

  it('ignores a stream that its reader leaves', async () => {
    const stream = client.makeServerStreamRequest('/test.Echo/Count', serialize, deserialize, { to: 3, code: -1 })
    const ended = new Promise((resolve) => stream.on('status', resolve))
    stream.on('error', () => {})
    await once(stream, 'data')
    stream.cancel()
    await ended
    expect(ledger.verdicts).toEqual(['ignored'])
  })
})
