import ts from 'typescript'

/**
 * The laws that a file tests, by its own words: those cited in the titles of its tests and groups of tests and, if it is
 * no test file but something that tests are made of, in what it throws, demands or expects. Comments count for nothing,
 * and a range (laws 1 to 16) says of no law in particular that it is tested.
 */
export function lawsTestedBy(file: string, source: string): Set<number> {
  const isTest = /\.test(-d)?\.ts$/.test(file)
  const laws = new Set<number>()
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const called = nameOf(node.expression)
      const [title] = node.arguments
      if (/^(it|test|describe)$/.test(called) && !isTable(node.expression) && title !== undefined && runs(node.expression)) cite(title)
      if (!isTest && /^(demand|expect)$/.test(called)) node.arguments.forEach(cite)
    }
    if (!isTest && ts.isThrowStatement(node)) cite(node.expression)
    ts.forEachChild(node, visit)
  }
  const cite = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) {
      for (const law of lawsIn(node.text)) laws.add(law)
    } else if (!ts.isFunctionLike(node)) ts.forEachChild(node, cite)
  }
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest))
  return laws
}

/** What is called in `it(…)`, `it.each(…)(…)`, `describe.each(…)(…)` or `it.skipIf(…)(…)`: the first word. */
function nameOf(node: ts.Node): string {
  if (ts.isIdentifier(node)) return node.text
  return ts.isCallExpression(node) || ts.isPropertyAccessExpression(node) || ts.isTaggedTemplateExpression(node)
    ? nameOf(ts.isTaggedTemplateExpression(node) ? node.tag : node.expression)
    : ''
}

/** Is it run, and must it pass? Not if there is a `skip`, a `todo` or a `fails` among the words. */
function runs(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node) && /^(skip|todo|fails)$/.test(node.name.text)) return false
  return ts.isCallExpression(node) || ts.isPropertyAccessExpression(node) ? runs(node.expression) : true
}

/** In `it.each(rows)(…)` the rows are no title, nor is the condition in `it.skipIf(…)(…)`. */
function isTable(called: ts.Node): boolean {
  return ts.isPropertyAccessExpression(called) && /^(each|for|skipIf|runIf)$/.test(called.name.text)
}

/** The laws that a text cites: "law 5", "laws 1, 2 and 9"; not "laws 1 to 16". */
function lawsIn(text: string): number[] {
  return [...text.matchAll(/\blaws? (\d+(?:(?:, | and |, and | to )\d+)*)/gi)].flatMap(([, list = '']) => (list.replaceAll(/\d+ to \d+/g, '').match(/\d+/g) ?? []).map(Number))
}
