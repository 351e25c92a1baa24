import { fork } from 'node:child_process'
import { once } from 'node:events'

/**
 * Starts the hosts of the demo as real servers, in a process of their own.
 *
 * @param {import('./cast.mjs').Role[]} roles
 */
export async function openStage(roles) {
  const servers = fork(new URL('./servers.mjs', import.meta.url), { execArgv: [] })
  servers.send({ open: roles.map(({ name, fault, outage }) => ({ name, fault, outage })) })
  const [{ ports }] = await once(servers, 'message')
  return {
    origins: /** @type {string[]} */ (ports.map((/** @type {number} */ port) => `http://127.0.0.1:${port}`)),
    /**
     * Begins the outages, counted from now.
     *
     * @param {(message: { host: string, up: boolean, at: number }) => void} listener hears when one begins and when it ends
     */
    begin(listener) {
      servers.on('message', listener)
      servers.send({ start: true })
    },
    async close() {
      const exited = once(servers, 'exit')
      servers.disconnect()
      await exited
    },
  }
}
