/**
 * Some of the hosts of a soak, in a process of their own that can be killed. It knows the script by the seed; a
 * request says to which tick it belongs, so what it meets does not depend on when it arrives. Every arrival and every
 * end of a request is written to the log before anything else happens, so a killed process has told all it saw.
 */
import { openSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '../demo/stable-port.mjs'
import { busyFor, does, groupOf, isDown, script, slowTicks } from './script.mjs'

/**
 * @typedef {{ boot: { seed: string | number, size: { hosts: number, ticks: number, processes: number }, group: number, log: string, ports?: number[], tick: number } }} Boot
 * @typedef {{ tick: number } | { release: number } | Boot} Message
 */

/** @type {import('./script.mjs').Script} */
let story
/** @type {number} */
let log
/** @type {{ host: number, port: number, server: import('node:http').Server, sockets: Set<import('node:net').Socket>, up: boolean }[]} */
const hosts = []
/** Answers of slow hosts, by the tick in which they are due. */
const held = new Map()
let released = 0

/** @param {Boot['boot']} boot */
async function boot({ seed, size, group, log: file, ports, tick }) {
  story = script(seed, size)
  log = openSync(file, 'a')
  writeSync(log, 'boot\n')
  released = tick
  for (let host = 0; host < size.hosts; host++) if (groupOf(host, size.processes) === group) await add(host, ports?.[hosts.length])
  await at(tick)
  process.send?.({ ports: hosts.map(({ port }) => port) })
}

/**
 * @param {number} host
 * @param {number} [known]
 */
async function add(host, known) {
  const sockets = new Set()
  const server = createServer((request, response) => answer(host, request, response))
  // Only the client closes an idle connection: if both may, a request can meet one that is just being closed.
  server.keepAliveTimeout = 0
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const port = await listenAgain(server, known)
  hosts.push({ host, port, server, sockets, up: true })
}

/**
 * The system may need a moment until the port of a killed process is free.
 *
 * @param {import('node:http').Server} server
 * @param {number} [port]
 */
async function listenAgain(server, port) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await listen(server, port)
    } catch (error) {
      if (attempt === 50) throw error
      await sleep(20)
    }
  }
}

/** Lets every host of this process listen, or not, as the script has it in this tick. @param {number} tick */
async function at(tick) {
  for (const host of hosts) {
    const up = !isDown(story.deeds[host.host]?.[tick])
    if (up === host.up) continue
    host.up = up
    if (up) await listenAgain(host.server, host.port)
    else {
      const closed = new Promise((resolve) => host.server.close(resolve))
      for (const socket of host.sockets) socket.destroy()
      await closed
    }
  }
}

/** Gives the answers that are due. @param {number} tick */
function release(tick) {
  released = tick
  for (const [due, answers] of held) {
    if (due > tick) continue
    held.delete(due)
    for (const give of answers) give()
  }
}

/**
 * @param {number} host
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
function answer(host, request, response) {
  const call = request.url?.slice(1)
  const tick = Number(request.headers['x-tick'])
  writeSync(log, `arrived ${call}\n`)
  let ended = false
  const end = () => {
    if (!ended) writeSync(log, `ended ${call}\n`)
    ended = true
  }
  response.on('close', end)
  const give = (/** @type {number} */ status) => {
    // Before the answer leaves: the next probe may come while this response is still being closed.
    end()
    response.writeHead(status, { 'content-type': 'text/plain' }).end('hello')
  }
  switch (story.deeds[host]?.[tick]) {
    case does.hang:
      return
    case does.slow: {
      const due = tick + slowTicks
      if (due <= released) return give(200)
      const others = held.get(due) ?? []
      held.set(due, [...others, () => give(200)])
      return
    }
    case does.cut:
      end()
      response.writeHead(200, { 'content-length': 1_000 })
      response.write('half a b', () => response.destroy())
      return
    case does.error:
      return give(500)
    case does.busy:
      response.setHeader('retry-after', busyFor / 1_000)
      return give(503)
    default:
      return give(200)
  }
}

process.on('message', async (/** @type {Message} */ message) => {
  if ('boot' in message) return boot(message.boot)
  if ('release' in message) return release(message.release)
  await at(message.tick)
  process.send?.({ tick: message.tick })
})
process.on('disconnect', () => process.exit())
