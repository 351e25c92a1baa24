/** The chart of what it costs: three rows of dots on logarithmic scales, to be read at a glance. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { rounded } from './report.mjs'

const WIDTH = 960
const LABEL = 150
const ROW = 24
const OURS = '#c2410c'
const OTHERS = '#64748b'

/** @param {string[]} ids */
export function writeChart(ids, { calls, heap }, file = new URL('charts/costs.svg', import.meta.url)) {
  const panels = [
    { title: 'A successful call adds, ns', values: ids.map((id) => [id, leanest(calls[id])]) },
    { title: 'A refused call costs, ns', values: ids.map((id) => [id, calls[id].refused.median]) },
    { title: 'A breaker at rest holds, bytes', values: ids.map((id) => [id, heap.find((row) => row.id === id).few.bytes]) },
  ]
  mkdirSync(new URL('.', file), { recursive: true })
  writeFileSync(file, draw(panels))
}

const leanest = (row) => (row.consecutive ?? row.count ?? row.time).median

function draw(panels) {
  const count = panels[0].values.length
  const height = 96 + count * ROW
  const parts = panels.map((panel, i) => drawPanel(panel, (WIDTH / panels.length) * i, WIDTH / panels.length, count))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="12" role="img" aria-label="${panels.map(describe).join('. ')}">
<rect width="${WIDTH}" height="${height}" rx="8" fill="#ffffff"/>
${parts.join('\n')}
<text x="16" y="${height - 12}" fill="#64748b" font-size="11">Logarithmic scales: each line is ten times the one before. Further left is better.</text>
</svg>
`
}

const describe = ({ title, values }) => `${title}: ${values.map(([id, value]) => `${id} ${rounded(value)}`).join(', ')}`

function drawPanel({ title, values }, left, width, count) {
  const sorted = [...values].sort((a, b) => a[1] - b[1])
  const from = Math.floor(Math.log10(Math.max(1, sorted[0][1])))
  const to = Math.ceil(Math.log10(sorted.at(-1)[1]))
  const begin = left + LABEL
  const span = width - LABEL - 56
  const x = (value) => begin + ((Math.log10(Math.max(1, value)) - from) / Math.max(1, to - from)) * span
  const bottom = 48 + count * ROW
  const grid = Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i)).map(
    (value) =>
      `<line x1="${x(value).toFixed(1)}" x2="${x(value).toFixed(1)}" y1="44" y2="${bottom}" stroke="#e2e8f0"/><text x="${x(value).toFixed(1)}" y="${bottom + 13}" fill="#94a3b8" font-size="10" text-anchor="middle">${short(value)}</text>`,
  )
  const rows = sorted.map(([id, value], i) => {
    const y = 60 + i * ROW
    const colour = id === 'lazybreaker' ? OURS : OTHERS
    const weight = id === 'lazybreaker' ? ' font-weight="700"' : ''
    return `<text x="${begin - 10}" y="${y + 4}" fill="${colour}" text-anchor="end"${weight}>${id}</text><line x1="${begin}" x2="${x(value).toFixed(1)}" y1="${y}" y2="${y}" stroke="${colour}" stroke-width="2" opacity="0.45"/><circle cx="${x(value).toFixed(1)}" cy="${y}" r="5" fill="${colour}"/><text x="${(x(value) + 10).toFixed(1)}" y="${y + 4}" fill="${colour}"${weight}>${rounded(value)}</text>`
  })
  return `<text x="${left + 16}" y="26" fill="#0f172a" font-size="14" font-weight="600">${title}</text>\n${grid.join('\n')}\n${rows.join('\n')}`
}

const short = (value) => (value >= 1e6 ? `${value / 1e6}M` : value >= 1_000 ? `${value / 1_000}k` : String(value))
