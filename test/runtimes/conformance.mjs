/**
 * What the built package has to do on every runtime. Imports nothing, so that it runs wherever JavaScript does; each check
 * throws if something is wrong.
 *
 * @typedef {object} Given
 * @property {any} library what `lazybreaker` exports
 * @property {any} [adapter] what `lazybreaker/fetch` exports
 * @property {string} [server] origin of a real server: /ok, /error (500), /hang, /cut
 * @property {string} [nobody] an origin where nobody listens
 */

/** @type {[name: string, run: (given: Given) => unknown][]} */
const checks = []
const check = (/** @type {string} */ name, /** @type {(given: Given) => unknown} */ run) => checks.push([name, run])

/**
 * Runs every check, one after the other.
 *
 * @param {Given} given
 * @returns {Promise<{ passed: number, failures: string[] }>}
 */
export async function conformance(given) {
  let passed = 0
  const failures = []
  for (const [name, run] of checks) {
    try {
      await run(given)
      passed++
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return { passed, failures }
}

// A vocabulary for what follows.

/** @param {unknown} value */
const show = (value) => {
  try {
    return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  } catch {
    return String(value)
  }
}
/** @param {unknown} got @param {unknown} wanted @param {string} [what] */
function same(got, wanted, what = 'it') {
  if (!Object.is(got, wanted)) throw new Error(`${what} should be ${show(wanted)}, and is ${show(got)}`)
}
/** @param {unknown} got @param {unknown} wanted */
const alike = (got, wanted) => same(JSON.stringify(got), JSON.stringify(wanted))
/** @param {() => unknown} run what should throw, or reject @returns {Promise<any>} the error */
async function caught(run) {
  let value
  try {
    value = await run()
  } catch (error) {
    return error
  }
  throw new Error(`it should fail, and gives ${show(value)}`)
}
const boom = new Error('boom')
const throws = () => {
  throw boom
}
const rejects = () => Promise.reject(boom)
const never = () => new Promise(() => undefined)
/** @param {any} breaker @param {number} [times] */
async function fail(breaker, times = 1) {
  for (let i = 0; i < times; i++) await caught(() => breaker.execute(rejects))
}
/** @param {any} breaker @param {number} [times] */
async function succeed(breaker, times = 1) {
  for (let i = 0; i < times; i++) await breaker.execute(() => 'fine')
}
/** A breaker on a clock of its own. @param {any} library @param {object} [options] */
function onClock({ CircuitBreaker, ManualClock }, options = {}) {
  const clock = new ManualClock()
  return { clock, breaker: new CircuitBreaker({ clock, failureThreshold: 2, recoveryTimeout: 1_000, ...options }) }
}
/** A breaker that has tripped and may be asked again. @param {any} library @param {object} [options] */
async function recovering(library, options) {
  const { clock, breaker } = onClock(library, options)
  await fail(breaker, 2)
  same(breaker.state, 'open', 'the state')
  clock.advance(1_000)
  return { clock, breaker }
}
/** Runs with the platform's warnings kept quiet. @param {() => unknown} run @returns {Promise<string[]>} what was warned of */
async function warnings(run) {
  /** @type {string[]} */
  const heard = []
  const listen = (/** @type {unknown} */ warning) => heard.push(warning instanceof Error ? warning.message : String(warning))
  const { process: node, console } = /** @type {any} */ (globalThis)
  const [emit, warn] = [node?.emitWarning, console.warn]
  if (typeof emit === 'function') node.emitWarning = listen
  console.warn = listen
  try {
    await run()
  } finally {
    if (typeof emit === 'function') node.emitWarning = emit
    console.warn = warn
  }
  return heard
}
const wait = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms))

// What is exported.

