/** Bytes of an import once bundled, minified and compressed, as an application would ship it. */
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/**
 * @param {string} source what an application would write
 * @param {string} resolveDir where its imports are looked up
 * @returns {Promise<number>} bytes, after gzip at its best
 */
export async function gzippedBytes(source, resolveDir) {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    // What a platform brings along (an event emitter, say) is not counted: it only favours those who use it.
    platform: 'node',
    target: 'es2022',
    logLevel: 'error',
  })
  return gzipSync(outputFiles[0].contents, { level: 9 }).length
}
