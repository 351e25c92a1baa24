import { figures, seconds, whole } from './table.mjs'

const width = 1_200
const left = 250
const plot = 700
const top = 128
/** How much time one bar stands for, in parts of the run. */
const bins = 80
const ribbon = 18
const barRoom = 46
const areaRoom = 84

/**
 * A page that shows the run: of each host its state over time, and what became of its calls, above those made without
 * a breaker. It needs nothing but itself.
 *
 * @param {import('./traffic.mjs').Story[]} stories
 * @param {number} duration in milliseconds
 */
export function picture(stories, duration) {
  const x = (/** @type {number} */ ms) => left + (Math.min(Math.max(ms, 0), duration) / duration) * plot
  const parts = []
  let y = top
  const bandTop = top - 10
  const most = Math.max(1, ...stories.flatMap((story) => (story.role.control ? [] : story.hanging.map(({ hanging }) => hanging))))
  const firstSilent = stories.find((story) => !story.role.control)
  for (const story of stories) {
    const height = ribbon + (story.role.control ? 8 + 2 * barRoom : 8 + areaRoom)
    if (story === firstSilent) {
      y += 22
      parts.push(divider(y))
    }
    parts.push(
      labels(story, y),
      outage(story, x, y, height, duration),
      states(story, x, y, duration),
      story.role.control ? bars(story, x, y + ribbon + 8, duration) : area(story, x, y + ribbon + 8, most),
      summary(story, y),
    )
    y += height + 34
  }
  const bottom = y - 18
  return page(`
<svg viewBox="0 0 ${width} ${bottom + 62}" role="img" aria-label="State and calls of ${stories.length} hosts over ${duration / 1_000} seconds">
  ${head(stories)}
  ${axis(x, duration, bandTop, bottom)}
  ${parts.join('\n  ')}
</svg>`)
}

/** @param {import('./traffic.mjs').Story[]} stories */
function head(stories) {
  const swatches = [
    ['ok', 'answered'],
    ['failed', 'failed'],
    ['refused', 'refused at once by the breaker'],
    ['hanging', 'left hanging'],
  ]
  const strips = [
    ['closed', 'closed'],
    ['open', 'open'],
    ['half-open', 'half-open: some calls may try'],
  ]
  let at = left
  const calls = swatches.map(([kind, text = '']) => {
    const mark = `<rect class="${kind}" x="${at}" y="76" width="12" height="12" rx="2"/><text x="${at + 18}" y="86">${text}</text>`
    at += 18 + text.length * 6.4 + 22
    return mark
  })
  at = left
  const states = strips.map(([kind, text = '']) => {
    const mark = `<rect class="state ${kind}" x="${at}" y="99" width="26" height="10" rx="2"/><text x="${at + 32}" y="108">${text}</text>`
    at += 32 + text.length * 6.4 + 22
    return mark
  })
  return `<text class="title" x="24" y="40">${stories.length} hosts, one registry, a breaker for each</text>
  <text class="muted" x="24" y="62">Twenty seconds of real HTTP. Each host has its own row, its calls are bars: above the line those made through the breaker, below it the same calls made without one.</text>
  <text class="muted" x="${left - 16}" y="86" text-anchor="end">a call</text>${calls.join('')}
  <text class="muted" x="${left - 16}" y="108" text-anchor="end">the breaker</text>${states.join('')}
  <rect class="outage" x="${at}" y="97" width="26" height="14"/><text x="${at + 32}" y="108">the host is out of order</text>`
}

/**
 * @param {(ms: number) => number} x
 * @param {number} duration
 * @param {number} from
 * @param {number} to
 */
function axis(x, duration, from, to) {
  const step = duration / 20
  const marks = Array.from({ length: 21 }, (_, i) => {
    const at = x(i * step).toFixed(1)
    const strong = i % 5 === 0
    return `<line class="grid${strong ? ' strong' : ''}" x1="${at}" x2="${at}" y1="${from + 6}" y2="${to}"/>${
      i % 2 === 0 ? `<text class="tick" x="${at}" y="${to + 18}" text-anchor="middle">${Number(((i * step) / 1_000).toFixed(2))}</text>` : ''
    }`
  })
  return `${marks.join('')}<text class="muted" x="${left + plot / 2}" y="${to + 40}" text-anchor="middle">seconds since the first call</text>`
}

/** @param {number} y */
const divider = (y) =>
  `<text class="muted" x="${left}" y="${y - 12}">Calls in flight, of 200 a second, to a host that accepts and never answers; the callers wait for 30 s</text>`

