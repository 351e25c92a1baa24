/** What is broken, one thing at a time: in `file` the only occurrence of `from` becomes `to`, and so for `also`, where it takes two. */
export const mutants = [
  // Whose result counts (laws 4, 5, 9)
  { name: 'epoch: a late report counts', file: 'src/breaker.ts', from: 'const inTime = epoch === this.#epoch', to: 'const inTime = epoch <= this.#epoch' },
  { name: 'epoch: a transition begins none', file: 'src/breaker.ts', from: 'this.#epoch++', to: 'if (next === null) this.#epoch++' },
  { name: 'epoch: closing begins none', file: 'src/breaker.ts', from: 'this.#epoch++', to: 'if (next !== null) this.#epoch++' },
  {
    name: 'epoch: of the permit, not of its admission',
    file: 'src/circuit-breaker.ts',
    from: 'new Ticket(self, answer.epoch, answer, signal)',
    to: 'new Ticket(self, answer.epoch + 1, answer, signal)',
  },
  { name: 'permit: settles twice', file: 'src/permit.ts', from: 'this.#settled = true', to: 'this.#settled = false' },
  { name: 'permit: ignore is a success', file: 'src/permit.ts', from: "return this.settle('ignored', undefined)", to: "return this.settle('success', undefined)" },
  { name: 'permit: openFor is lost', file: 'src/permit.ts', from: 'if (isWait(openFor)) return this.settle({ openFor }, error)', to: '' },
  { name: 'memory: kept over a change of state', file: 'src/breaker.ts', from: 'this.#memory = undefined\n', to: '' },
  { name: 'calls in flight: not forgotten', file: 'src/breaker.ts', from: 'this.#flights = null', to: '' },

  // Trips (laws 6, 7)
  { name: 'threshold: above, not at', file: 'src/trip/consecutive-failures.ts', from: 'run >= threshold', to: 'run > threshold' },
  { name: 'threshold: a success ends no run', file: 'src/trip/consecutive-failures.ts', from: 'success: () => 0', to: 'success: (run) => run' },
  { name: 'rate: above, not at', file: 'src/trip/failure-rate.ts', from: 'window.markedAt(now) / total >= share', to: 'window.markedAt(now) / total > share' },
  {
    name: 'rate: a product, not a quotient',
    file: 'src/trip/failure-rate.ts',
    from: 'window.markedAt(now) / total >= share',
    to: 'window.markedAt(now) >= share * total',
  },
  { name: 'rate: one call more before it judges', file: 'src/trip/failure-rate.ts', from: 'total >= minimum', to: 'total > minimum' },
  {
    name: 'rate: judged after failures only',
    file: 'src/breaker.ts',
    from: 'const reason = counted ? undefined',
    to: "const reason = counted || verdict === 'success' ? (this.remember('success', slow, now), undefined)",
  },
  {
    name: 'rate: a slow call is counted as a fast one, too',
    file: 'src/trip/failure-rate.ts',
    from: 'if (!slow) memory.paced.push(false, now)',
    to: 'memory.paced.push(false, now)',
  },
  { name: 'window of calls: one too long', file: 'src/trip/count-window.ts', from: 'slot + 1 === this.#size', to: 'slot === this.#size' },
  { name: 'window of calls: what leaves is still counted', file: 'src/trip/count-window.ts', from: 'if ((word & bit) !== 0) this.#marked--', to: '' },
  { name: 'window of time: a bucket is not emptied', file: 'src/trip/time-window.ts', from: 'this.#pairs[slot] = this.#pairs[slot + 1] = 0', to: 'this.#pairs[slot] = 0' },
  {
    name: 'window of time: one bucket a time after a gap',
    file: 'src/trip/time-window.ts',
    from: 'for (let i = 1; i <= passed; i++) {',
    to: 'for (let i = passed; i <= passed; i++) {',
  },
  { name: 'window of time: reads without rolling', file: 'src/trip/time-window.ts', from: 'if (passed === this.#pairs.length / 2) return 0', to: 'return whole' },
  {
    name: 'ignored: ends a run',
    file: 'src/breaker.ts',
    from: "if (verdict !== 'ignored') this.count(verdict, slow, now, error)",
    to: "this.count(verdict === 'ignored' ? 'success' : verdict, slow, now, error)",
  },
  {
    name: 'openFor: shorter than the ordinary wait',
    file: 'src/breaker.ts',
    from: 'Math.max(openFor, waitOf(plan.recoveryTimeout, relapses, error))',
    to: 'openFor || waitOf(plan.recoveryTimeout, relapses, error)',
  },
  {
    name: 'openFor: does not trip',
    file: 'src/breaker.ts',
    from: "if (typeof verdict === 'object') this.open(now, 'open-for', error, verdict.openFor, null)\n    else if",
    to: 'if',
  },

  // Time (laws 1, 2)
  {
    name: 'open: ends a moment late',
    file: 'src/breaker.ts',
    from: 'outage.recovery === null && now >= outage.until',
    to: 'outage.recovery === null && now > outage.until',
  },
  {
    name: 'open: reads a moment late',
    file: 'src/outage.ts',
    from: "return now < this.until ? 'open' : 'half-open'",
    to: "return now <= this.until ? 'open' : 'half-open'",
  },
  { name: 'open: reads what was entered, not what it is', file: 'src/outage.ts', from: "return now < this.until ? 'open' : 'half-open'", to: 'return this.state' },
  { name: 'clock: steps back', file: 'src/clock.ts', from: '    return raw + this.#shift\n', to: '    return raw\n' },
  { name: 'clock: waits until it has caught up with a step back', file: 'src/clock.ts', from: 'return this.#amend(raw, last)', to: 'return last' },

  // Half-open (laws 11, 12)
  { name: 'places: without a limit', file: 'src/outage.ts', from: "return this.#isFull(now) ? 'probing' : undefined", to: 'return undefined' },
  { name: 'places: one too many', file: 'src/outage.ts', from: 'if (surplus < 0) return -Infinity', to: 'if (surplus <= 0) return -Infinity' },
  {
    name: 'places: the first probe takes none',
    file: 'src/outage.ts',
    from: 'this.#places.set(probe, now + this.#plan.probeTimeout)',
    to: 'if (this.#arrivals > 1) this.#places.set(probe, now + this.#plan.probeTimeout)',
  },
  { name: 'places: not freed when a probe settles', file: 'src/outage.ts', from: '    this.#places.delete(probe)\n', to: '' },
  {
    name: 'places: not freed when a probe is ignored',
    file: 'src/breaker.ts',
    from: '    recovery.release(probe)\n',
    to: "    if (verdict !== 'ignored') recovery.release(probe)\n",
  },
  {
    name: 'places: freed twice',
    file: 'src/outage.ts',
    from: '    this.#places.delete(probe)\n',
    to: '    if (!this.#places.delete(probe)) for (const [other] of this.#places) { this.#places.delete(other); break }\n',
  },
  { name: 'lease: never lost', file: 'src/outage.ts', from: 'return leaseEnds.next().value!', to: 'return Infinity' },
  { name: 'lease: lost a moment late', file: 'src/outage.ts', from: 'return now < this.#freeAt()', to: 'return now <= this.#freeAt()' },
  { name: 'lease: lost, but not taken over', file: 'src/outage.ts', from: '      this.#places.delete(oldest)\n', to: '' },
  { name: 'lease: all that were lost are taken at once', file: 'src/outage.ts', from: 'const enough = this.#phase.maxConcurrent ?? 0', to: 'const enough = 0' },
  {
    name: 'lease: lost with the vote',
    file: 'src/breaker.ts',
    from: 'const recovery = outage.recovery!\n    recovery.release(probe)',
    to: 'const recovery = outage.recovery!\n    if (!recovery.release(probe)) return',
    also: {
      file: 'src/outage.ts',
      from: 'release(probe: Flight): void {\n    this.#places.delete(probe)',
      to: 'release(probe: Flight): boolean {\n    return this.#places.delete(probe)',
    },
  },

  // Phases (laws 13, 14)
  { name: 'phase: an early success counts later', file: 'src/outage.ts', from: 'if (probe.phase !== this.#index) return false\n', to: '' },
  {
    name: 'phase: successes are not counted anew',
    file: 'src/outage.ts',
    from: 'this.#arrivals = this.#shares = this.#successes = this.#failures = 0',
    to: 'this.#arrivals = this.#shares = this.#failures = 0',
  },
  {
    name: 'phase: failures are not counted anew',
    file: 'src/outage.ts',
    from: 'this.#arrivals = this.#shares = this.#successes = this.#failures = 0',
    to: 'this.#arrivals = this.#shares = this.#successes = 0',
  },
  {
    name: 'phase: arrivals are not counted anew',
    file: 'src/outage.ts',
    from: 'this.#arrivals = this.#shares = this.#successes = this.#failures = 0',
    to: 'this.#successes = this.#failures = 0',
  },
  {
    name: 'phase: one success more',
    file: 'src/outage.ts',
    from: 'this.#successes < this.#phase.successThreshold',
    to: 'this.#successes <= this.#phase.successThreshold',
  },
  {
    name: 'phase: the last but one closes',
    file: 'src/outage.ts',
    from: 'if (next === undefined) return true',
    to: 'if (next === undefined || this.#index > 0) return true',
  },
  {
    name: 'phase: tolerates one failure more',
    file: 'src/outage.ts',
    from: 'this.#failures > this.#phase.maxFailures',
    to: 'this.#failures > this.#phase.maxFailures + 1',
  },
  { name: 'phase: tolerates one failure less', file: 'src/outage.ts', from: 'this.#failures > this.#phase.maxFailures', to: 'this.#failures >= this.#phase.maxFailures' },
  {
    name: 'phase: recovery does not start anew',
    file: 'src/outage.ts',
    from: 'this.#recovery = new Recovering(this.#plan)',
    to: 'this.#recovery = (last ??= new Recovering(this.#plan))',
    also: {
      file: 'src/outage.ts',
      from: '/** The interpreter of a list of phases. */',
      to: 'let last: Recovering | undefined\n/** The interpreter of a list of phases. */',
    },
  },
  { name: 'ramp: one share too many', file: 'src/outage.ts', from: 'this.#shares / arrival < this.#phase.ratio', to: 'this.#shares / arrival <= this.#phase.ratio' },
  {
    name: 'ramp: a share that finds no place is saved',
    file: 'src/outage.ts',
    from: '} else if (this.#hasShare(this.#arrivals)) {',
    to: '} else if (refused === undefined && this.#hasShare(this.#arrivals)) {',
  },
  { name: 'ramp: the gap does not admit', file: 'src/outage.ts', from: 'return this.#hasShare(arrival) || now >= this.#gapEnds()', to: 'return this.#hasShare(arrival)' },
  {
    name: 'ramp: the gap admits a moment late',
    file: 'src/outage.ts',
    from: 'return this.#hasShare(arrival) || now >= this.#gapEnds()',
    to: 'return this.#hasShare(arrival) || now > this.#gapEnds()',
  },
  { name: 'ramp: the gap does not start the count anew', file: 'src/outage.ts', from: 'this.#arrivals = this.#shares = 1', to: 'this.#shares++' },
  { name: 'ramp: refused arrivals are not counted', file: 'src/outage.ts', from: '    this.#arrivals++\n', to: '    if (refused === undefined) this.#arrivals++\n' },

  // Outages
  { name: 'relapse: is not counted', file: 'src/breaker.ts', from: 'lost === null ? 0 : lost.relapses + 1', to: 'lost === null ? 0 : lost.relapses' },
  {
    name: 'trips: a relapse is not counted',
    file: 'src/breaker.ts',
    from: "if (to === 'open') this.#trips++",
    to: "if (from === 'closed' && to === 'open') this.#trips++",
  },
  {
    name: 'forced open: ends by itself',
    file: 'src/override.ts',
    from: 'readonly until = Infinity',
    to: 'readonly until = 0',
    also: {
      file: 'src/override.ts',
      from: 'refusalAt(): RefusalReason | undefined {\n    return this.refusal',
      to: 'refusalAt(now = 0): RefusalReason | undefined {\n    return now > 20 ? undefined : this.refusal',
    },
  },
  { name: 'disabled: judges', file: 'src/circuit-breaker.ts', from: "this.command(DISABLED, 'disabled')", to: "this.command(null, 'disabled')" },
  {
    name: 'reset: keeps the outage',
    file: 'src/circuit-breaker.ts',
    from: "this.command(null, 'reset')",
    to: "if (this.state === 'closed') this.command(null, 'reset')",
  },

  // Slow calls (law 10)
  { name: 'slow: a moment late', file: 'src/in-flight.ts', from: 'if (now < slowAt) return undefined', to: 'if (now <= slowAt) return undefined' },
  {
    name: 'slow: seen only when it returns',
    file: 'src/breaker.ts',
    from: 'audience.hears(HEARS.durations)\n    const now = this.tick()',
    to: 'audience.hears(HEARS.durations)\n    const now = plan.clock.now()',
  },
  {
    name: 'slow: the trip is dated when somebody looked',
    file: 'src/breaker.ts',
    from: 'if (reason !== undefined) this.open(slowAt, reason, undefined, 0, null)',
    to: 'if (reason !== undefined) this.open(now, reason, undefined, 0, null)',
  },
  { name: 'slow: a slow probe is none that failed', file: 'src/breaker.ts', from: 'outage.recovery!.fail()', to: '!outage.recovery!.fail()' },
  {
    name: 'slow: counted again when it returns',
    file: 'src/breaker.ts',
    from: 'const counted = slow && this.#ground.plan.trip.slow === undefined',
    to: 'const counted = false',
  },
  { name: 'slow: a slow probe succeeds when it returns', file: 'src/breaker.ts', from: "probe.slow || verdict === 'ignored'", to: "verdict === 'ignored'" },
  { name: 'slow: a call that settled is still in the air', file: 'src/breaker.ts', from: 'if (!slow) this.#flights?.remove(flight!)', to: '' },
  { name: 'slow: looked at in the wrong order', file: 'src/in-flight.ts', from: 'const first = this.#first\n', to: 'const first = this.#last\n' },

  // Telling (law 16)
  {
    name: 'events: the first probe is not told',
    file: 'src/breaker.ts',
    from: 'if (from === to || !heard) return',
    to: "if (from === to || to === 'half-open' || !heard) return",
  },
  { name: 'events: what did not change is told', file: 'src/breaker.ts', from: 'if (from === to || !heard) return', to: 'if (!heard) return' },
  { name: 'events: listeners come first', file: 'src/observer.ts', from: 'if (outbox.length !== 0 && !delivering) deliverAll()', to: 'if (outbox.length !== 0) deliverAll()' },

  // Calls (laws 8, 15, 19)
  {
    name: 'abort: counted',
    file: 'src/verdict.ts',
    from: 'return gaveUp(signal) || findCircuitOpenError(error) !== undefined',
    to: 'return findCircuitOpenError(error) !== undefined',
  },
  { name: 'abort: a timeout is one', file: 'src/verdict.ts', from: ".name !== 'TimeoutError'", to: '.name !== 1' },
  { name: 'refusal: is evidence', file: 'src/verdict.ts', from: 'return gaveUp(signal) || findCircuitOpenError(error) !== undefined', to: 'return gaveUp(signal)' },
  { name: 'abort: an aborted call runs', file: 'src/execute.ts', from: '      if (signal?.aborted === true) throw signal.reason\n    }\n', to: '    }\n' },
  { name: 'throw: counted by nobody', file: 'src/execute.ts', from: 'circuit.threw(epoch, flight, error, signal)\n    return reject(error)', to: 'return reject(error)' },
  { name: 'listener: stops the rest', file: 'src/observer.ts', from: 'warnThrown(`a listener to ${kind}`, error)', to: 'throw error' },
]
