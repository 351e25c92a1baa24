import { expect } from 'vitest'
import {
  CircuitBreaker,
  ManualClock,
  consecutiveFailures,
  exponentialBackoff,
  failureRate,
  probes,
  singleProbe,
  type CircuitBreakerOptions,
  type Permit,
  type Snapshot,
} from '../../src/index.js'

/** One `timeline` block of scenarios.md, under the heading it stands below. */
export interface Timeline {
  readonly title: string
  readonly text: string
}

/** Every `timeline` block of a page, in order. Two below one heading are numbered. */
export function timelinesOf(page: string): Timeline[] {
  const found: Timeline[] = []
  let heading = ''
  let block: string[] | undefined
  for (const line of page.split('\n')) {
    if (block !== undefined) {
      if (line.startsWith('```')) {
        const same = found.filter(({ title }) => title === heading || title.startsWith(`${heading} (`)).length
        found.push({ title: same === 0 ? heading : `${heading} (${same + 1})`, text: block.join('\n') })
        block = undefined
      } else block.push(line)
    } else if (line.startsWith('### ')) heading = line.slice(4).trim()
    else if (line.trim() === '```timeline') block = []
  }
  if (block !== undefined) throw new SyntaxError(`${heading}: a timeline block has no end`)
  return found
}

/** Runs a timeline on the real library. What it does not understand it throws about: nothing is passed over. */
export function runTimeline(text: string): void {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const run = new Run(optionsOf(lines[0] ?? ''))
  if (lines.length < 2) throw new SyntaxError('a timeline needs at least one line after its options')
  for (const line of lines.slice(1)) run.line(line)
}

const number = (text: string | undefined): number => {
  const value = Number((text ?? '').replaceAll('_', ''))
  if (text === undefined || text === '' || !Number.isFinite(value)) throw new SyntaxError(`expected a number, got ${text ?? 'nothing'}`)
  return value
}

/** `name(1,2)` → `['name', [1, 2]]`; `name` → `['name', []]`. */
function termOf(text: string): [string, number[]] {
  const match = /^(\w+)(?:\(([^()]*)\))?$/.exec(text)
  if (match?.[1] === undefined) throw new SyntaxError(`cannot read ${text}`)
  return [match[1], match[2] === undefined ? [] : match[2].split(',').map(number)]
}

function optionsOf(line: string): CircuitBreakerOptions {
  const [first, ...pairs] = line.trim().split(/\s+/)
  if (first !== 'opts') throw new SyntaxError(`expected the options, got ${line}`)
  const given = new Map(pairs.map((pair) => pair.split('=', 2) as [string, string]))
  const take = (name: string) => {
    const value = given.get(name)
    given.delete(name)
    return value
  }
  const slow = take('slow')
  const slowRate = take('slowRate')
  const openFor = number(take('openFor'))
  const lease = take('lease')
  const backoff = take('backoff')
  const options: CircuitBreakerOptions = {
    trip: tripOf(take('trip') ?? '', slowRate),
    recovery: recoveryOf(take('recovery') ?? ''),
    recoveryTimeout: backoff === undefined ? openFor : backoffOf(backoff, openFor),
    probeTimeout: lease === undefined ? undefined : number(lease),
    slowCallDuration: slow === undefined ? undefined : number(slow),
  }
  if (given.size > 0) throw new SyntaxError(`options that this driver does not know: ${[...given.keys()].join(', ')}`)
  return options
}

function tripOf(text: string, slowRate: string | undefined): CircuitBreakerOptions['trip'] {
  const [kind, [a = NaN, rate = NaN, minimumCalls = NaN]] = termOf(text)
  const slowCallRate = slowRate === undefined ? undefined : number(slowRate)
  if (kind === 'count') return failureRate({ window: { calls: a }, rate, minimumCalls, slowCallRate })
  if (kind === 'time') return failureRate({ window: { ms: a }, rate, minimumCalls, slowCallRate })
  if (kind === 'consecutive' && slowCallRate === undefined) return consecutiveFailures(a)
  throw new SyntaxError(`no such trip: ${text}${slowRate === undefined ? '' : ` with slowRate=${slowRate}`}`)
}

function recoveryOf(text: string): CircuitBreakerOptions['recovery'] {
  const [kind, [maxConcurrent, successThreshold]] = termOf(text)
  if (kind === 'single') return singleProbe()
  if (kind === 'probes' && maxConcurrent !== undefined) return probes({ maxConcurrent, successThreshold })
  throw new SyntaxError(`no such recovery: ${text}`)
}

function backoffOf(text: string, initial: number): CircuitBreakerOptions['recoveryTimeout'] {
  const [kind, [factor, max]] = termOf(text)
  if (kind === 'exp') return exponentialBackoff({ initial, factor, max })
  throw new SyntaxError(`no such backoff: ${text}`)
}

type Ending = 'ok' | 'fail' | 'ignore' | 'abort'

