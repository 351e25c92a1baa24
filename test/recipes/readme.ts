import { readFileSync } from 'node:fs'

/** A recipe as the README shows it: the file itself, importing the package where the file imports its source. */
export function recipe(name: string): string {
  const code = readFileSync(new URL(`${name}.ts`, import.meta.url), 'utf8')
  return code.replaceAll("'../../src/index.js'", "'lazybreaker'").replaceAll(/'\.\.\/\.\.\/src\/adapters\/(\w+)\.js'/g, "'lazybreaker/$1'")
}
