import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RestateOptions } from '../../src/store/postgres/restate.ts';
import { freePort } from '../free-port.ts';
import { fromNpm, isInstalled } from '../from-npm.ts';

/** A real Restate server, and where a store finds it. */
export interface Restate extends AsyncDisposable {
  readonly options: RestateOptions;
}

const VERSION = '1.7.12';

const PACKAGE = `@restatedev/restate-server-${process.platform}-${process.arch}@${VERSION}`;

/** `DANDORI_RESTATE` names the program. Otherwise npm brings it: 216 MB, too much for every `npm ci`. */
async function restateProgram(): Promise<string> {
  return process.env.DANDORI_RESTATE || join(await fromNpm(PACKAGE), 'bin/restate-server');
}

/** Whether `startRestate` has nothing to install. */
export async function isRestateInstalled(): Promise<boolean> {
  return Boolean(process.env.DANDORI_RESTATE) || isInstalled(PACKAGE);
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