check('everything is exported under its name', ({ library }) => {
  for (const name of ['CircuitBreaker', 'BreakerRegistry', 'CircuitOpenError', 'ManualClock']) same(library[name]?.name, name)
  for (const name of ['consecutiveFailures', 'failureRate', 'anyOf', 'singleProbe', 'probes', 'gradual', 'exponentialBackoff', 'findCircuitOpenError']) {
    same(typeof library[name], 'function', name)
  }
})

// Calls.

check('a call gives the function’s own value', async ({ library }) => {
  const { breaker } = onClock(library)
  const value = {}
  same(await breaker.execute(() => value), value)
  same(await breaker.execute(async () => value), value)
})
check('a call fails with the function’s own error, the same object', async ({ library }) => {
  const { breaker } = onClock(library)
  same(await caught(() => breaker.execute(rejects)), boom)
  same(await caught(() => breaker.execute(async () => throws())), boom)
})
check('a synchronous throw is a rejection, and counts once', async ({ library }) => {
  const { breaker } = onClock(library)
  same(await caught(() => breaker.execute(throws)), boom)
  same(breaker.state, 'closed')
  same(breaker.snapshot().failures, 1)
})
check('execute never throws synchronously, and says what is wrong with a promise', async ({ library }) => {
  const { breaker } = onClock(library)
  const promise = breaker.execute(Promise.resolve(1))
  const error = await caught(() => promise)
  same(error instanceof TypeError, true)
  same(/promise/.test(error.message), true, 'the hint')
})
check('a thenable is adopted once', async ({ library }) => {
  const { breaker } = onClock(library)
  let asked = 0
  const thenable = {
    then(/** @type {(value: number) => void} */ resolve) {
      asked++
      resolve(7)
    },
  }
  same(await breaker.execute(() => thenable), 7)
  same(asked, 1, 'how often it was asked')
})
check('wrap keeps parameters and this, and always gives a promise', async ({ library }) => {
  const { breaker } = onClock(library)
  const account = {
    base: 40,
    add: breaker.wrap(
      /** @this {any} */ function (/** @type {number} */ n) {
        return this.base + n
      },
    ),
  }
  const answer = account.add(2)
  same(answer instanceof Promise, true)
  same(await answer, 42)
})
check('a fallback answers refused calls, and only those', async ({ library }) => {
  const { breaker } = onClock(library, { failureThreshold: 1 })
  same(await caught(() => breaker.execute(rejects, { fallback: () => 'instead' })), boom)
  same(await breaker.execute(rejects, { fallback: (/** @type {any} */ error) => error.reason }), 'open')
})

// Opening.

check('it opens after as many failures in a row as it was told', async ({ library }) => {
  const { breaker } = onClock(library, { failureThreshold: 3 })
  await fail(breaker, 2)
  same(breaker.state, 'closed')
  await fail(breaker)
  same(breaker.state, 'open')
})
check('a success ends the run', async ({ library }) => {
  const { breaker } = onClock(library)
  await fail(breaker)
  await succeed(breaker)
  await fail(breaker)
  same(breaker.state, 'closed')
})
check('five in a row is the default', async ({ library }) => {
  const breaker = new library.CircuitBreaker()
  await fail(breaker, 4)
  same(breaker.state, 'closed')
  await fail(breaker)
  same(breaker.state, 'open')
})
check('a refused call is not made', async ({ library }) => {
  const { breaker } = onClock(library)
  await fail(breaker, 2)
  let made = false
  await caught(() => breaker.execute(() => (made = true)))
  same(made, false)
})
check('a refusal is an error that says why and for how long', async ({ library }) => {
  const { breaker, clock } = onClock(library, { name: 'payments' })
  await fail(breaker, 2)
  clock.advance(300)
  const error = await caught(() => breaker.execute(rejects))
  same(error instanceof library.CircuitOpenError && error instanceof Error, true)
  alike([error.name, error.code, error.breaker, error.reason, error.retryAfterMs], ['CircuitOpenError', 'ERR_CIRCUIT_OPEN', 'payments', 'open', 700])
  same(error.cause, boom, 'its cause')
  same(/payments/.test(error.message), true)
})
check('each refusal is an error of its own', async ({ library }) => {
  const { breaker } = onClock(library)
  await fail(breaker, 2)
  same((await caught(() => breaker.execute(rejects))) === (await caught(() => breaker.execute(rejects))), false)
})
check('a refusal is found in a chain of causes, and nothing else is', async ({ library }) => {
  const { breaker } = onClock(library)
  await fail(breaker, 2)
  const refusal = await caught(() => breaker.execute(rejects))
  const wrapped = new TypeError('fetch failed', { cause: new Error('deeper', { cause: refusal }) })
  same(library.findCircuitOpenError(wrapped), refusal)
  for (const other of [boom, null, undefined, 'text', { cause: 1 }]) same(library.findCircuitOpenError(other), undefined)
})
check('a refusal of another breaker is no evidence', async ({ library }) => {
  const down = onClock(library).breaker
  await fail(down, 2)
  const { breaker } = onClock(library, { failureThreshold: 1 })
  await caught(() => breaker.execute(() => down.execute(rejects)))
  same(breaker.state, 'closed')
})

