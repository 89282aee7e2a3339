import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { RestateOptions } from '../../src/store/postgres/restate.ts';

/** A real Restate server, and where a store finds it. */
export interface Restate extends AsyncDisposable {
  readonly options: RestateOptions;
}

const VERSION = '1.7.12';

/**
 * `DANDORI_RESTATE` names the program. Otherwise npm brings it, 216 MB, once per machine: too much for every
 * `npm ci`.
 */
export async function restateProgram(): Promise<string> {
  if (process.env.DANDORI_RESTATE) return process.env.DANDORI_RESTATE;
  const folder = join(tmpdir(), `dandori-restate-${VERSION}`);
  const platform = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  const program = join(folder, 'node_modules', platform, 'bin/restate-server');
  const isThere = await access(program).then(
    () => true,
    () => false,
  );
  if (isThere) return program;
  await mkdir(folder, { recursive: true });
  const args = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', `${platform}@${VERSION}`];
  await promisify(execFile)('npm', args);
  await access(program);
  return program;
}

export async function startRestate(): Promise<Restate> {
  const program = await restateProgram();
  const folder = await mkdtemp(join(tmpdir(), 'dandori-restate-'));
  const [ingress, admin, node, listen] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const child = spawn(program, ['--no-logo', '--listen-mode', 'tcp'], {
    cwd: folder,
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      RESTATE_BASE_DIR: folder,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
      RESTATE_DEFAULT_NUM_PARTITIONS: '2',
      RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '256MB',
      RESTATE_DISABLE_TELEMETRY: 'true',
    },
  });
  const exited = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const options = {
    ingress: `http://127.0.0.1:${ingress}`,
    admin: `http://127.0.0.1:${admin}`,
    listen: `127.0.0.1:${listen}`,
  };
  const isHealthy = (url: string) =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  while (
    !(await isHealthy(`${options.admin}/health`)) ||
    !(await isHealthy(`${options.ingress}/restate/health`))
  ) {
    if (child.exitCode !== null) throw new Error(`Restate ended with ${child.exitCode}.`);
    await sleep(100);
  }
  return {
    options,
    async [Symbol.asyncDispose]() {
      process.removeListener('exit', kill);
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

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
