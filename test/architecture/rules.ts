import { posix } from 'node:path'
import ts from 'typescript'
import { place, type Source, walk } from './sources.js'

/** What a rule found: where, what, and how to mend it. */
export type Violation = string

const timers = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'nextTick']
const clocks = ['Date', 'performance', 'hrtime']

/**
 * Timers and clocks are named nowhere but where `allowed` says so. Names count wherever they stand, also as a property or
 * as a string in brackets, so that no detour over `globalThis` gets by.
 */
export function noTimers(sources: Source[], allowed: Record<string, string[]>): Violation[] {
  const found: Violation[] = []
  for (const source of sources) {
    walk(source.tree, (node) => {
      if (!ts.isIdentifier(node) && !ts.isStringLiteralLike(node)) return
      if (allowed[source.path]?.includes(node.text)) return
      if (timers.includes(node.text)) {
        found.push(`${place(source, node)} names ${node.text}. A breaker never wakes up by itself: store the time, and compare it when somebody calls.`)
      } else if (clocks.includes(node.text)) {
        found.push(`${place(source, node)} names ${node.text}. Take the time from the plan's clock (src/clock.ts); hand it down as a number.`)
      }
    })
  }
  return found
}

/** The nearest function around a node, as people would call it. */
function functionAround(node: ts.Node): string {
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) {
    if (ts.isConstructorDeclaration(at)) return 'constructor'
    if ((ts.isMethodDeclaration(at) || ts.isFunctionDeclaration(at) || ts.isAccessor(at)) && at.name) return at.name.getText()
    if ((ts.isArrowFunction(at) || ts.isFunctionExpression(at)) && ts.isVariableDeclaration(at.parent)) return at.parent.name.getText()
  }
  return 'the top of the file'
}

const isAssignment = (kind: ts.SyntaxKind): boolean => kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment

/** Each place where a property of one of these names is written (declarations aside), and the function it is in. */
export function assignments(sources: Source[], names: string[]): { at: string; name: string; path: string; within: string }[] {
  const found: { at: string; name: string; path: string; within: string }[] = []
  const note = (source: Source, target: ts.Node): void => {
    if (!ts.isPropertyAccessExpression(target) || !names.includes(target.name.text)) return
    found.push({ at: place(source, target), name: target.name.text, path: source.path, within: functionAround(target) })
  }
  for (const source of sources) {
    walk(source.tree, (node) => {
      if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) note(source, node.left)
      if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
        if (node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken) note(source, node.operand)
      }
    })
  }
  return found
}

/** The given fields are written in one function, the one named, and in the constructor. */
export function oneWriter(sources: Source[], path: string, writer: string, fields: string[]): Violation[] {
  const writes = assignments(sources, fields).filter(({ within }) => within !== 'constructor')
  const strays = writes.filter((write) => write.path !== path || write.within !== writer)
  const found = strays.map(
    ({ at, name, within }) =>
      `${at} writes ${name} in ${within}. State changes in one place: go through ${writer}() of ${path}, which also moves the epoch and tells the listeners last.`,
  )
  for (const field of fields) {
    if (!writes.some(({ name }) => name === field)) found.push(`${path} writes ${field} nowhere: the field was renamed; tell this rule its new name.`)
  }
  return found
}

/** Each import or export of another file: its specifier and where it leads. */
export function imports(source: Source): { at: string; specifier: string; target: string }[] {
  const found: { at: string; specifier: string; target: string }[] = []
  walk(source.tree, (node) => {
    let specifier: ts.Node | undefined
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) specifier = node.moduleSpecifier
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) specifier = node.arguments[0]
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) specifier = node.argument.literal
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return
    const target = posix.normalize(posix.join(posix.dirname(source.path), specifier.text)).replace(/\.js$/, '.ts')
    found.push({ at: place(source, node), specifier: specifier.text, target })
  })
  return found
}

/**
 * Imports point one way: a file imports only from files of an earlier layer or of its own, types included, and files of
 * one layer do not import each other in a circle. Of an adapter's files there are two kinds: the subpaths, and what these
 * share; either kind imports the index, and of its own folder what is shared. Nothing imports a package.
 */