/**
 * @param {import('./traffic.mjs').Story} story
 * @param {number} y
 */
function labels({ role }, y) {
  const guard = role.guard.map((text, i) => `<text class="muted" x="24" y="${y + 50 + i * 16}">${escape(text)}</text>`)
  return `<text class="host" x="24" y="${y + 14}">${escape(role.name)}</text>
  <text x="24" y="${y + 32}">${escape(role.story)}</text>${guard.join('')}`
}

/**
 * @param {import('./traffic.mjs').Story} story
 * @param {(ms: number) => number} x
 * @param {number} y
 * @param {number} height
 * @param {number} duration
 */
function outage({ role, outages }, x, y, height, duration) {
  const from = role.fault === 'silent' ? role.from : outages.find((change) => !change.up)?.at
  if (from === undefined) return ''
  const to = outages.find((change) => change.up)?.at ?? duration
  return `<rect class="outage" x="${x(from).toFixed(1)}" y="${y - 4}" width="${(x(to) - x(from)).toFixed(1)}" height="${height + 8}"/>`
}

/**
 * The strip of states. A half-open moment is often a few milliseconds, so each is at least two units wide.
 *
 * @param {import('./traffic.mjs').Story} story
 * @param {(ms: number) => number} x
 * @param {number} y
 * @param {number} duration
 */
function states({ transitions }, x, y, duration) {
  const seen = transitions.filter(({ at }) => at < duration)
  const segments = [{ at: 0, to: 'closed', reason: 'new' }, ...seen].map((change, i) => ({
    state: change.to,
    reason: change.reason,
    from: change.at,
    until: seen[i]?.at ?? duration,
  }))
  // The short ones come last, so that nothing covers them.
  segments.sort((a, b) => Number(a.state === 'half-open') - Number(b.state === 'half-open'))
  return segments
    .map(({ state, reason, from, until }) => {
      const w = Math.max(x(until) - x(from), 2.5)
      const title = `<title>${state} from ${seconds(from)} to ${seconds(until)} (${escape(reason)})</title>`
      const text = w > state.length * 6 + 8 ? `<text class="label ${state}" x="${(x(from) + w / 2).toFixed(1)}" y="${y + 13}" text-anchor="middle">${state}</text>` : ''
      return `<g>${title}<rect class="state ${state}" x="${x(from).toFixed(1)}" y="${y}" width="${w.toFixed(1)}" height="${ribbon}"/>${text}</g>`
    })
    .join('')
}

/**
 * Calls per bar, stacked: through the breaker upwards, without one downwards.
 *
 * @param {import('./traffic.mjs').Story} story
 * @param {(ms: number) => number} x
 * @param {number} y
 * @param {number} duration
 */
function bars({ role, calls, control }, x, y, duration) {
  const bin = duration / bins
  const full = Math.ceil((role.rate * bin) / 1_000) + 1
  const unit = barRoom / full
  const middle = y + barRoom
  const w = plot / bins - 1.4
  const stack = (/** @type {import('./traffic.mjs').Call[]} */ list, /** @type {1 | -1} */ direction) => {
    const rects = []
    for (let i = 0; i < bins; i++) {
      const inBin = list.filter((call) => call.at >= i * bin && call.at < (i + 1) * bin)
      let filled = 0
      for (const outcome of ['ok', 'failed', 'hanging', 'refused']) {
        const n = Math.min(inBin.filter((call) => call.outcome === outcome).length, full - filled)
        if (n <= 0) continue
        const h = n * unit
        const at = direction === 1 ? middle - (filled + n) * unit : middle + filled * unit
        rects.push(
          `<rect class="${outcome}" x="${(x(i * bin) + 0.7).toFixed(1)}" y="${at.toFixed(1)}" width="${w.toFixed(1)}" height="${h.toFixed(1)}"><title>${n} ${outcome}</title></rect>`,
        )
        filled += n
      }
    }
    return rects.join('')
  }
  return `${stack(calls, 1)}<g class="control">${stack(control, -1)}</g>
  <line class="zero" x1="${left}" x2="${left + plot}" y1="${middle}" y2="${middle}"/>
  <text class="side" x="${left + plot + 8}" y="${middle - 6}">with breaker</text><text class="side" x="${left + plot + 8}" y="${middle + 14}">without</text>`
}

/**
 * Calls in flight over time.
 *
 * @param {import('./traffic.mjs').Story} story
 * @param {(ms: number) => number} x
 * @param {number} y
 * @param {number} most the top of the scale
 */
