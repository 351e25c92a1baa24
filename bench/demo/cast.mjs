/** How long the demo runs, in milliseconds, when nothing is scaled. */
export const duration = 20_000

/**
 * The hosts of the demo.
 *
 * @param {any} library what `lazybreaker` exports
 * @param {number} [scale] multiplies every time; a test plays the demo faster
 * @returns {import('./cast.mjs').Role[]}
 */
export function cast({ consecutiveFailures, failureRate, singleProbe, probes, gradual, exponentialBackoff }, scale = 1) {
  const ms = (/** @type {number} */ time) => time * scale
  const steady = { rate: 40 / scale, from: 0, patience: ms(2_000), control: true }
  const silent = { fault: 'silent', rate: 200 / scale, from: ms(4_000), patience: ms(30_000), control: false }
  return /** @type {import('./cast.mjs').Role[]} */ ([
    {
      ...steady,
      name: 'healthy',
      fault: 'none',
      story: 'always answers',
      guard: ['opens after 5 failures in a row', 'comes back by a single probe'],
      options: { trip: consecutiveFailures(5), recoveryTimeout: ms(1_000), recovery: singleProbe() },
    },
    {
      ...steady,
      name: 'refuses',
      fault: 'refuses',
      outage: [ms(4_000), ms(9_000)],
      story: 'refuses connections',
      guard: ['opens after 5 failures in a row', 'asks again after 1 s', 'comes back by a single probe'],
      options: { trip: consecutiveFailures(5), recoveryTimeout: ms(1_000), recovery: singleProbe() },
    },
    {
      ...steady,
      name: 'hangs',
      fault: 'hangs',
      outage: [ms(4_000), ms(10_000)],
      story: 'accepts and hangs',
      guard: ['opens after 5 failures in a row,', 'of which a call of 0.5 s is one', 'asks again after 1 s, 2 s, 2 s …', 'comes back by 2 of up to 3 probes'],
      options: {
        trip: consecutiveFailures(5),
        slowCallDuration: ms(500),
        recoveryTimeout: exponentialBackoff({ initial: ms(1_000), max: ms(2_000) }),
        recovery: probes({ maxConcurrent: 3, successThreshold: 2 }),
        probeTimeout: ms(1_000),
      },
    },
    {
      ...steady,
      name: 'errors',
      fault: 'errors',
      outage: [ms(4_000), ms(9_000)],
      story: 'answers 500 every second time',
      guard: ['opens at 40 % failures in 1 s', 'asks again after 1 s', 'back by a ramp of 10, 50, 100 %'],
      options: {
        trip: failureRate({ rate: 0.4, window: { ms: ms(1_000) }, minimumCalls: 20 }),
        recoveryTimeout: ms(1_000),
        recovery: gradual(),
      },
    },
    {
      ...silent,
      name: 'silent, watched',
      story: 'accepts and never answers',
      guard: ['slowCallDuration: 1_000', 'opens after 5 slow calls', 'asks again after 4 s'],
      options: { trip: consecutiveFailures(5), slowCallDuration: ms(1_000), recoveryTimeout: ms(4_000), recovery: singleProbe() },
    },
    {
      ...silent,
      name: 'silent',
      story: 'accepts and never answers',
      guard: ['no slowCallDuration', 'opens after 5 failures: at 30 s,', 'when its callers’ timeouts fire'],
      options: { trip: consecutiveFailures(5), recoveryTimeout: ms(4_000), recovery: singleProbe() },
    },
  ])
}
