/**
 * One outage under three trips, as a picture for the readme: `npm run bench:trips`. Nothing is measured here: the run is on the manual clock,
 * so it is the same each time.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { CircuitBreaker, consecutiveFailures, failureRate, ManualClock, probes } from './library.mjs'

const END = 60_000
const EVERY = 50
const ANSWER = 50
const GIVES_UP = 10_000
/** The host: from when on, which of five calls in a row it leaves hanging. */
const HOST = [
  { from: 0, hanging: 0, says: 'well' },
  { from: 10_000, hanging: 4, says: '4 of 5 calls hang' },
  { from: 25_000, hanging: 5, says: 'all calls hang' },
  { from: 40_000, hanging: 0, says: 'well again' },
]
const OUTAGE = [HOST[1].from, HOST[3].from]

const window = { ms: 5_000 }
const shared = { recoveryTimeout: 5_000, recovery: probes({ maxConcurrent: 3, successThreshold: 3 }) }
const trips = [
  { code: ['consecutiveFailures(5)'], options: { trip: consecutiveFailures(5) } },
  { code: ['failureRate({', '  rate: 0.5, window: { ms: 5_000 } })'], options: { trip: failureRate({ rate: 0.5, window }) } },
  {
    code: ['failureRate({ …, slowCallRate: 0.5 })', 'slowCallDuration: 1_000'],
    options: { trip: failureRate({ rate: 0.5, window, slowCallRate: 0.5 }), slowCallDuration: 1_000 },
  },
]

/** What became of every call, and of the breaker. */
function run({ code, options }) {
  const clock = new ManualClock()
  const breaker = new CircuitBreaker({ ...shared, ...options, clock })
  const changes = [{ at: 0, to: 'closed' }]
  breaker.observe({ transition: ({ at, to }) => void changes.push({ at, to }) })
  const inFlight = []
  const load = []
  let [hung, refused] = [0, 0]
  const hangs = (n, now) => n % 5 < HOST.findLast(({ from }) => now >= from).hanging
  const timeout = new Error('the caller gave up')
  for (let now = 0; now <= END; now += 10) {
    clock.advance(now - clock.now())
    for (const call of inFlight.filter(({ due }) => due <= now)) {
      inFlight.splice(inFlight.indexOf(call), 1)
      if (!call.isHanging) call.permit.success()
      else {
        hung++
        call.permit.failure(timeout)
      }
    }
    if (now % EVERY === 0 && now < END) {
      const permit = breaker.tryAcquire()
      const isHanging = hangs(now / EVERY, now)
      if (permit === undefined) refused++
      else inFlight.push({ permit, isHanging, due: now + (isHanging ? GIVES_UP : ANSWER) })
    }
    if (now % 250 === 0) load.push({ at: now, waiting: inFlight.filter(({ isHanging }) => isHanging).length })
  }
  return { code, changes, load, hung, refused }
}

const WIDTH = 1_040
const LEFT = 296
const PLOT = 520
const RIGHT = LEFT + PLOT + 28
const TOP = 136
const ROW = 128
const BAND = 22
const AREA = 44
const COLOUR = { closed: '#2da44e', open: '#cf222e', 'half-open': '#d4a72c' }
const INK = '#1f2328'
const SOFT = '#59636e'

const x = (ms) => LEFT + (ms / END) * PLOT
const px = (value) => Number(value.toFixed(1))
const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`
const text = (at, y, says, rest = '') => `<text x="${px(at)}" y="${px(y)}"${rest === '' ? '' : ` ${rest}`}>${says}</text>`

function draw(stories) {
  const bottom = TOP + stories.length * ROW - 18
  const height = bottom + 84
  const most = Math.max(...stories.flatMap(({ load }) => load.map(({ waiting }) => waiting)))
  const hungMost = Math.max(...stories.map(({ hung }) => hung))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="12.5" fill="${INK}" role="img" aria-label="${described(stories)}">
<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10" fill="#ffffff" stroke="#d1d9e0"/>
${text(28, 38, 'The same outage under three trips', 'font-size="19" font-weight="650"')}
${text(28, 60, `20 calls a second, answered in ${ANSWER} ms while the host is well; a caller gives up after ${GIVES_UP / 1_000} s. Each breaker stays open for 5 s, then lets three probes through.`, `fill="${SOFT}"`)}
${outage(bottom)}
${axis(bottom)}
${stories.map((story, i) => row(story, TOP + i * ROW, most, hungMost)).join('\n')}
${legend(height - 26)}
</svg>
`
}

/** The host, and its outage behind all rows. */
function outage(bottom) {
  const y = TOP - 46
  const spans = HOST.map(({ from, hanging, says }, i) => ({ from, to: HOST[i + 1]?.from ?? END, hanging, says }))
  const shade = { 4: '#fff1e5', 5: '#ffdfd0' }
  return [
    text(28, y + 12, 'the host', `font-weight="600"`),
    ...spans.flatMap(({ from, to, hanging, says }) => {
      const middle = px((x(from) + x(to)) / 2)
      const back = hanging === 0 ? '' : `<rect x="${px(x(from))}" y="${y - 4}" width="${px(x(to) - x(from))}" height="${bottom - y + 4}" fill="${shade[hanging]}"/>`
      return [
        back,
        text(middle, y + 12, says, `text-anchor="middle" font-size="11.5" fill="${hanging === 0 ? SOFT : '#953800'}"${hanging === 0 ? '' : ' font-weight="600"'}`),
      ]
    }),
    text(RIGHT, y + 12, 'calls left hanging', 'font-weight="600"'),
  ].join('\n')
}

