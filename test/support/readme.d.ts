// What the snippets of the README take for granted: the reader's own program.
declare global {
  interface Order {
    readonly id: string
  }
  interface Receipt {
    readonly id: string
  }
  const url: string
  const order: Order
  const signal: AbortSignal
  function charge(order: Order, options?: { signal?: AbortSignal }): Promise<Receipt>
  function queueForLater(order: Order, retryAfterMs: number): Receipt
  class HttpError extends Error {
    readonly status: number
  }
  const message: string
  function send(message: string, sent: (error?: Error) => void): void
  const id: string
  function getUser(id: string, options?: { signal?: AbortSignal }): Promise<{ readonly id: string }>
}
export {}