// Recovering.

check('advancing the clock by exactly retryAfterMs lets a call through', async ({ library }) => {
  const { breaker, clock } = onClock(library, { recoveryTimeout: 0.1 + 0.2 })
  clock.advance(0.7)
  await fail(breaker, 2)
  same(breaker.canExecute, false)
  clock.advance(breaker.retryAfterMs)
  same(breaker.canExecute, true)
  same(breaker.retryAfterMs, 0)
})
check('an open breaker past its time reads half-open, and reading changes nothing', async ({ library }) => {
  const { breaker } = await recovering(library)
  /** @type {string[]} */
  const heard = []
  breaker.observe({ transition: (/** @type {any} */ event) => heard.push(event.to) })
  for (let i = 0; i < 3; i++) alike([breaker.state, breaker.canExecute, breaker.retryAfterMs, breaker.snapshot().state], ['half-open', true, 0, 'half-open'])
  alike(heard, [])
})
check('one probe at a time, and the others are refused at once', async ({ library }) => {
  const { breaker } = await recovering(library)
  const probe = breaker.acquire()
  same((await caught(() => breaker.execute(rejects))).reason, 'probing')
  same(probe.success(), true)
  same(breaker.state, 'closed')
})
check('a failed probe opens again, from now', async ({ library }) => {
  const { breaker } = await recovering(library)
  await fail(breaker)
  same(breaker.state, 'open')
  same(breaker.retryAfterMs, 1_000)
  same(breaker.snapshot().relapses, 1)
})
check('a probe that never answers gives its place back', async ({ library }) => {
  const { breaker, clock } = await recovering(library, { probeTimeout: 500 })
  void breaker.execute(never)
  same(breaker.canExecute, false)
  clock.advance(breaker.retryAfterMs)
  await succeed(breaker)
  same(breaker.state, 'closed')
})
check('an ignored probe frees its place and moves nothing', async ({ library }) => {
  const { breaker } = await recovering(library)
  same(breaker.acquire().ignore(), true)
  same(breaker.state, 'half-open')
  same(breaker.canExecute, true)
})
check('several probes: so many at once, so many successes to close', async ({ library }) => {
  const { breaker } = await recovering(library, { recovery: library.probes({ maxConcurrent: 3, successThreshold: 2 }) })
  const permits = [breaker.acquire(), breaker.acquire(), breaker.acquire()]
  same(breaker.tryAcquire(), undefined)
  permits[0].success()
  same(breaker.state, 'half-open')
  permits[1].success()
  same(breaker.state, 'closed')
})
check('a ramp lets its share through, exactly', async ({ library }) => {
  const { breaker } = await recovering(library, { recovery: library.gradual([{ ratio: 0.1, successThreshold: 1_000 }]) })
  let admitted = 0
  for (let i = 0; i < 1_000; i++) if (breaker.tryAcquire()) admitted++
  same(admitted, 100)
})
check('a ramp goes through its phases, and closes after the last', async ({ library }) => {
  const { breaker } = await recovering(library, { recovery: library.gradual() })
  let calls = 0
  while (breaker.state !== 'closed' && calls < 1_000) {
    calls++
    breaker.tryAcquire()?.success()
  }
  same(breaker.state, 'closed')
  // 5 successes at one in ten, 10 at one in two, 20 at all: the first of a phase goes at once.
  same(calls >= 41 + 19 + 20 && calls <= 50 + 20 + 20, true, `${calls} calls`)
})
check('a ramp with little traffic is asked again after maxGap', async ({ library }) => {
  const { breaker, clock } = await recovering(library, { recovery: library.gradual([{ ratio: 0.01, successThreshold: 3, maxGap: 200 }]) })
  for (let i = 0; i < 3; i++) {
    breaker.acquire().success()
    if (i < 2) {
      same(breaker.canExecute, false)
      clock.advance(breaker.retryAfterMs)
    }
  }
  same(breaker.state, 'closed')
})
check('the wait of a backoff grows, up to its maximum, with jitter from the given random', async ({ library }) => {
  const backoff = library.exponentialBackoff({ initial: 100, max: 350, jitter: 0.5, random: () => 0.5 })
  const { breaker, clock } = onClock(library, { recoveryTimeout: backoff })
  await fail(breaker, 2)
  const waits = []
  for (let i = 0; i < 4; i++) {
    waits.push(breaker.retryAfterMs)
    clock.advance(breaker.retryAfterMs)
    await fail(breaker)
  }
  alike(waits, [75, 150, 262.5, 262.5])
})
check('openFor trips at once, and never for less than the recovery timeout', async ({ library }) => {
  const { breaker } = onClock(library, { classifyResult: (/** @type {number} */ ms) => ({ openFor: ms }) })
  same(await breaker.execute(() => 5_000), 5_000)
  same(breaker.retryAfterMs, 5_000)
  breaker.reset()
  await breaker.execute(() => 5)
  same(breaker.retryAfterMs, 1_000)
})

