/** Tables, and their place in the readme. */
import { readFileSync, writeFileSync } from 'node:fs'

/** @param {string[]} head @param {string[][]} rows */
export function markdown(head, rows, align = head.map((_, i) => (i === 0 ? '---' : '---:'))) {
  return [head, align, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** A figure with as many digits as it deserves: three. */
export function rounded(value) {
  if (!Number.isFinite(value)) return String(value)
  if (value === 0 || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(3)))
}

/** @returns {boolean} whether the readme has the markers */
export function writeIntoReadme(name, text, readme = new URL('../README.md', import.meta.url)) {
  let before
  try {
    before = readFileSync(readme, 'utf8')
  } catch {
    return false
  }
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [from, to] = [before.indexOf(open), before.indexOf(close)]
  if (from < 0 || to < from) return false
  writeFileSync(readme, `${before.slice(0, from + open.length)}\n\n${text.trim()}\n\n${before.slice(to)}`)
  return true
}
