import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { blobCases, keyCases } from '../../src/store/conformance/blobs.ts';
import { journalCases } from '../../src/store/conformance/journal.ts';
import { freePort } from '../free-port.ts';
import { fromNpm } from '../from-npm.ts';
import { IS_LONG } from '../long.ts';
import { openTestStore } from './database.ts';

const PGLITE = '@electric-sql/pglite@0.5.14';
const SOCKET = '@electric-sql/pglite-socket@0.2.17';

interface Served {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * PostgreSQL as WebAssembly. It has one session, which all connections share: a transaction of one blocks the
 * others, and an advisory lock excludes none. So the cases of dispatchers and leases need a real server.
 */
async function startPglite(port: number): Promise<Served> {
  const socket = await fromNpm(PGLITE, SOCKET);
  const load = (path: string) => import(pathToFileURL(join(socket, path)).href);
  const { PGlite } = await load('../pglite/dist/index.js');
  const { PGLiteSocketServer } = await load('dist/index.js');
  const server: Served = new PGLiteSocketServer({
    db: await PGlite.create(),
    host: '127.0.0.1',
    port,
    maxConnections: 100,
  });
  await server.start();
  return server;
}

describe.runIf(IS_LONG)('a store in PGlite', () => {
  let server: Served;
  let url = '';
  beforeAll(async () => {
    const port = await freePort();
    server = await startPglite(port);
    url = `postgres://postgres:password@127.0.0.1:${port}/postgres`;
  });
  afterAll(() => server.stop());
  const open = () => openTestStore({ url });
  for (const { name, run } of [...journalCases(open), ...blobCases(open), ...keyCases(open)]) it(name, run);
});
