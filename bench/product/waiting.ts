import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Row } from '../row.ts';
import { dandori } from './contenders.ts';

const RUNS = 300;

/** The heap that a run takes while it waits for the first word of the model. */
export async function waiting(): Promise<Row[]> {
  if (globalThis.gc === undefined) return [];
  const { gc } = globalThis;
  let asked = 0;
  const server = createServer((request) => {
    request.resume();
    request.on('end', () => asked++);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', 4096, resolve));
  const { port } = server.address() as AddressInfo;
  const one = await dandori('waiting', port);
  const heap = async (runs: number) => {
    const until = asked + runs;
    for (let index = 0; index < runs; index++) void one.run(`goal ${index}`).catch(() => {});
    while (asked < until) await new Promise((resolve) => setTimeout(resolve, 20));
    gc();
    gc();
    return process.memoryUsage().heapUsed;
  };
  const before = await heap(50);
  const after = await heap(RUNS);
  server.closeAllConnections();
  server.close();
  await one.close?.();
  return [
    {
      what: 'heap of a run that waits for the model',
      figure: `${((after - before) / RUNS / 1024).toFixed(0)} kB`,
      aim: '≤ 40',
      note: 'with both ends of its connection',
    },
  ];
}
