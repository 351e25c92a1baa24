import { InterceptingCall, Metadata, status, type Interceptor } from '@grpc/grpc-js'
import type { BreakerRegistry } from '../../src/index.js'

const failures = new Set([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.INTERNAL, status.UNKNOWN, status.DATA_LOSS])
const ignored = new Set([status.CANCELLED, status.RESOURCE_EXHAUSTED])

/** `new Client(address, credentials, { interceptors: [guarded(methods)] })`: calls of every kind, each judged by its final status. */
export function guarded(methods: BreakerRegistry): Interceptor {
  return (options, nextCall) => {
    const call = nextCall(options)
    return new InterceptingCall(call, {
      start(metadata, listener, next) {
        const permit = methods.for(options.method_definition.path).tryAcquire()
        if (!permit) {
          const details = `circuit of ${options.method_definition.path} is open`
          call.cancelWithStatus(status.UNAVAILABLE, details)
          // Not at once: nobody listens to a stream before it has been returned.
          process.nextTick(() => listener.onReceiveStatus({ code: status.UNAVAILABLE, details, metadata: new Metadata() }))
          return
        }
        next(metadata, {
          onReceiveStatus(end, nextStatus) {
            if (failures.has(end.code)) permit.failure(new Error(end.details))
            else if (ignored.has(end.code)) permit.ignore()
            else permit.success()
            nextStatus(end)
          },
        })
      },
    })
  }
}
