const first = 20_000
const last = 32_000

/**
 * Listens on a loopback port that the server can leave and take again. Such a port lies below the range from which
 * systems number outgoing connections: one of those could otherwise take the port while the server is down.
 *
 * @param {import('node:net').Server} server
 * @param {number} [port] the port to take again; without it, the next free one
 * @returns {Promise<number>} the port it listens on
 */
export async function listen(server, port) {
  if (port !== undefined) return listenOn(server, port)
  for (let candidate = first + ((process.pid * 37) % (last - first)); ; candidate = candidate < last ? candidate + 1 : first) {
    try {
      return await listenOn(server, candidate)
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EADDRINUSE') throw error
    }
  }
}

/**
 * @param {import('node:net').Server} server
 * @param {number} port
 * @returns {Promise<number>}
 */
function listenOn(server, port) {
  return new Promise((resolve, reject) => {
    const settled = () => {
      server.removeListener('listening', onListening)
      server.removeListener('error', onError)
    }
    const onListening = () => {
      settled()
      resolve(port)
    }
    const onError = (/** @type {Error} */ error) => {
      settled()
      reject(error)
    }
    server.on('listening', onListening).on('error', onError)
    server.listen({ host: '127.0.0.1', port, backlog: 1_024 })
  })
}
