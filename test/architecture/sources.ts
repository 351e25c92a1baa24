import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A file by its path below the folder it was read from (`trip/any-of.ts`), parsed. */
export interface Source {
  readonly path: string
  readonly tree: ts.SourceFile
}

/** Parses a text as the file of that path. Comments are no part of the tree. */
export function parse(path: string, text: string): Source {
  const kind = /\.[cm]?js$/.test(path) ? ts.ScriptKind.JS : ts.ScriptKind.TS
  return { path, tree: ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true, kind) }
}

/** Every file below a folder of the project whose path matches. */
export function read(folder: string, matching: RegExp): Source[] {
  const base = join(root, folder)
  if (!existsSync(base)) return []
  return readdirSync(base, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => matching.test(path))
    .sort()
    .map((path) => parse(path, readFileSync(join(base, path), 'utf8')))
}

/** The same sources with the file of that path replaced or added: how the tests break a copy on purpose. */
export function withFile(sources: Source[], path: string, change: (text: string) => string): Source[] {
  const old = sources.find((source) => source.path === path)?.tree.text ?? ''
  const text = change(old)
  if (text === old) throw new Error(`the change changes nothing in ${path}`)
  return [...sources.filter((source) => source.path !== path), parse(path, text)]
}

/** Calls `visit` with each node of a file. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, (child) => {
    walk(child, visit)
  })
}

/** `outage.ts:12`, as a terminal can follow it. */
export function place({ path, tree }: Source, node: ts.Node): string {
  return `${path}:${String(tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1)}`
}