// Late reports and permits.

check('a late success does not close', async ({ library }) => {
  const { breaker } = onClock(library)
  const early = breaker.acquire()
  await fail(breaker, 2)
  same(early.success(), false)
  same(breaker.state, 'open')
})
check('a late failure does not open again', async ({ library }) => {
  const { breaker, clock } = onClock(library, { failureThreshold: 1 })
  const early = breaker.acquire()
  await fail(breaker)
  clock.advance(1_000)
  await succeed(breaker)
  same(early.failure(boom), false)
  same(breaker.state, 'closed')
})
check('a permit settles once', async ({ library }) => {
  const { breaker } = onClock(library, { failureThreshold: 1 })
  const permit = breaker.acquire()
  alike([permit.success(), permit.failure(boom), permit.ignore()], [true, false, false])
  same(breaker.state, 'closed')
})
check('a permit is disposable: left unsettled, it is ignored', async ({ library }) => {
  const { breaker } = await recovering(library)
  const permit = breaker.acquire()
  same(breaker.canExecute, false)
  permit[Symbol.dispose ?? Symbol.for('Symbol.dispose')]()
  same(breaker.canExecute, true)
  same(permit.success(), false)
})
check('acquire throws the refusal, tryAcquire gives nothing', async ({ library }) => {
  const { breaker } = onClock(library)
  await fail(breaker, 2)
  same((await caught(() => breaker.acquire())) instanceof library.CircuitOpenError, true)
  same(breaker.tryAcquire(), undefined)
})

// Whose abort it is.

