/** Tables, and their place in the readmes: the project's, which a package registry cuts off after 64 KiB, and this folder's, which has room. */
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

const readmes = [new URL('../README.md', import.meta.url), new URL('README.md', import.meta.url)]

/** Puts `text` between the markers of `name`, in whichever readme has them. */
export function writeIntoReadme(name, text) {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  for (const readme of readmes) {
    const before = readFileSync(readme, 'utf8')
    const [from, to] = [before.indexOf(open), before.indexOf(close)]
    if (from < 0 || to < from) continue
    writeFileSync(readme, `${before.slice(0, from + open.length)}\n\n${text.trim()}\n\n${before.slice(to)}`)
    return
  }
  throw new Error(`No readme has a place for ${name} (${open})`)
}
