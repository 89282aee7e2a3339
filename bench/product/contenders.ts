import {
  closeSync,
  existsSync,
  fdatasync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Task } from '../../packages/dandori/src/index.ts';

const dataSync = promisify(fdatasync);

/** A loop that asks the model, calls the tool and asks again, until the model answers. */
export interface Contender {
  readonly name: string;
  run(goal: string): Promise<void>;
  close?(): Promise<void>;
}

/** Dandori, opened. */
export interface OpenedDandori extends Contender {
  readonly folder: string;
  /** Runs a plan that was given, without a model. */
  runPlan(tasks: readonly object[]): Promise<void>;
}

const PAYLOAD = Array.from({ length: 1 << 16 }, (_, index) =>
  ((index * 2_654_435_761) >>> 8).toString(36),
).join('');
let place = 0;

/** The tool of every contender: takes `ms` and returns `size` characters, others each time. */
async function work({ ms, size }: { ms: number; size: number }): Promise<string> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  place = (place + 7919) % (PAYLOAD.length - size);
  return PAYLOAD.slice(place, place + size);
}

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: { id: string; function: { arguments: string } }[];
}
type Post = (body: string) => Promise<string>;

/** The least that can be written by hand. Durable: each message is synced before the loop goes on. */
export function bareLoop(name: string, post: Post, isDurable = false): Contender {
  const folder = mkdtempSync(join(tmpdir(), 'dandori-bench-'));
  let count = 0;
  return {
    name,
    async run(goal) {
      const file = isDurable ? openSync(join(folder, `${count++}.jsonl`), 'a') : undefined;
      const keep = async (message: Message) => {
        if (file === undefined) return;
        writeSync(file, `${JSON.stringify(message)}\n`);
        await dataSync(file);
      };
      const messages: (Message | object)[] = [
        { role: 'system', content: 'You are a worker. Call tools until the job is done.' },
        { role: 'user', content: goal },
      ];
      for (;;) {
        const answer = JSON.parse(
          await post(JSON.stringify({ model: 'bench', messages, tools: [TOOL] })),
        ) as {
          choices: [{ message: Message }];
        };
        const [{ message }] = answer.choices;
        messages.push(message);
        await keep(message);
        if (message.tool_calls === undefined) break;
        const results = await Promise.all(
          message.tool_calls.map(async ({ id, function: call }) => {
            const content = await work(JSON.parse(call.arguments) as { ms: number; size: number });
            const result = { role: 'tool', tool_call_id: id, content };
            await keep(result);
            return result;
          }),
        );
        messages.push(...results);
      }
      if (file !== undefined) closeSync(file);
    },
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

const TOOL = {
  type: 'function',
  function: {
    name: 'work',
    description: 'Perform one unit of work.',
    parameters: { type: 'object', properties: { ms: { type: 'number' }, size: { type: 'number' } } },
  },
};

export function byFetch(port: number): Post {
  return async (body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body,
    });
    return response.text();
  };
}

export function byHttp(port: number): Post {
  const agent = new Agent({ keepAlive: true });
  return (body) =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const path = '/v1/chat/completions';
      const sent = request({ host: '127.0.0.1', port, path, method: 'POST', agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks).toString()));
      });
      sent.on('error', reject);
      sent.end(body);
    });
}

const TOOLS = [
  {
    name: 'work',
    description: TOOL.function.description,
    inputSchema: TOOL.function.parameters,
    call: work,
  },
];

/** Another library, if its folder is installed (`cd bench/peers && npm ci`). */
export async function installedPeer(name: string, file: string, port: number): Promise<Contender[]> {
  const module = `../peers/calls/${file}`;
  if (!existsSync(join(import.meta.dirname, '../peers/node_modules'))) return [];
  const { run } = (await import(module)) as { run: (given: object) => Promise<unknown> };
  const url = `http://127.0.0.1:${port}/v1`;
  const instructions = 'You are a worker. Call tools until the job is done.';
  return [{ name, run: async (goal) => void (await run({ url, instructions, goal, tools: TOOLS })) }];
}

interface DandoriSetup {
  readonly storage?: 'memory' | 'jsonl';
  readonly execution?: object;
  /** The trust policy. Then nothing that the tool returns counts as external content. */
  readonly trust?: 'off' | 'standard';
  /** Of the tool. */
  readonly effect?: 'read' | 'write';
}

/**
 * Dandori as a user calls it: a configuration file, a model over HTTP, a tool. DANDORI_DIR names the installed package;
 * without it the source is measured.
 */
export async function dandori(
  name: string,
  port: number,
  { storage = 'memory', execution = {}, trust, effect = 'read' }: DandoriSetup = {},
): Promise<OpenedDandori> {
  const installed = process.env.DANDORI_DIR;
  const entry =
    installed === undefined
      ? '../../packages/dandori/src/index.ts'
      : pathToFileURL(join(installed, 'lib/code/index.js')).href;
  const library = (await import(entry)) as typeof import('../../packages/dandori/src/index.ts');
  const folder = mkdtempSync(join(tmpdir(), 'dandori-bench-'));
  const file = {
    model: { provider: 'openai-compatible', name: 'bench', base_url: `http://127.0.0.1:${port}/v1` },
    mcpServers: {},
    execution: {
      mode: 'adaptive',
      max_steps: 100_000,
      max_model_calls: 100_000,
      approval: 'never',
      ...execution,
    },
    context: { max_tokens: 10_000_000 },
    ...(trust !== undefined && { trust: { policy: trust } }),
    planning: {
      max_subtasks: 100_000,
      reflection: { enabled: false },
      history: { storage_type: storage, directory: join(folder, 'runs') },
    },
  };
  writeFileSync(join(folder, 'dandori.yaml'), JSON.stringify(file));
  const tool = library.tool({
    description: 'Perform one unit of work.',
    effect,
    trusted: true,
    input: z.object({ ms: z.number(), size: z.number() }),
    run: work,
  });
  const config = await library.loadConfig({ cwd: folder, env: {} });
  const opened = await library.openDandori({ config, tools: { work: tool } });
  const ended = (outcome: string, failure: unknown) => {
    if (outcome !== 'answered') throw new Error(`The run ended ${outcome}: ${JSON.stringify(failure)}`);
  };
  return {
    name,
    folder,
    async run(goal) {
      const { outcome, failure } = await opened.run(goal).report();
      ended(outcome, failure);
    },
    async runPlan(tasks) {
      const { outcome, failure } = await opened
        .run('go', { tasks: tasks as Task[], mode: 'planned' })
        .report();
      ended(outcome, failure);
    },
    async close() {
      await opened.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
