import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { does, groupOf, isDown } from './script.mjs'

const program = new URL('./host-process.mjs', import.meta.url)

/** The processes the hosts live in: starts them, tells them the time, kills them as the script has it. */
export class Hosts {
  #seed
  #story
  #folder
  /** @type {(import('node:child_process').ChildProcess | undefined)[]} */
  #processes = []
  /** @type {number[][]} */
  #ports = []

  /**
   * @param {string | number} seed
   * @param {import('./script.mjs').Script} story
   * @param {string} folder where the servers write their logs
   */
  constructor(seed, story, folder) {
    this.#seed = seed
    this.#story = story
    this.#folder = folder
  }

  async start() {
    // One after the other: each looks for free ports.
    for (let group = 0; group < this.#story.processes; group++) await this.#boot(group, 0)
  }

  /** @param {number} host */
  origin(host) {
    const { processes } = this.#story
    return `http://127.0.0.1:${this.#ports[groupOf(host, processes)]?.[Math.floor(host / processes)]}`
  }

  /** Brings every process into the state that the script has for this tick. @param {number} tick */
  async at(tick) {
    await Promise.all(
      Array.from({ length: this.#story.processes }, async (_, group) => {
        // Host `group` lives in process `group`, and a crash takes the whole process.
        const dead = this.#crashed(group, tick)
        const running = this.#processes[group]
        if (dead && running !== undefined) await this.#kill(group, running)
        else if (!dead && running === undefined) await this.#boot(group, tick)
        else if (running !== undefined && this.#changes(group, tick)) await this.#ask(running, { tick })
      }),
    )
  }

  /** Lets slow hosts give the answers that are due. @param {number} tick */
  release(tick) {
    for (const running of this.#processes) running?.send({ release: tick })
  }

  async stop() {
    await Promise.all(
      this.#processes.map(async (running) => {
        if (running === undefined) return
        const exited = once(running, 'exit')
        running.disconnect()
        await exited
      }),
    )
  }

  /** What the servers of one process wrote down. @param {number} group */
  log(group) {
    return readFileSync(this.#logFile(group), 'utf8')
  }

  /** @param {number} group */
  #logFile(group) {
    return join(this.#folder, `process-${group}.log`)
  }

  /**
   * @param {number} group
   * @param {number} tick
   */
  #crashed(group, tick) {
    const { processes, hosts, deeds } = this.#story
    // A host that stays dead says nothing about its process.
    for (let host = group; host < hosts; host += processes) if (deeds[host]?.[tick] === does.crash) return true
    return false
  }

  /**
   * Whether a host of this process goes down or comes back in this tick.
   *
   * @param {number} group
   * @param {number} tick
   */
  #changes(group, tick) {
    const { processes, hosts, deeds } = this.#story
    for (let host = group; host < hosts; host += processes) if (isDown(deeds[host]?.[tick]) !== isDown(deeds[host]?.[tick - 1])) return true
    return false
  }

  /**
   * @param {number} group
   * @param {number} tick
   */
  async #boot(group, tick) {
    const { hosts, ticks, processes } = this.#story
    const child = fork(program, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    const size = { hosts, ticks, processes }
    const { ports } = await this.#ask(child, {
      boot: { seed: this.#seed, size, group, log: this.#logFile(group), ports: this.#ports[group], tick },
    })
    this.#ports[group] = ports
    this.#processes[group] = child
  }

  /**
   * @param {number} group
   * @param {import('node:child_process').ChildProcess} child
   */
  async #kill(group, child) {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    this.#processes[group] = undefined
  }

  /**
   * @param {import('node:child_process').ChildProcess} child
   * @param {import('./host-process.mjs').Message} message
   * @returns {Promise<any>}
   */
  async #ask(child, message) {
    const died = new AbortController()
    const exit = once(child, 'exit', { signal: died.signal }).then(
      ([code]) => {
        throw new Error(`a process of hosts died by itself, with code ${code}`)
      },
      () => undefined,
    )
    const answered = once(child, 'message', { signal: died.signal })
    child.send(message)
    try {
      return (await Promise.race([answered, exit]))?.[0]
    } finally {
      died.abort()
      await Promise.allSettled([answered, exit])
    }
  }
}
