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
  function stream(): AsyncIterable<string>
  function show(chunk: string): void
}
export {}