check('what the caller aborts is no evidence', async ({ library }) => {
  const { breaker } = onClock(library, { failureThreshold: 1 })
  const caller = new AbortController()
  const call = breaker.execute(() => new Promise((_, reject) => caller.signal.addEventListener('abort', () => reject(caller.signal.reason))), { signal: caller.signal })
  caller.abort()
  same((await caught(() => call)).name, 'AbortError')
  same(breaker.state, 'closed')
})
check('a timeout is a failure, though the caller’s signal says so', async ({ library }) => {
  const { breaker } = onClock(library, { failureThreshold: 1 })
  const signal = AbortSignal.timeout(5)
  const call = breaker.execute(() => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))), { signal })
  // A timeout does not keep every runtime awake.
  await Promise.all([caught(() => call), wait(30)])
  same(signal.reason.name, 'TimeoutError')
  same(breaker.state, 'open')
})
check('a signal that is already aborted: its reason, and no call', async ({ library }) => {
  const { breaker } = onClock(library)
  let made = false
  same(await caught(() => breaker.execute(() => (made = true), { signal: AbortSignal.abort(boom) })), boom)
  same(made, false)
})

// Windows and slow calls.

check('a rate over the last calls', async ({ library }) => {
  const { breaker } = onClock(library, { failureThreshold: undefined, trip: library.failureRate({ rate: 0.5, window: { calls: 4 } }) })
  await succeed(breaker, 6)
  await fail(breaker)
  same(breaker.state, 'closed')
  await fail(breaker)
  same(breaker.state, 'open')
  same(breaker.snapshot().reason, 'failure-rate')
})
check('a rate over the last second, forgotten after a long silence', async ({ library }) => {
  const { breaker, clock } = onClock(library, { failureThreshold: undefined, trip: library.failureRate({ rate: 0.5, window: { ms: 1_000 }, minimumCalls: 4 }) })
  await fail(breaker, 3)
  clock.advance(2 ** 31)
  await fail(breaker, 3)
  same(breaker.state, 'closed')
  await fail(breaker)
  same(breaker.state, 'open')
})
check('the success that completes the evidence trips', async ({ library }) => {
  const { breaker } = onClock(library, { failureThreshold: undefined, trip: library.failureRate({ rate: 0.5, window: { calls: 10 }, minimumCalls: 4 }) })
  await fail(breaker, 2)
  await succeed(breaker)
  same(breaker.state, 'closed')
  await succeed(breaker)
  same(breaker.state, 'open')
})
check('two reasons at once make one event', async ({ library }) => {
  const trip = library.anyOf(library.consecutiveFailures(4), library.failureRate({ rate: 1, window: { calls: 4 } }))
  const { breaker } = onClock(library, { failureThreshold: undefined, trip })
  /** @type {string[]} */
  const reasons = []
  breaker.observe({ transition: (/** @type {any} */ event) => reasons.push(event.reason) })
  await fail(breaker, 4)
  alike(reasons, ['consecutive-failures+failure-rate'])
})
check('calls that hang are seen while they hang', async ({ library }) => {
  const { breaker, clock } = onClock(library, { slowCallDuration: 100 })
  void breaker.execute(never)
  void breaker.execute(never)
  clock.advance(100)
  same((await caught(() => breaker.execute(never))).reason, 'open')
})
check('a rate of slow calls has its own reason', async ({ library }) => {
  const trip = library.failureRate({ rate: 1, window: { calls: 4 }, minimumCalls: 2, slowCallRate: 1 })
  const { breaker, clock } = onClock(library, { failureThreshold: undefined, trip, slowCallDuration: 100 })
  for (let i = 0; i < 2; i++) {
    const permit = breaker.acquire()
    clock.advance(100)
    permit.success()
  }
  same(breaker.state, 'open')
  same(breaker.snapshot().reason, 'slow-call-rate')
})
check('a trip of one’s own', async ({ library }) => {
  const trip = {
    needsTime: false,
    fresh: () => 0,
    success: (/** @type {number} */ memory) => memory,
    failure: (/** @type {number} */ memory) => memory + 1,
    trips: (/** @type {number} */ memory) => (memory === 3 ? 'three in all' : undefined),
    counts: (/** @type {number} */ memory) => ({ failures: memory }),
  }
  const { breaker } = onClock(library, { failureThreshold: undefined, trip })
  await fail(breaker, 2)
  await succeed(breaker, 5)
  await fail(breaker)
  same(breaker.snapshot().reason, 'three in all')
})