function area({ hanging }, x, y, most) {
  const base = y + areaRoom
  const height = (/** @type {number} */ n) => base - (n / most) * (areaRoom - 6)
  const line = hanging.map((sample) => `${x(sample.at).toFixed(1)},${height(sample.hanging).toFixed(1)}`).join(' L')
  const last = hanging.at(-1) ?? { at: 0, hanging: 0 }
  return `<path class="hanging area" d="M${left},${base} L${line} L${x(last.at).toFixed(1)},${base} Z"/><path class="hanging line" d="M${line}"/>
  <line class="zero" x1="${left}" x2="${left + plot}" y1="${base}" y2="${base}"/>
  <text class="side" x="${left + plot + 8}" y="${y + 10}">${whole(most)}</text><text class="side" x="${left + plot + 8}" y="${base + 4}">0</text>`
}

/**
 * @param {import('./traffic.mjs').Story} story
 * @param {number} y
 */
function summary(story, y) {
  const f = figures(story)
  const at = left + plot + 98
  if (!story.role.control) {
    const opened = f.toTrip === undefined ? ['stays closed:', 'no call has failed yet'] : ['opened after', seconds(f.toTrip)]
    return `<text class="figure" x="${at}" y="${y + 22}">${whole(f.hanging)}</text><text class="muted" x="${at}" y="${y + 40}">calls left hanging</text>
    <text x="${at}" y="${y + 62}">${opened[0]}</text><text x="${at}" y="${y + 79}">${opened[1]}</text>`
  }
  const times =
    f.toTrip === undefined
      ? ''
      : `<text x="${at}" y="${y + 72}">opened after ${seconds(f.toTrip)}</text><text x="${at}" y="${y + 89}">closed after ${seconds(f.toRecover)}</text>`
  return `<text class="figure" x="${at}" y="${y + 22}">${whole(f.failed)}<tspan class="muted" dx="6">failed of ${whole(f.calls)}</tspan></text>
  <text class="muted" x="${at}" y="${y + 42}">without: ${whole(f.failedWithout)} failed</text>${times}`
}

/** @param {string} text */
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** @param {string} svg */
const page = (svg) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>lazybreaker: the demo</title>
<style>
  :root {
    color-scheme: light dark;
    --paper: #fcfcfa; --ink: #1f2430; --muted: #6b7280; --grid: #ececea; --strong: #d9dad6; --outage: #fbeceb;
    --ok: #3a9d8f; --failed: #d64550; --refused: #c3c8d1; --hanging: #8a63b8;
    --closed: #d5ece7; --closed-ink: #1d6a5f; --open: #3b4252; --open-ink: #ffffff; --half-open: #f2b63c; --half-open-ink: #5c3f00;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --paper: #16181d; --ink: #e8e9ec; --muted: #9aa1ad; --grid: #22252c; --strong: #343943; --outage: #33211f;
      --ok: #4db6a6; --failed: #ef6a70; --refused: #4b515d; --hanging: #a98ad4;
      --closed: #1f443e; --closed-ink: #9fdccf; --open: #cfd5e1; --open-ink: #1f2430; --half-open: #e0a52f; --half-open-ink: #2e2000;
    }
  }
  body { margin: 0; background: var(--paper); }
  svg { display: block; max-width: 1280px; margin: 0 auto; font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
  text { fill: var(--ink); }
  .muted, .side, .tick, tspan.muted { fill: var(--muted); font-size: 12px; font-weight: 400; }
  .side { font-size: 11px; }
  .title { font-size: 22px; font-weight: 650; }
  .host { font-size: 15px; font-weight: 650; }
  .figure { font-size: 20px; font-weight: 650; }
  .grid { stroke: var(--grid); } .grid.strong { stroke: var(--strong); }
  .zero { stroke: var(--muted); stroke-width: 0.8; }
  .outage { fill: var(--outage); }
  .ok { fill: var(--ok); } .failed { fill: var(--failed); } .refused { fill: var(--refused); } .hanging { fill: var(--hanging); }
  .control { opacity: 0.62; }
  .hanging.area { opacity: 0.28; } .hanging.line { fill: none; stroke: var(--hanging); stroke-width: 2; }
  .state.closed { fill: var(--closed); } .state.open { fill: var(--open); } .state.half-open { fill: var(--half-open); }
  .label { font-size: 11px; } .label.closed { fill: var(--closed-ink); } .label.open { fill: var(--open-ink); } .label.half-open { fill: var(--half-open-ink); }
</style>
<body>${svg}
</body>
</html>
`
