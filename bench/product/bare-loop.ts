import { closeSync, fdatasync, mkdtempSync, openSync, writeSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { INSTRUCTIONS, WORK, work } from './work.ts';

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: { id: string; function: { arguments: string } }[];
}
export type Post = (body: string) => Promise<string>;
/** Runs a step, and returns its result when it is stored. */
export type Step = <T>(action: () => Promise<T>) => Promise<T>;

/** The least that can be written by hand: asks the model, calls the tool and asks again, until the model answers. */
export async function bareLoop(goal: string, post: Post, step: Step = (action) => action()): Promise<void> {
  const messages: object[] = [
    { role: 'system', content: INSTRUCTIONS },
    { role: 'user', content: goal },
  ];
  const tools = [{ type: 'function', function: WORK }];
  for (;;) {
    const message = await step(async () => {
      const body = JSON.stringify({ model: 'bench', messages, tools });
      return (JSON.parse(await post(body)) as { choices: [{ message: Message }] }).choices[0].message;
    });
    messages.push(message);
    if (message.tool_calls === undefined) return;
    const results = message.tool_calls.map(({ id, function: call }) =>
      step(async () => {
        const content = await work(JSON.parse(call.arguments) as { ms: number; size: number });
        return { role: 'tool', tool_call_id: id, content };
      }),
    );
    messages.push(...(await Promise.all(results)));
  }
}

/** The same with a file for each run. Each message is synced before the loop goes on. */
export function syncedLoop(post: Post): { folder: string; run(goal: string): Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'dandori-bench-'));
  const dataSync = promisify(fdatasync);
  let count = 0;
  return {
    folder,
    async run(goal) {
      const file = openSync(join(folder, `${count++}.jsonl`), 'a');
      await bareLoop(goal, post, async (action) => {
        const result = await action();
        writeSync(file, `${JSON.stringify(result)}\n`);
        await dataSync(file);
        return result;
      });
      closeSync(file);
    },
  };
}

/** The same with another process that stores each message, as the server of a durable execution does. */
export function storedLoop(goal: string, post: Post, store: Post): Promise<void> {
  return bareLoop(goal, post, async (action) => {
    const result = await action();
    await store(JSON.stringify(result));
    return result;
  });
}

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
