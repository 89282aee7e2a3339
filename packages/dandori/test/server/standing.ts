import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { type Client, createClient } from '../../src/client/client.ts';
import type { Task } from '../../src/model/task.ts';
import { type ServeOptions, type Serving, serve } from '../../src/server/serve.ts';
import { ambiguous, defineService } from '../../src/tools/service.ts';

/** A real server on a real socket, with a folder and tools of its own. */
export interface Standing extends AsyncDisposable {
  readonly folder: string;
  readonly serving: Serving;
  readonly url: string;
  readonly client: Client;
  /** What the shop was asked for. */
  readonly taken: readonly string[];
  readonly logged: readonly string[];
  /** Lets the slow calls end. */
  open(): void;
  as(token: string): Client;
  /** The plain answer to a plain request. */
  ask(path: string, init?: RequestInit): Promise<Response>;
}

export async function stand(
  config: object = {},
  options: Pick<ServeOptions, 'mind' | 'sockets'> = {},
): Promise<Standing> {
  const folder = await mkdtemp(join(tmpdir(), 'dandori-server-'));
  const { server, ...rest } = config as { server?: object };
  const all = { mcpServers: {}, server: { port: 0, rate_limit: 10_000, ...server }, ...rest };
  await writeFile(join(folder, 'dandori.yaml'), JSON.stringify(all));
  const gate = Promise.withResolvers<void>();
  const taken: string[] = [];
  const logged: string[] = [];
  const serving = await serve({
    cwd: folder,
    ...options,
    services: [shop(taken, gate.promise)],
    log: (line) => logged.push(line),
  });
  const as = (token?: string) => createClient({ url: serving.url, ...(token !== undefined && { token }) });
  return {
    folder,
    serving,
    url: serving.url,
    client: as(),
    taken,
    logged,
    open: () => gate.resolve(),
    as,
    ask: (path, init) => fetch(`${serving.url}${path}`, init),
    async [Symbol.asyncDispose]() {
      gate.resolve();
      await serving.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function shop(taken: string[], gate: Promise<void>) {
  const item = z.object({ item: z.string() });
  const plain = { input: item, output: item, trusted: true };
  return defineService({
    name: 'shop',
    methods: {
      take: {
        description: 'Takes an item off the shelf.',
        effect: 'write',
        ...plain,
        run: ({ item: name }) => {
          if (name === 'milk')
            throw ambiguous({
              question: 'Which milk?',
              options: [
                { label: 'whole', value: 'whole', args: { item: 'whole milk' } },
                { label: 'skimmed', value: 'skimmed', args: { item: 'skimmed milk' } },
              ],
            });
          taken.push(name);
          return { item: name };
        },
      },
      look: {
        description: 'Looks at an item.',
        effect: 'read',
        ...plain,
        run: ({ item: name }) => ({ item: name }),
      },
      chatter: {
        description: 'Says a lot while it works.',
        effect: 'read',
        ...plain,
        run: async ({ item: name }, { progress }) => {
          for (let count = 0; count < 300; count++) {
            progress(`${count} ${name.repeat(100_000)}`);
            await new Promise((resolve) => setImmediate(resolve));
          }
          return { item: name };
        },
      },
      wait: {
        description: 'Waits for the shop to open.',
        effect: 'write',
        ...plain,
        run: async ({ item: name }, { signal, progress }) => {
          progress(`waiting for ${name}`, 0.5);
          const stopped = new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(new Error('stopped'))),
          );
          await Promise.race([gate, stopped]);
          taken.push(name);
          return { item: name };
        },
      },
    },
  });
}

export const take = (item: string, id = 't1'): Task => ({ id, operation: 'shop.take', args: { item } });
export const look = (item: string, id = 't1'): Task => ({ id, operation: 'shop.look', args: { item } });
export const wait = (item: string, id = 't1'): Task => ({ id, operation: 'shop.wait', args: { item } });

export function tokenOf(user: string, role: string) {
  const token = `token-of-${user}-${role}`;
  return { token, entry: { sha256: createHash('sha256').update(token).digest('hex'), user, role } };
}

export const chatter = (item: string, id = 't1'): Task => ({ id, operation: 'shop.chatter', args: { item } });

/** Waits until it holds; how long that takes is the machine's business. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined, ms = 300_000): Promise<T> {
  // Not more often the longer it takes: what is waited for needs the machine.
  for (let end = Date.now() + ms, pause = 10; ; pause = Math.min(1.5 * pause, 100)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error('It did not come true in time.');
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
