import { type AsyncCommand } from 'fast-check'
import { agree } from './agree.js'
import { step } from './model.js'
import { type ModelOptions, waitOf } from './options.js'
import { type Asked, type Real } from './real.js'
import { type Action, type Answer, type Model, type Outcome } from './state.js'

/** The model's side of a run: fast-check hands it from command to command. */
export class Expected {
  model: Model
  /** Calls in flight that somebody may still settle, by the number under which they started. */
  inFlight: number[] = []
  /** Calls that settled, which somebody may try again. */
  done: number[] = []
  started = 0

  constructor(
    readonly options: ModelOptions,
    model: Model,
  ) {
    this.model = model
  }

  take(action: Action): Answer {
    const [model, answer] = step(this.options, this.model, action)
    this.model = model
    return answer
  }
}

export type BreakerCommand = AsyncCommand<Expected, Real>

abstract class Base implements BreakerCommand {
  check: (expected: Readonly<Expected>) => boolean = () => true

  async run(expected: Expected, real: Real): Promise<void> {
    await this.perform(expected, real)
    agree(expected.options, expected.model, real)
    const phase = real.breaker.snapshot().phase
    const limit = Math.max(...expected.options.phases.map(({ maxConcurrent }) => maxConcurrent))
    if (phase !== undefined && phase.inFlight > limit) throw new Error(`${phase.inFlight} places taken of ${limit} (law 11)`)
    real.transitions.forEach(({ from, to }, index) => {
      const before = real.transitions[index - 1]?.to ?? 'closed'
      if (from !== before || from === to) throw new Error(`transition ${index + 1} goes from ${from}, after ${before}, to ${to} (law 16)`)
    })
  }

  protected abstract perform(expected: Expected, real: Real): Promise<void> | void
  abstract toString(): string
}

export class Start extends Base {
  constructor(readonly way: 'tryAcquire' | 'acquire' | 'execute') {
    super()
  }

  protected async perform(expected: Expected, real: Real): Promise<void> {
    const id = expected.started++
    const asked: Asked = this.way === 'execute' ? await real.execute(id) : this.way === 'acquire' ? real.start(id) : { admitted: real.tryStart(id) }
    const { refused, retryAfterMs } = expected.take({ type: 'start', id })
    if (refused === undefined) expected.inFlight.push(id)
    real.expectRejected(refused === undefined ? [] : [{ reason: refused, retryAfterMs: retryAfterMs! }])
    if (asked.admitted !== (refused === undefined)) {
      throw new Error(`call ${id} was ${asked.admitted ? 'admitted' : 'refused'}, must be ${refused ?? 'admitted'}`)
    }
    if (asked.admitted || asked.refusal === undefined) return
    if (asked.refusal !== refused) throw new Error(`call ${id} was refused for ${asked.refusal}, must be ${refused ?? 'admitted'}`)
    if (asked.retryAfterMs !== retryAfterMs) throw new Error(`call ${id} is told to wait ${asked.retryAfterMs} ms, must be ${retryAfterMs}`)
  }

  toString = () => `start by ${this.way}`
}

export class Settle extends Base {
  constructor(
    readonly which: number,
    readonly outcome: Outcome,
    readonly openFor?: number,
  ) {
    super()
  }

  override check = ({ inFlight }: Readonly<Expected>) => inFlight.length > 0

  protected async perform(expected: Expected, real: Real): Promise<void> {
    const [id] = expected.inFlight.splice(this.which % expected.inFlight.length, 1)
    expected.done.push(id!)
    const inTime = real.settle(id!, this.outcome, this.openFor)
    await real.answered(id!)
    const { kind } = expected.model
    const answer = expected.take({ type: 'settle', id: id!, outcome: this.outcome, openFor: this.openFor })
    const { call } = answer
    const isTimed = expected.options.slowCallDuration !== undefined
    real.expectSettled({
      // Disabled, nobody judges.
      outcome: kind === 'disabled' ? 'ignored' : this.outcome,
      late: answer.inTime === false,
      slow: call!.slow,
      duration: isTimed ? expected.model.now - call!.start : undefined,
    })
    if (inTime !== undefined && inTime !== answer.inTime) throw new Error(`call ${id} was ${inTime ? 'in time' : 'late'}: wrong`)
  }

  toString = () => `settle #${this.which}: ${this.outcome}${this.openFor === undefined ? '' : ` for ${this.openFor}`}`
}

/** Law 5: the first report wins, another is no report. */
export class SettleAgain extends Base {
  constructor(
    readonly which: number,
    readonly outcome: Outcome,
  ) {
    super()
  }

  override check = ({ done }: Readonly<Expected>) => done.length > 0

  protected async perform({ done }: Expected, real: Real): Promise<void> {
    const id = done[this.which % done.length]!
    const again = real.settle(id, this.outcome)
    await real.answered(id)
    real.expectSettled()
    if (again === true) throw new Error(`call ${id} was settled twice`)
  }

  toString = () => `settle again #${this.which}: ${this.outcome}`
}

/** The caller is never heard of again. */
export class Abandon extends Base {
  constructor(readonly which: number) {
    super()
  }

  override check = ({ inFlight }: Readonly<Expected>) => inFlight.length > 0

  protected perform({ inFlight }: Expected): void {
    inFlight.splice(this.which % inFlight.length, 1)
  }

  toString = () => `abandon #${this.which}`
}

/** Moves the clock on by some multiple of what matters here, one less or one more, or by anything at all. */
export class Advance extends Base {
  constructor(
    readonly by: 'recoveryTimeout' | 'probeTimeout' | 'slowCallDuration' | 'maxGap' | 'bucket' | 'retryAfterMs' | 'nothing',
    readonly extra: number,
  ) {
    super()
  }

  protected perform(expected: Expected, real: Real): void {
    const ms = Math.max(0, this.#of(expected.options, real) + this.extra)
    real.clock.advance(ms)
    expected.take({ type: 'advance', ms })
  }

  #of(options: ModelOptions, real: Real): number {
    const { trip, phases, probeTimeout, slowCallDuration = 0 } = options
    switch (this.by) {
      case 'recoveryTimeout':
        return waitOf(options, 0)
      case 'probeTimeout':
        return probeTimeout
      case 'slowCallDuration':
        return slowCallDuration
      case 'maxGap':
        return phases[0]!.maxGap
      case 'bucket':
        return trip.kind === 'rate' && 'ms' in trip.window ? trip.window.ms / trip.window.buckets : 0
      case 'retryAfterMs':
        return real.breaker.retryAfterMs
      case 'nothing':
        return 0
    }
  }

  toString = () => `advance ${this.by} + ${this.extra}`
}

export class StepBack extends Base {
  constructor(readonly ms: number) {
    super()
  }

  protected perform(expected: Expected, real: Real): void {
    real.stepBack(this.ms)
    expected.take({ type: 'advance', ms: -this.ms })
  }

  toString = () => `step back ${this.ms}`
}

export class Command extends Base {
  constructor(readonly type: 'reset' | 'forceOpen' | 'disable') {
    super()
  }

  protected perform(expected: Expected, real: Real): void {
    real.breaker[this.type]()
    expected.take({ type: this.type })
  }

  toString = () => this.type
}

/** Every run reads after each command; here nothing else happens. */
export class Read extends Base {
  protected perform(): void {}

  toString = () => 'read'
}