// By hand.

check('forced open it refuses until reset', async ({ library }) => {
  const { breaker, clock } = onClock(library)
  breaker.forceOpen()
  clock.advance(1e9)
  same(breaker.state, 'forced-open')
  same((await caught(() => breaker.execute(rejects))).reason, 'forced-open')
  breaker.reset()
  same(breaker.state, 'closed')
})
check('disabled it lets everything through and judges nothing', async ({ library }) => {
  const { breaker } = onClock(library)
  breaker.disable()
  await fail(breaker, 10)
  same(breaker.state, 'disabled')
  same(breaker.canExecute, true)
})

// Telling.

check('transitions are told in order, each from where the last went', async ({ library }) => {
  const { breaker, clock } = onClock(library, { failureThreshold: 1 })
  /** @type {string[]} */
  const heard = []
  const end = breaker.observe({ transition: (/** @type {any} */ { from, to, reason }) => heard.push(`${from} > ${to}: ${reason}`) })
  await fail(breaker)
  clock.advance(1_000)
  await succeed(breaker)
  alike(heard, ['closed > open: consecutive-failures', 'open > half-open: timeout-over', 'half-open > closed: recovered'])
  end()
  await fail(breaker)
  same(heard.length, 3)
})
check('an event is a frozen copy, told when the state is final', async ({ library }) => {
  const { breaker } = onClock(library, { failureThreshold: 1, name: 'payments' })
  /** @type {any} */
  let seen
  breaker.observe({ transition: (/** @type {any} */ event) => (seen = { event, state: breaker.state }) })
  await fail(breaker)
  same(Object.isFrozen(seen.event), true)
  alike([seen.state, seen.event.name, seen.event.failures, seen.event.error === boom], ['open', 'payments', 1, true])
})
check('settlements and refusals are told, with durations if asked', async ({ library }) => {
  const { breaker, clock } = onClock(library, { failureThreshold: 1 })
  /** @type {any[]} */
  const heard = []
  breaker.observe({
    durations: true,
    settled: (/** @type {any} */ event) => heard.push([event.outcome, event.duration]),
    rejected: (/** @type {any} */ event) => heard.push([event.reason, event.retryAfterMs]),
  })
  const permit = breaker.acquire()
  clock.advance(25)
  permit.success()
  await fail(breaker)
  breaker.tryAcquire()
  alike(heard, [
    ['success', 25],
    ['failure', 0],
    ['open', 1_000],
  ])
})
check('a snapshot survives JSON', async ({ library }) => {
  const { breaker } = await recovering(library, { name: 'payments' })
  breaker.acquire()
  const snapshot = breaker.snapshot()
  alike(JSON.parse(JSON.stringify(snapshot)), snapshot)
  alike([snapshot.name, snapshot.state, snapshot.trips, snapshot.error.message, snapshot.phase.inFlight], ['payments', 'half-open', 1, 'boom', 1])
})
check('a listener or classifier that throws changes nothing, and is warned of', async ({ library }) => {
  const { breaker } = onClock(library, { failureThreshold: 1, classifyError: throws })
  breaker.observe({ settled: throws, transition: throws })
  const heard = await warnings(async () => same(await caught(() => breaker.execute(() => Promise.reject(new RangeError('mine')))).then((error) => error.message), 'mine'))
  same(breaker.state, 'open')
  same(heard.length > 0, true, 'whether there was a warning')
})

// Time.

