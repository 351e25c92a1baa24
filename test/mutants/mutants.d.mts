interface Change {
  readonly file: string
  readonly from: string
  readonly to: string
}

export const mutants: readonly (Change & { readonly name: string; readonly also?: Change })[]
