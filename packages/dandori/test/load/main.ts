/** `npm run load [-- --clients 1000 --runs 200 --json]`: many who watch, many runs, and some who do not read. */

import { parseArgs } from 'node:util';
import { type Figures, manyClients, manyRuns, returning, slowClients } from './load.ts';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '200' },
    json: { type: 'boolean', default: false },
  },
});
const clients = Number(values.clients);
const watched = await manyClients(clients, 200);
const runs = await manyRuns(Number(values.runs), 20);
const back = await returning(100, Math.min(clients, 100), 200);
const slow = await slowClients(50, 20, 400);
const isGood =
  watched.wrong + runs.wrong + slow.wrong + slow.wrongAfterReturn === 0 &&
  back.isWhole &&
  slow.dropped >= slow.deaf;
if (values.json) console.log(JSON.stringify({ watched, runs, back, slow, isGood }));
else {
  console.log(`${watched.clients} clients on one run of ${watched.events} events`);
  tell(watched);
  console.log(`${runs.clients} runs at once, each with a client, ${runs.events} events`);
  tell(runs);
  console.log(
    `a client that came back ${back.connections} times: ${back.isWhole ? 'every event once' : 'WRONG'} (${back.events})`,
  );
  console.log(
    `${slow.deaf} clients that do not read, of ${slow.megabytes.toFixed(1)} MB: ${slow.dropped} let go, ${slow.wrongAfterReturn} wrong after they came back; of those that read ${slow.wrong} wrong`,
  );
}
process.exitCode = isGood ? 0 : 1;

function tell({ server, plain, unwatched, ms, wrong }: Figures): void {
  const own = unwatched === undefined ? undefined : server.cpu - unwatched.cpu;
  const lines = [
    `  ${ms.toFixed(0)} ms, ${wrong} wrong`,
    `  CPU     ${server.cpu.toFixed(0)} ms against ${plain.cpu.toFixed(0)} ms of a plain loop: ${(server.cpu / plain.cpu).toFixed(2)}×`,
    ...(own === undefined
      ? []
      : [
          `          without what the run itself takes: ${own.toFixed(0)} ms, ${(own / plain.cpu).toFixed(2)}×`,
        ]),
    `  memory  ${megabytes(server.memory)} against ${megabytes(plain.memory)}: ${(server.memory / plain.memory).toFixed(2)}×`,
  ];
  console.log(lines.join('\n'));
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