check('the default clock: a breaker opens and recovers in real time, without a timer', async ({ library }) => {
  const breaker = new library.CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 30 })
  await fail(breaker)
  same(breaker.state, 'open')
  await wait(60)
  await succeed(breaker)
  same(breaker.state, 'closed')
})
check('time does not run backwards', async ({ library }) => {
  const { breaker, clock } = onClock(library)
  clock.advance(10_000)
  await fail(breaker, 2)
  clock.advance(-5_000)
  same(breaker.retryAfterMs <= 1_000, true)
  clock.advance(1_000)
  same(breaker.canExecute, true)
})
check('a clock that breaks gives its last good reading', async ({ library }) => {
  let reading = 1
  const { breaker } = onClock(library, { clock: { now: () => reading } })
  await fail(breaker, 2)
  for (reading of [NaN, Infinity, -Infinity]) same(breaker.retryAfterMs, 1_000)
})

// Options.

check('wrong options are named, with the rule and what was given', async ({ library }) => {
  const wrong = /** @type {[object, RegExp][]} */ ([
    [{ recoveryTimeout: NaN }, /recoveryTimeout.*NaN/],
    [{ failureThreshold: 0 }, /failureThreshold.*0/],
    [{ failureThreshold: 1.5 }, /failureThreshold.*1\.5/],
    [{ probeTimeout: 0 }, /probeTimeout.*0/],
    [{ classifyError: null }, /classifyError.*null/],
  ])
  for (const [options, message] of wrong) {
    const error = await caught(() => new library.CircuitBreaker(options))
    same(error instanceof TypeError || error instanceof RangeError, true)
    same(message.test(error.message), true, error.message)
  }
})
check('unknown options are errors that know what was meant', async ({ library }) => {
  for (const name of ['recoverytimeout', 'resetTimeout']) {
    const error = await caught(() => new library.CircuitBreaker({ [name]: 1 }))
    same(/recoveryTimeout/.test(error.message), true, error.message)
  }
})
check('contradictions are errors', async ({ library }) => {
  await caught(() => library.failureRate({ rate: 0.5, window: { calls: 5 }, minimumCalls: 6 }))
  await caught(() => new library.CircuitBreaker({ failureThreshold: 3, trip: library.consecutiveFailures(3) }))
  same(/0\.5/.test((await caught(() => library.failureRate({ rate: 50, window: { calls: 5 } }))).message), true, 'the hint')
})

// The registry.

check('a breaker per key, made on first use', async ({ library }) => {
  const upstreams = new library.BreakerRegistry({ failureThreshold: 1 })
  await caught(() => upstreams.execute('https://a.test', rejects))
  same(await upstreams.execute('https://b.test', () => 'fine'), 'fine')
  alike([upstreams.size, upstreams.get('https://a.test').state, upstreams.get('https://b.test').state, upstreams.get('c')], [2, 'open', 'closed', undefined])
  alike(
    [...upstreams.outages()].map(([key]) => key),
    ['https://a.test'],
  )
})
check('options per key', async ({ library }) => {
  const upstreams = new library.BreakerRegistry({
    failureThreshold: 5,
    configure: (/** @type {string} */ key) => (key === 'fragile' ? { failureThreshold: 1 } : undefined),
  })
  for (const key of ['fragile', 'other']) await caught(() => upstreams.execute(key, rejects))
  alike([upstreams.for('fragile').state, upstreams.for('other').state], ['open', 'closed'])
})
check('keys are opaque', ({ library }) => {
  const upstreams = new library.BreakerRegistry()
  const keys = ['__proto__', '', 'constructor', Symbol('key'), {}, NaN, 0]
  for (const key of keys) same(upstreams.for(key), upstreams.for(key))
  same(upstreams.size, keys.length)
})
check('a full registry forgets who knows nothing, and never an outage that waits', async ({ library }) => {
  const clock = new library.ManualClock()
  const upstreams = new library.BreakerRegistry({ maxSize: 3, failureThreshold: 1, clock })
  await caught(() => upstreams.execute('down', rejects))
  for (let i = 0; i < 100; i++) await upstreams.execute(`host ${i}`, () => 'fine')
  same(upstreams.size, 3)
  same(upstreams.get('down').state, 'open')
})
check('a function guarded by the key in its arguments', async ({ library }) => {
  const upstreams = new library.BreakerRegistry()
  const get = upstreams.wrap(
    (/** @type {string} */ url) => new URL(url).origin,
    async (/** @type {string} */ url) => url.length,
  )
  same(await get('https://a.test/path'), 19)
  alike(
    [...upstreams].map(([key]) => key),
    ['https://a.test'],
  )
})
check('an observer of a registry hears of all its breakers, by key', async ({ library }) => {
  const upstreams = new library.BreakerRegistry({ failureThreshold: 1 })
  /** @type {unknown[]} */
  const heard = []
  upstreams.observe({ transition: (/** @type {any} */ event) => heard.push(event.name) })
  for (const key of ['a', 'b']) await caught(() => upstreams.execute(key, rejects))
  alike(heard, ['a', 'b'])
})

