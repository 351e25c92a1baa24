import type { CircuitBreaker } from '../../src/index.js'

/**
 * A stream of a language model, of server-sent events, of anything that is read bit by bit: a success when it has ended, a failure when it
 * breaks off. A reader that leaves early has said nothing. The permit is taken at the first `next()`, so a refusal comes then.
 *
 * `guardedStream(models.for(model), () => openai.chat.completions.create({ model, messages, stream: true }, { signal }), signal)`
 */
export async function* guardedStream<T>(breaker: CircuitBreaker, open: () => PromiseLike<AsyncIterable<T>>, signal?: AbortSignal): AsyncGenerator<T, void> {
  const permit = breaker.acquire({ signal })
  try {
    yield* await open()
    permit.success()
  } catch (error) {
    permit.failure(error)
    throw error
  } finally {
    // The first report wins: this one counts only if there was none.
    permit.ignore()
  }
}
