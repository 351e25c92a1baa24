/**
 * The figures of one host, taken from what was recorded.
 *
 * @param {import('./traffic.mjs').Story} story
 */
export function figures({ role, calls, control, transitions, outages }) {
  const count = (/** @type {import('./traffic.mjs').Call[]} */ list, /** @type {string} */ outcome) => list.filter((call) => call.outcome === outcome).length
  const down = role.fault === 'silent' ? calls[0]?.at : outages.find((outage) => !outage.up)?.at
  const up = outages.find((outage) => outage.up)?.at
  const opened = transitions.find((transition) => transition.to === 'open' && transition.at >= (down ?? Infinity))?.at
  const closed = transitions.findLast((transition) => transition.to === 'closed')?.at
  return {
    calls: calls.length,
    ok: count(calls, 'ok'),
    failed: count(calls, 'failed'),
    refused: count(calls, 'refused'),
    hanging: count(calls, 'hanging'),
    /** Milliseconds from the beginning of the outage until the breaker opened. */
    toTrip: down === undefined || opened === undefined ? undefined : opened - down,
    /** Milliseconds from the end of the outage until the breaker was closed for good. */
    toRecover: up === undefined || closed === undefined || closed < up ? undefined : closed - up,
    failedWithout: role.control ? count(control, 'failed') : undefined,
  }
}

/** @param {number | undefined} ms */
export const seconds = (ms) => (ms === undefined ? '–' : `${(ms / 1_000).toFixed(2)} s`)

/** @param {number | undefined} n */
export const whole = (n) => (n === undefined ? '–' : n.toLocaleString('en-US'))

/**
 * Both tables of the run, as text.
 *
 * @param {import('./traffic.mjs').Story[]} stories
 */
export function tables(stories) {
  const ordinary = stories.filter((story) => story.role.fault !== 'silent')
  const silent = stories.filter((story) => story.role.fault === 'silent')
  return [
    align(
      [
        ['host', 'what it did', 'calls', 'ok', 'failed', 'refused', 'opened after', 'closed after', 'failed without breaker'],
        ...ordinary.map((story) => {
          const f = figures(story)
          return [
            story.role.name,
            story.role.story,
            whole(f.calls),
            whole(f.ok),
            whole(f.failed),
            whole(f.refused),
            seconds(f.toTrip),
            seconds(f.toRecover),
            whole(f.failedWithout),
          ]
        }),
      ],
      2,
    ),
    'opened after: from the beginning of the outage, as the server tells it; closed after: from its end.',
    'failed without breaker: really measured, by the same calls at the same moments to the same server, unguarded.',
    '',
    align(
      [
        ['a host that never answers', 'calls', 'refused', 'left hanging', 'opened after'],
        ...silent.map((story) => {
          const f = figures(story)
          const opened = f.toTrip === undefined ? 'not in this run' : `${seconds(f.toTrip)} (5th call + ${seconds(f.toTrip - sinceFirst(story, 5))})`
          return [story.role.guard[0] ?? '', whole(f.calls), whole(f.refused), whole(f.hanging + f.failed), opened]
        }),
      ],
      1,
    ),
    'Its callers wait for 30 s. Without slowCallDuration no call has failed before that, so its breaker would open at 30 s.',
  ].join('\n')
}

/**
 * When the nth call was made, in milliseconds after the first.
 *
 * @param {import('./traffic.mjs').Story} story
 * @param {number} n
 */
const sinceFirst = ({ calls }, n) => (calls[n - 1]?.at ?? 0) - (calls[0]?.at ?? 0)

/**
 * @param {string[][]} rows the first is the head
 * @param {number} words how many columns hold words; the others hold figures and are aligned to the right
 */
function align(rows, words) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (/** @type {string[]} */ row) =>
    row.map((cell, column) => (column < words ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')
  const [head = [], ...body] = rows
  return [line(head), widths.map((width) => '─'.repeat(width)).join('──'), ...body.map(line)].join('\n')
}
