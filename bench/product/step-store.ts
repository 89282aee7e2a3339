import { fdatasync, openSync, writeSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';

/**
 * Stores steps for loops in other processes, and confirms each when it is synced. Steps that arrive during a sync share
 * the next one. A server of durable executions does at least this. Started as a process of its own; sends its port.
 */
const [folder = '.'] = process.argv.slice(2);
const file = openSync(join(folder, 'steps.jsonl'), 'a');
let written: ServerResponse[] = [];
let isSyncing = false;

function sync(): void {
  const confirmed = written;
  written = [];
  isSyncing = confirmed.length > 0;
  if (!isSyncing) return;
  fdatasync(file, (error) => {
    if (error !== null) throw error;
    for (const response of confirmed) response.end('{}');
    sync();
  });
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    writeSync(file, Buffer.concat([...chunks, Buffer.from('\n')]));
    written.push(response);
    if (!isSyncing) sync();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', 4096, () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
});
process.on('disconnect', () => process.exit(0));