function axis(bottom) {
  const ticks = Array.from({ length: END / 10_000 + 1 }, (_, i) => i * 10_000)
  return [
    ...ticks.map(
      (at) =>
        `<line x1="${px(x(at))}" x2="${px(x(at))}" y1="${TOP - 24}" y2="${bottom}" stroke="#1f2328" stroke-opacity="0.08"/>${text(x(at), bottom + 17, String(at / 1_000), `text-anchor="middle" font-size="11.5" fill="${SOFT}"`)}`,
    ),
    text(LEFT - 14, bottom + 17, 'seconds', `text-anchor="end" font-size="11.5" fill="${SOFT}"`),
  ].join('\n')
}

function row({ code, changes, load, hung, refused }, y, most, hungMost) {
  const spans = changes.map(({ at, to }, i) => ({ from: at, to: changes[i + 1]?.at ?? END, state: to }))
  const opened = changes.find(({ to }) => to === 'open').at
  const closed = changes.findLast(({ to }) => to === 'closed').at
  const base = y + BAND + 4 + AREA
  const height = (waiting) => base - (waiting / most) * AREA
  const peak = Math.max(...load.map(({ waiting }) => waiting))
  const outline = load.map(({ at, waiting }) => `${px(x(at))},${px(height(waiting))}`).join(' ')
  const bar = (hung / hungMost) * 150
  return [
    ...code.map((line, i) =>
      text(
        28,
        y + 16 + i * 17,
        line,
        `font-family="ui-monospace, SFMono-Regular, Menlo, 'DejaVu Sans Mono', monospace" font-size="11" xml:space="preserve"${i === 0 ? ' font-weight="600"' : ''}`,
      ),
    ),
    text(28, y + 22 + code.length * 17, `opens ${seconds(opened - OUTAGE[0])} after it begins`, `fill="${SOFT}" font-size="11.5"`),
    `<g>${spans.map(({ from, to, state }) => `<rect x="${px(x(from))}" y="${y}" width="${px(x(to) - x(from))}" height="${BAND}" fill="${COLOUR[state]}"/>`).join('')}</g>`,
    marker(opened, y, `opened at ${seconds(opened)}`, COLOUR.open, 'end'),
    marker(closed, y, `closed at ${seconds(closed)}`, '#1a7f37', 'start'),
    `<polygon points="${px(x(0))},${base} ${outline} ${px(x(END))},${base}" fill="#57606a" fill-opacity="0.28"/><polyline points="${outline}" fill="none" stroke="#57606a" stroke-width="1.2"/>`,
    text(x(OUTAGE[1]) + 12, base - 9, `up to ${peak} hang at once`, `font-size="11" fill="${SOFT}"`),
    `<line x1="${LEFT}" x2="${LEFT + PLOT}" y1="${base}" y2="${base}" stroke="#57606a" stroke-opacity="0.45"/>`,
    text(RIGHT, y + 18, String(hung), 'font-size="22" font-weight="650"'),
    `<rect x="${RIGHT}" y="${y + 28}" width="150" height="8" rx="4" fill="#eaeef2"/><rect x="${RIGHT}" y="${y + 28}" width="${px(bar)}" height="8" rx="4" fill="#57606a"/>`,
    text(RIGHT, y + 56, `for 10 s each; ${refused} refused`, `fill="${SOFT}" font-size="11.5"`),
    text(RIGHT, y + 71, 'at once instead', `fill="${SOFT}" font-size="11.5"`),
  ].join('\n')
}

/** A small triangle above the band, pointing at the moment. */
function marker(at, y, says, colour, anchor) {
  const [tip, side] = [px(x(at)), anchor === 'end' ? -8 : 8]
  return `<path d="M${tip} ${y - 1} l-5 -8 h10 z" fill="${colour}"/>${text(tip + side, y - 3, says, `font-size="11.5" font-weight="600" fill="${colour}" text-anchor="${anchor}"`)}`
}

function legend(y) {
  let at = LEFT
  const entries = [
    ['closed', COLOUR.closed],
    ['open: calls are refused at once', COLOUR.open],
    ['half-open: probes', COLOUR['half-open']],
    ['calls hanging', '#57606a'],
  ]
  return entries
    .map(([says, colour]) => {
      const mark = `<rect x="${px(at)}" y="${y - 9}" width="14" height="10" rx="2" fill="${colour}"${colour === '#57606a' ? ' fill-opacity="0.45"' : ''}/>${text(at + 20, y, says, `font-size="11.5" fill="${SOFT}"`)}`
      at += 20 + says.length * 6.1 + 16
      return mark
    })
    .join('')
}

const described = (stories) =>
  `An outage of ${(OUTAGE[1] - OUTAGE[0]) / 1_000} seconds. ${stories
    .map(
      ({ code, changes, hung }) =>
        `${code.map((line) => line.trim()).join(' ')} opens ${seconds(changes.find(({ to }) => to === 'open').at - OUTAGE[0])} after it begins; ${hung} calls are left hanging`,
    )
    .join('. ')}.`.replaceAll('"', '&quot;')

const file = new URL('charts/trips.svg', import.meta.url)
const stories = trips.map(run)
mkdirSync(new URL('.', file), { recursive: true })
writeFileSync(file, draw(stories))
for (const { code, changes, hung, refused } of stories) {
  const moments = changes.slice(1).map(({ at, to }) => `${to} ${seconds(at)}`)
  console.log(`${code.map((line) => line.trim()).join(' ')}: ${hung} calls left hanging, ${refused} refused; ${moments.join(', ')}`)
}
console.log('written: bench/charts/trips.svg')
