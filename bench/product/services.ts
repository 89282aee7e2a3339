import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRestateInstalled, startRestate } from '../../packages/dandori/test/cluster/restate.ts';

/** Where the contenders find the processes that they share. */
export interface Addresses {
  /** Port of the language model. */
  readonly model: number;
  /** Port of the process that stores steps. */
  readonly stepStore: number;
  /** A Restate server, if one is installed. */
  readonly restate?: { readonly ingress: string; readonly admin: string };
}

export interface Services extends AsyncDisposable {
  readonly addresses: Addresses;
  /** Everything that is measured writes here. */
  readonly folder: string;
}

export async function startServices(): Promise<Services> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'dandori-bench-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const start = async (file: string): Promise<number> => {
    const child = stack.use(startProcess(file, [folder]));
    return (await child.firstMessage()) as number;
  };
  const [model, stepStore] = [await start('model-server.ts'), await start('step-store.ts')];
  const restate = (await isRestateInstalled()) ? stack.use(await startRestate()).options : undefined;
  const started = stack.move();
  return {
    addresses: { model, stepStore, ...(restate && { restate }) },
    folder,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

export interface Process extends AsyncDisposable {
  /** Rejects if the process ends without one. */
  firstMessage(): Promise<unknown>;
}

/** Starts a file of this folder as a process. Disposing it ends the process. */
export function startProcess(file: string, args: readonly string[], options: ForkOptions = {}): Process {
  const child: ChildProcess = fork(join(import.meta.dirname, file), args, options);
  const exited = once(child, 'exit');
  return {
    firstMessage: () =>
      Promise.race([
        once(child, 'message').then(([message]) => message),
        exited.then(([code, signal]) => {
          throw new Error(`${file} ended with ${signal ?? code}`);
        }),
      ]),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
