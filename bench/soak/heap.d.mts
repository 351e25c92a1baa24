export class Heap {
  constructor(read?: () => number | undefined)
  sample(at: number): void
  complaints(): string[]
  toString(): string
}