export function oneWay(sources: Source[], layers: string[][], subpaths: string[]): Violation[] {
  const hangsOff = (target: string): boolean => target === 'index.ts' || (posix.dirname(target) === 'adapters' && !subpaths.includes(target))
  const rank = (path: string): number => layers.findIndex((layer) => layer.some((entry) => (entry.endsWith('/') ? path.startsWith(entry) : path === entry)))
  const arrow = layers.map((layer) => layer.map((entry) => entry.replace(/\.ts$/, '')).join(', ')).join(' ← ')
  const found: Violation[] = []
  for (const source of sources) {
    const own = rank(source.path)
    if (own < 0) {
      found.push(`${source.path} stands in no layer. Give it its place in the arrow of test/architecture.test.ts: ${arrow}`)
      continue
    }
    for (const { at, specifier, target } of imports(source)) {
      if (!specifier.startsWith('.')) {
        found.push(`${at} imports ${specifier}. The library depends on nothing: declare what it needs structurally, or take it as an option.`)
      } else if (source.path.startsWith('adapters/') && !hangsOff(target)) {
        found.push(
          `${at} imports ${specifier}. An adapter hangs off the core: it imports ../index.js, and files beside it that are no subpaths. Move what both need to such a file.`,
        )
      } else if (rank(target) > own) {
        found.push(`${at} imports ${specifier}, against the arrow ${arrow}. Move what both need to the earlier file, or hand it in.`)
      }
    }
  }
  return found.concat(circles(sources))
}

/** Circles of imports, each named once by its files in order. */
function circles(sources: Source[]): Violation[] {
  const edges = new Map(sources.map((source) => [source.path, imports(source).map(({ target }) => target)]))
  const found: Violation[] = []
  const done = new Set<string>()
  const follow = (path: string, trail: string[]): void => {
    if (trail.includes(path)) {
      found.push(`${[...trail.slice(trail.indexOf(path)), path].join(' → ')} is a circle. Move what both need to a file of its own.`)
      return
    }
    if (done.has(path)) return
    for (const target of edges.get(path) ?? []) follow(target, [...trail, path])
    done.add(path)
  }
  for (const path of edges.keys()) follow(path, [])
  return found
}

/** The names of all private fields and methods declared in these files. */
export function privateNames(sources: Source[]): Set<string> {
  const names = new Set<string>()
  for (const source of sources) {
    walk(source.tree, (node) => {
      if (ts.isPrivateIdentifier(node)) names.add(node.text)
    })
  }
  return names
}

/** Private fields are still private fields in what was built. */
export function keepsPrivateFields(sources: Source[], built: Source[]): Violation[] {
  const there = privateNames(built)
  const found = [...privateNames(sources)]
    .filter((name) => !there.has(name))
    .map((name) => `dist has no ${name}: it was compiled away, which makes the closed path tens of times slower. Keep target: 'es2022' in tsup.config.ts, and build.`)
  for (const source of built) {
    walk(source.tree, (node) => {
      if (ts.isIdentifier(node) && /^__(private|accessCheck|classPrivate)/.test(node.text)) {
        found.push(`dist/${place(source, node)} uses ${node.text}: private fields were compiled to WeakMaps. Keep target: 'es2022' in tsup.config.ts.`)
      }
    })
  }
  return found
}

/** The classes of these files that extend an error, by the name they are bound to, once for each time they are there. */
export function errorClasses(sources: Source[]): string[] {
  const names: string[] = []
  for (const source of sources) {
    walk(source.tree, (node) => {
      if (!ts.isClassLike(node)) return
      const base = node.heritageClauses?.find((clause) => clause.token === ts.SyntaxKind.ExtendsKeyword)?.types[0]?.expression
      if (base?.getText(source.tree).endsWith('Error') !== true) return
      const bound = ts.isVariableDeclaration(node.parent) ? node.parent.name.getText(source.tree) : node.name?.text
      names.push(bound ?? '(unnamed)')
    })
  }
  return names.sort()
}

/** Each error class of the sources is built once for this format. */
export function oneErrorClass(sources: Source[], built: Source[]): Violation[] {
  const copies = errorClasses(built)
  return errorClasses(sources).flatMap((name) => {
    const count = copies.filter((copy) => copy === name).length
    return count === 1
      ? []
      : [`dist has ${String(count)} copies of ${name} in one format, so that instanceof fails across subpaths. Keep splitting: true in tsup.config.ts, and build.`]
  })
}
