/**
 * What the interceptor costs: requests per second over kept-alive connections on loopback, with and without it, as many as one process can
 * make. The server has a process of its own. `node bench/undici-cost.mjs`, after `npm run build`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BreakerRegistry, dist } from './library.mjs';
import { inChild, spread, takeTurns } from './measure.mjs';
import { markdown, rounded, writeIntoReadme } from './report.mjs';

const CONNECTIONS = 64;
const BUDGET = 1.05;

/** undici 8 is installed where it does not hinder a Node that is too old for it. */
const clients = {
  'undici 6': 'undici6',
  'undici 7': 'undici7',
  'undici 8': fileURLToPath(new URL('../test/consumers/node_modules/undici8', import.meta.url)),
};

/** Sends `times` requests, as many at once as there are connections, and reads what comes. */
function load(dispatcher, origin) {
  const options = { origin, path: '/', method: 'GET' };
  return async (times) => {
    let left = times;
    const send = async () => {
      while (left-- > 0) {
        const { body } = await dispatcher.request(options);
        for await (const chunk of body) void chunk;
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, send));
  };
}

export async function measure({ client, origin, rounds }) {
  const { Agent } = createRequire(import.meta.url)(client);
  const { breakerInterceptor } = await import(new URL('undici.js', dist));
  const agent = () => new Agent({ connections: CONNECTIONS });
  const loops = {
    bare: load(agent(), origin),
    guarded: load(agent().compose(breakerInterceptor(new BreakerRegistry())), origin),
    // What composing costs before anybody does anything.
    empty: load(agent().compose((dispatch) => (options, handler) => dispatch(options, handler)), origin),
  };
  return takeTurns(loops, { rounds, turnMs: 100, warmMs: 1_500 });
}

async function serve() {
  const server = http.createServer((_request, response) => response.end('{"ok":true}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send(server.address().port);
}

async function main() {
  const server = fork(fileURLToPath(import.meta.url), ['serve']);
  const [port] = await once(server, 'message');
  const rows = [];
  try {
    for (const [name, client] of Object.entries(clients)) {
      if (client.startsWith('/') && (!existsSync(client) || Number(process.versions.node.split('.')[0]) < 22)) {
        console.error(`${name}: needs Node 22 and \`npm run consumers\``);
        continue;
      }
      // Two processes, so that one's luck with the compiler does not decide.
      const rounds = { bare: [], guarded: [], empty: [] };
      for (let process = 0; process < 2; process++) {
        const took = await inChild(import.meta.url, 'measure', { client, origin: `http://127.0.0.1:${port}`, rounds: 40 });
        for (const loop of Object.keys(rounds)) rounds[loop].push(...took[loop]);
      }
      // A request is a round of the event loop in two processes: neighbours in time are compared, and the median counts.
      const against = (loop) => spread(rounds[loop].map((time, round) => time / rounds.bare[round])).median;
      const perSecond = (loop) => rounded(Math.round(1e9 / spread(rounds[loop]).median));
      const ratio = against('guarded');
      rows.push([name, perSecond('bare'), perSecond('guarded'), ratio.toFixed(3), against('empty').toFixed(3), ratio <= BUDGET ? 'kept' : 'MISSED']);
    }
  } finally {
    server.kill();
  }
  const head = ['client', 'requests/s, bare', 'guarded', 'time per request, guarded to bare', 'an interceptor that does nothing', `at most ${BUDGET}`];
  const table = markdown(head, rows);
  console.log(table);
  writeIntoReadme('bench:undici', `Node ${process.versions.node}, ${CONNECTIONS} kept-alive connections; \`node bench/undici-cost.mjs\`.\n\n${table}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await (process.argv[2] === 'serve' ? serve() : main());
