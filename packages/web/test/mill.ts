import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { type Client, createClient } from '../../dandori/src/client/client.ts';
import type { Task } from '../../dandori/src/model/task.ts';
import { serve } from '../../dandori/src/server/serve.ts';
import { defineService } from '../../dandori/src/tools/service.ts';

/** A server for large plans, of which some calls wait until `open` is called. */
export interface Mill extends AsyncDisposable {
  readonly url: string;
  readonly client: Client;
  /** Ends the waiting calls. */
  open(): void;
}

export async function buildMill(): Promise<Mill> {
  const folder = await mkdtemp(join(tmpdir(), 'dandori-mill-'));
  const config = {
    mcpServers: {},
    server: { port: 0, rate_limit: 10_000 },
    execution: { concurrency: 1_000, task_timeout: '10m' },
  };
  await writeFile(join(folder, 'dandori.yaml'), JSON.stringify(config));
  const gate = Promise.withResolvers<void>();
  const grain = z.object({ grain: z.string() });
  const method = { effect: 'read', trusted: true, input: grain, output: grain } as const;
  const mill = defineService({
    name: 'mill',
    methods: {
      grind: { ...method, description: 'Grinds.', run: async (given) => given },
      wait: {
        ...method,
        description: 'Waits for the mill to be opened.',
        run: async (given) => {
          await gate.promise;
          return given;
        },
      },
    },
  });
  const serving = await serve({ cwd: folder, services: [mill], log: () => {} });
  return {
    url: serving.url,
    client: createClient({ url: serving.url }),
    open: () => gate.resolve(),
    async [Symbol.asyncDispose]() {
      gate.resolve();
      await serving.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Every task uses the result of an earlier one. Every fifth waits, and no task depends on it. */
export function millPlan(count: number): Task[] {
  const before = (index: number) => {
    const found = Math.max(0, index - 10 - ((index * 7) % 9));
    return found % 5 === 4 ? found - 1 : found;
  };
  return Array.from({ length: count }, (_, index) => {
    const grain = index < 10 ? 'rye' : `\${t${before(index)}.grain}`;
    const after = index > 40 && index % 3 === 0 ? { after: [`t${before(index - 20)}`] } : {};
    return {
      id: `t${index}`,
      operation: index % 5 === 4 ? 'mill.wait' : 'mill.grind',
      args: { grain },
      ...after,
    };
  });
}