// The adapter for fetch, and real sockets.

check('the fetch adapter counts a 500, and refuses with the main entry’s error', async ({ library, adapter }) => {
  const upstreams = new library.BreakerRegistry({ failureThreshold: 2 })
  const guarded = adapter.breakerFetch(upstreams, { fetch: async () => new Response('out of order', { status: 500 }) })
  for (let i = 0; i < 2; i++) same(await (await guarded('https://a.test/path')).text(), 'out of order')
  same((await caught(() => guarded('https://a.test/other'))) instanceof library.CircuitOpenError, true)
  same((await guarded('https://b.test/')).status, 500)
})
check('a host that answers is a success, by real fetch', async ({ library, server }) => {
  const upstreams = new library.BreakerRegistry({ failureThreshold: 1 })
  const text = await upstreams.execute(server, async () => (await fetch(`${server}/ok`)).text())
  same(text, 'hello')
  same(upstreams.get(server).state, 'closed')
})
check('a host where nobody listens is refused after so many tries', async ({ library, nobody }) => {
  const upstreams = new library.BreakerRegistry({ failureThreshold: 2 })
  for (let i = 0; i < 2; i++) same((await caught(() => upstreams.execute(nobody, () => fetch(`${nobody}/`)))) instanceof library.CircuitOpenError, false)
  same((await caught(() => upstreams.execute(nobody, () => fetch(`${nobody}/`)))) instanceof library.CircuitOpenError, true)
})
check('a body that is cut is a failure, if reading it is part of the call', async ({ library, server }) => {
  const breaker = new library.CircuitBreaker({ failureThreshold: 1 })
  await caught(() => breaker.execute(async () => (await fetch(`${server}/cut`)).text()))
  same(breaker.state, 'open')
})
check('a host that hangs: a timeout is a failure, giving up is not', async ({ library, server }) => {
  const breaker = new library.CircuitBreaker({ failureThreshold: 1 })
  const caller = new AbortController()
  const call = breaker.execute(() => fetch(`${server}/hang`, { signal: caller.signal }), { signal: caller.signal })
  setTimeout(() => caller.abort(), 20)
  await caught(() => call)
  same(breaker.state, 'closed')
  const signal = AbortSignal.timeout(50)
  await caught(() => breaker.execute(() => fetch(`${server}/hang`, { signal }), { signal }))
  same(breaker.state, 'open')
})
check('a host that hangs is seen before its caller’s timeout', async ({ library, server }) => {
  const breaker = new library.CircuitBreaker({ failureThreshold: 2, slowCallDuration: 50 })
  const caller = new AbortController()
  const calls = [1, 2].map(() => breaker.execute(() => fetch(`${server}/hang`, { signal: caller.signal }), { signal: caller.signal }))
  const settled = Promise.allSettled(calls)
  await wait(120)
  const refusal = await caught(() => breaker.execute(rejects))
  caller.abort()
  await settled
  same(refusal.reason, 'open')
})