const isEnding = (word: string | undefined): word is Ending => ['ok', 'fail', 'ignore', 'abort'].includes(word ?? '')

function settle(permit: Permit, ending: Ending): boolean {
  if (ending === 'ok') return permit.success()
  if (ending === 'fail') return permit.failure(new Error('the downstream failed'))
  return permit.ignore()
}

const letterOf = { closed: 'C', open: 'O', 'forced-open': 'O', 'half-open': 'H', disabled: 'D' } as const

const readings: Record<string, (snapshot: Snapshot) => number | undefined> = {
  trips: (snapshot) => snapshot.trips,
  fails: (snapshot) => snapshot.failures,
  total: (snapshot) => snapshot.calls,
  trippedAt: (snapshot) => snapshot.trippedAt,
  retryAfter: (snapshot) => snapshot.retryAfterMs,
  slots: ({ phase }) => (phase?.maxConcurrent === undefined ? undefined : phase.maxConcurrent - phase.inFlight),
}

class Run {
  readonly #clock = new ManualClock()
  readonly #breaker: CircuitBreaker
  readonly #permits = new Map<string, Permit>()
  readonly #looks: boolean

  constructor(options: CircuitBreakerOptions) {
    this.#looks = options.slowCallDuration !== undefined
    this.#breaker = new CircuitBreaker({ ...options, clock: this.#clock })
  }

  line(line: string): void {
    const match = /^t=(\S+)\s+(.+?)\s+=>\s*(.*)$/.exec(line.trim())
    if (match === null) throw new SyntaxError(`cannot read the line ${line}`)
    this.#clock.advance(number(match[1]) - this.#clock.now())
    const admitted = this.#perform((match[2] ?? '').split(/\s+/))
    this.#expect(line.trim(), admitted, (match[3] ?? '').split(/\s+/).filter(Boolean))
  }

  /** Does what the line says, and returns for each call that asked whether it was admitted. */
  #perform([verb, ...words]: string[]): boolean[] {
    if (verb === 'start' && words.length > 0) {
      return words.map((name) => {
        const permit = this.#ask()
        if (permit !== undefined) this.#permits.set(name, permit)
        return permit !== undefined
      })
    }
    if (verb === 'call' && isEnding(words[0])) {
      const ending = words[0]
      const times = words[1] === undefined ? 1 : number(words[1].replace(/^x/, ''))
      return Array.from({ length: times }, () => {
        const permit = this.#ask()
        if (permit !== undefined) settle(permit, ending)
        return permit !== undefined
      })
    }
    if (isEnding(verb) && words.length > 0) {
      for (const name of words) {
        const permit = this.#permits.get(name)
        if (permit === undefined) throw new SyntaxError(`${name} was not admitted, so it cannot settle`)
        this.#permits.delete(name)
        settle(permit, verb)
      }
    } else if (verb === 'reset' && words.length === 0) this.#breaker.reset()
    else if (verb === 'forceOpen' && words.length === 0) this.#breaker.forceOpen()
    else if (verb !== 'read' || words.length > 0) throw new SyntaxError(`no such operation: ${[verb, ...words].join(' ')}`)
    return []
  }

  /** Asks for a permit; the readers foretell the answer (law 15). */
  #ask(): Permit | undefined {
    const foretold = this.#breaker.canExecute
    const permit = this.#breaker.tryAcquire()
    // A look at the calls that hang may change the answer, and reading does not look (law 10).
    if (!this.#looks) expect(permit !== undefined, 'canExecute foretells whether a call is admitted').toBe(foretold)
    return permit
  }

  #expect(line: string, admitted: boolean[], words: string[]): void {
    const snapshot = this.#breaker.snapshot()
    expect(this.#breaker.snapshot(), `reading twice gives the same: ${line}`).toEqual(snapshot)
    expect(this.#breaker.state).toBe(snapshot.state)
    expect(this.#breaker.retryAfterMs).toBe(snapshot.retryAfterMs)
    expect(this.#breaker.canExecute).toBe(snapshot.retryAfterMs === 0)
    let answers = ['run']
    for (const word of words) {
      const [name = '', value] = word.split('=', 2)
      if (/^(run|reject)(,(run|reject))*$/.test(word)) answers = word.split(',')
      else if (/^[COHD]$/.test(word)) expect(letterOf[snapshot.state], `state after ${line}`).toBe(word)
      else if (readings[name] !== undefined) expect(readings[name](snapshot), `${name} after ${line}`).toBe(number(value))
      else throw new SyntaxError(`cannot check ${word}`)
    }
    // One answer speaks for all; without one, whoever asks is expected to run.
    if (answers.length > 1) expect(answers).toHaveLength(admitted.length)
    const expected = admitted.map((_, index) => (answers[index] ?? answers[0]) === 'run')
    expect(admitted, `who runs: ${line}`).toEqual(expected)
  }
}
