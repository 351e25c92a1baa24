/**
 * The hosts of the demo, in a process of their own, forked by `demo.mjs`. Told `{ open: hosts }` it answers
 * `{ ports }`; told `{ start: true }` it plays each host's outage and says `{ host, up, at }` when one begins and ends.
 * It ends when its parent disconnects.
 */
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from './stable-port.mjs'

/** How long a healthy answer takes, in milliseconds. */
const ordinaryLatency = 8

/** @typedef {{ name: string, fault: 'none' | 'refuses' | 'hangs' | 'errors' | 'silent', outage?: [from: number, to: number] }} Host */

/** One host: a real server that knows whether its outage is on. */
class Stage {
  #up = true
  #port = 0
  #host
  /** How many requests of each audience came during the outage: every second one of each is answered 500. */
  #asked = new Map()
  #server = createServer((request, response) => void this.#answer(request, response))

  /** @param {Host} host */
  constructor(host) {
    this.#host = host
    // Only the client closes an idle connection: if both may, a request can meet one that is just being closed.
    this.#server.keepAliveTimeout = 0
  }

  async open() {
    this.#port = await listen(this.#server)
    return this.#port
  }

  /** Plays the outage; times count from now. */
  async play() {
    if (this.#host.outage === undefined) return
    const [from, to] = this.#host.outage
    await sleep(from)
    this.#up = false
    if (this.#host.fault === 'refuses') {
      this.#server.close()
      this.#server.closeAllConnections()
    }
    this.#tell()
    await sleep(to - from)
    if (this.#host.fault === 'refuses') await listen(this.#server, this.#port)
    this.#up = true
    this.#tell()
  }

  /** Says whether the outage is on, and since when. */
  #tell() {
    process.send?.({ host: this.#host.name, up: this.#up, at: performance.timeOrigin + performance.now() })
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  async #answer(request, response) {
    const { fault } = this.#host
    if (fault === 'silent' || (fault === 'hangs' && !this.#up)) return
    const status = fault === 'errors' && !this.#up ? this.#everySecond(request.url) : 200
    await sleep(ordinaryLatency)
    response.writeHead(status).end(status === 200 ? 'hello' : 'out of order')
  }

  /** @param {string | undefined} audience */
  #everySecond(audience) {
    const asked = (this.#asked.get(audience) ?? 0) + 1
    this.#asked.set(audience, asked)
    return asked % 2 === 1 ? 500 : 200
  }
}

/** @type {Stage[]} */
let stages = []

process.on('message', async (/** @type {{ open?: Host[], start?: true }} */ { open, start }) => {
  if (open) {
    stages = open.map((host) => new Stage(host))
    const ports = []
    for (const stage of stages) ports.push(await stage.open())
    process.send?.({ ports })
  }
  if (start) await Promise.all(stages.map((stage) => stage.play()))
})
// Requests that hang keep their sockets, so this process has to be told to end.
process.on('disconnect', () => process.exit())
