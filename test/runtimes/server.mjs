import { once } from 'node:events'
import { createServer } from 'node:http'
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript' }

/**
 * A real server for the checks: it answers, fails, hangs and cuts. It also serves the files of a folder, for the browser,
 * and takes the result that the browser sends.
 *
 * @param {string} folder
 */
export async function startServer(folder) {
  /** @type {(result: string) => void} */
  let give = () => undefined
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    const path = request.url ?? '/'
    if (path === '/hang') return
    if (path === '/ok') return response.end('hello')
    if (path === '/error') return response.writeHead(500).end('out of order')
    if (path === '/cut') {
      response.writeHead(200, { 'content-length': 1_000 })
      return response.write('half a b', () => response.destroy())
    }
    if (path === '/result') {
      let body = ''
      request
        .on('data', (chunk) => (body += chunk))
        .on('end', () => {
          response.end()
          give(body)
        })
      return
    }
    try {
      const file = readFileSync(join(folder, path.split('?', 1)[0]))
      response.setHeader('content-type', types[extname(path.split('?', 1)[0])] ?? 'text/plain').end(file)
    } catch {
      response.writeHead(404).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const deserted = createServer().listen(0, '127.0.0.1')
  await once(deserted, 'listening')
  const nobody = `http://127.0.0.1:${deserted.address().port}`
  deserted.close()
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    nobody,
    /** The next result that comes. @returns {Promise<string>} */
    result: () => new Promise((resolve) => (give = resolve)),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
