import { afterEach, beforeEach, vi } from 'vitest'

/** For a file of tests: keeps warnings off the terminal, and gives those of the running test. A process says each only once. */
export function catchWarnings(): () => string[] {
  beforeEach(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => {}))
  afterEach(() => void vi.restoreAllMocks())
  return () => vi.mocked(process.emitWarning).mock.calls.map(([warning]) => String(warning))
}
