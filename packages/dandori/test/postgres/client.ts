import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { unfixPostgres } from '../../build/fix-postgres.ts';
import { postgresUrl } from './database.ts';

const INSTALLED = dirname(dirname(fileURLToPath(import.meta.resolve('postgres'))));

/** A reserved connection dies, and is used again after the first failure. */
const PROGRAM = `
  const [entry, address] = process.argv.slice(1);
  const { default: postgres } = await import(entry);
  const sql = postgres(address, { max: 2 });
  const reserved = await sql.reserve();
  const [{ pid }] = await reserved\`select pg_backend_pid() as pid\`;
  await sql\`select pg_terminate_backend(\${pid})\`;
  const told = [];
  while (told.length < 2) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    await reserved\`select 1\`.catch(({ code }) => told.push(code));
  }
  const [{ one }] = await sql\`select 1 as one\`;
  console.log(told.at(-1), one);
  process.exit();
`;

async function run(entry: string): Promise<{ said: string; code: number | null }> {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', PROGRAM, pathToFileURL(entry).href, await postgresUrl()],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const [said] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { said: said.trim(), code: child.exitCode };
}

describe('the client of PostgreSQL', () => {
  it('survives a connection that dies between two writes', async () => {
    expect(await run(join(INSTALLED, 'src/index.js'))).toEqual({ said: 'CONNECTION_CLOSED 1', code: 0 });
  });

  it('needs the correction for that', async () => {
    const copy = await mkdtemp(join(tmpdir(), 'dandori-client-'));
    onTestFinished(() => rm(copy, { recursive: true, force: true }));
    await cp(INSTALLED, copy, { recursive: true });
    const file = join(copy, 'src/connection.js');
    await writeFile(file, unfixPostgres(await readFile(file, 'utf8')));
    expect((await run(join(copy, 'src/index.js'))).code).toBe(1);
  });
});
