/** An error as plain data: enough to recognise it, never the object, of which a response body might hang. */
export interface ErrorSummary {
  readonly name: string
  readonly code?: string | number
  /** Shortened to 200 characters. */
  readonly message: string
}

/** Summarises any thrown value; never throws. */
export function summarise(error: unknown): ErrorSummary {
  try {
    if (typeof error !== 'object' || error === null) return { name: typeof error, message: short(String(error)) }
    const { name, code, message } = error as { name?: unknown; code?: unknown; message?: unknown }
    const cause = (error as { cause?: { code?: unknown } | null }).cause
    const known = [code, typeof cause === 'object' ? cause?.code : undefined].find((c) => typeof c === 'string' || Number.isFinite(c)) as string | number | undefined
    const summary = { name: typeof name === 'string' ? short(name) : 'Object', message: typeof message === 'string' ? short(message) : '' }
    return known === undefined ? summary : { ...summary, code: short(known) }
  } catch {
    return { name: 'unknown', message: 'an error that cannot be read' }
  }
}

function short<T extends string | number>(value: T): T | string {
  const text = String(value)
  return text.length > 200 ? `${text.slice(0, 199)}…` : value
}
