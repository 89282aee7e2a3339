import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What a server has used up so far. */
export interface Used {
  /** Milliseconds of all cores. */
  readonly cpu: number;
  /** Bytes. */
  readonly memory: number;
}

/** A server in a process of its own, so that only its own work counts. */
export interface Child extends AsyncDisposable {
  readonly url: string;
  tell(message: object): void;
  used(): Promise<Used>;
}

export async function startChild(file: string, ...args: string[]): Promise<Child> {
  // Garbage that is not collected yet does not count.
  const child = fork(join(import.meta.dirname, 'fixtures', file), args, { execArgv: ['--expose-gc'] });
  // One that dies says nothing, and must not be waited for.
  const dead = new AbortController();
  const gone = once(child, 'exit').then(() => dead.abort());
  const [{ url }] = (await once(child, 'message', { signal: dead.signal })) as [{ url: string }];
  return {
    url,
    tell: (message) => void child.send(message),
    async used() {
      child.send({ what: 'used' });
      const [used] = (await once(child, 'message', { signal: dead.signal })) as [Used];
      return used;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.send({ what: 'stop' });
      await gone;
    },
  };
}

/** The other side of it. */
export function answerParent(
  url: string,
  on: { stop(): Promise<void>; message?(message: never): void },
): void {
  process.on('message', (message: { what: string }) => {
    if (message.what === 'used') {
      globalThis.gc?.();
      const { user, system } = process.cpuUsage();
      const { rss } = process.memoryUsage();
      process.send?.({ cpu: (user + system) / 1000, memory: rss });
    } else if (message.what === 'stop') void on.stop().then(() => process.exit(0));
    else on.message?.(message as never);
  });
  process.send?.({ url });
}
