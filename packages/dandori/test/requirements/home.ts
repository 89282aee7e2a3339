import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import * as z from 'zod';
import { type OpenOptions, openRuntime, type Runtime, type StartOptions } from '../../src/app/dandori.ts';
import type { Event, FactOf, Live } from '../../src/model/event.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import {
  type Expectation,
  type ModelReply,
  type ModelScript,
  type ModelServer,
  startModelServer,
} from '../../src/testing/model-server/index.ts';
import { defineService, type Service } from '../../src/tools/service.ts';
import type { Report } from '../../src/views/report.ts';

/** A user's folder with a `dandori.yaml`, a model behind real HTTP that streams, and the whole of Dandori on top. */
export interface Home extends AsyncDisposable {
  readonly folder: string;
  readonly model: ModelServer;
  readonly dandori: Runtime;
  /** What the services of this home were called for. */
  readonly calls: readonly ServiceCall[];
  readonly live: readonly Live[];
  run(goal: string, options?: StartOptions): Promise<Report>;
  events(run: string): Promise<Event[]>;
  /** Another process of the same user: the same folder, with what the file says by then. */
  reopen(yaml?: string, options?: OpenOptions): Promise<Runtime>;
}

export interface HomeOptions extends OpenOptions {
  readonly script: ModelScript;
  /** What stands in `dandori.yaml` besides the model. */
  readonly yaml?: string;
  /** More keys of `model`. */
  readonly modelYaml?: string;
}

interface ServiceCall {
  readonly operation: string;
  readonly input: Json;
  readonly signal: AbortSignal;
}

export async function openHome({
  script,
  yaml = '',
  modelYaml = '',
  ...options
}: HomeOptions): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'dandori-home-'));
  const model = await startModelServer(script, { chunkSize: 9 });
  const calls: ServiceCall[] = [];
  const live: Live[] = [];
  const opened: Runtime[] = [];
  const open = async (text: string, own: OpenOptions) => {
    await writeFile(
      join(folder, 'dandori.yaml'),
      `${beginning(model.url, modelYaml)}${text}${/^mcpServers:/m.test(text) ? '' : 'mcpServers: {}\n'}`,
    );
    const services = [...travel(calls), ...(own.services ?? [])];
    const dandori = await openRuntime({
      cwd: folder,
      onLive: (one) => live.push(one),
      ...own,
      services,
    });
    opened.push(dandori);
    return dandori;
  };
  const dandori = await open(yaml, options);
  const events = async (run: string) => {
    const all = await dandori.events(run);
    expect(brokenLaws(all)).toEqual([]);
    return all;
  };
  return {
    folder,
    model,
    dandori,
    calls,
    live,
    events,
    async run(goal, runOptions) {
      const report = await dandori.run(goal, runOptions);
      await events(report.run);
      return report;
    },
    reopen: (text = yaml, own = {}) => open(text, own),
    async [Symbol.asyncDispose]() {
      for (const one of opened) await one.close();
      await rm(folder, { recursive: true, force: true });
      await model.close();
    },
  };
}

function beginning(url: string, more: string): string {
  const keys = [
    'provider: openai-compatible',
    'name: scripted',
    `base_url: "${url}"`,
    'price: { input: 1, output: 1 }',
    more,
  ];
  return `model: { ${keys.filter((key) => key !== '').join(', ')} }\n`;
}

/** A service of a user's own: it finds places, tells the weather there, and has a line that is closed. */
function travel(calls: ServiceCall[]): Service[] {
  const noted = (operation: string, input: Json, signal: AbortSignal) => {
    calls.push({ operation, input, signal });
  };
  return [
    defineService({
      name: 'travel',
      methods: {
        locate: {
          description: 'Finds the place of an IP address',
          input: z.object({ ip: z.string() }),
          output: z.object({ city: z.string() }),
          effect: 'read',
          trusted: true,
          run(input, { signal }) {
            noted('locate', input, signal);
            return { city: `Kyoto ${input.ip}` };
          },
        },
        weather: {
          description: 'Tells the weather of a city',
          input: z.object({ city: z.string() }),
          output: z.object({ sky: z.string() }),
          effect: 'read',
          trusted: true,
          async run(input, { signal }) {
            noted('weather', input, signal);
            // Longer than a turn of the event loop, so that its outcome is a write of its own.
            await setTimeout(5);
            return { sky: `sun over ${input.city}` };
          },
        },
        closed: {
          description: 'A line that is closed',
          input: z.object({ city: z.string().optional() }),
          output: z.object({ sky: z.string() }),
          effect: 'read',
          trusted: true,
          run(input, { signal }) {
            noted('closed', input, signal);
            throw new Error('the line is closed for the night');
          },
        },
        book: {
          description: 'Books a room',
          input: z.object({ city: z.string() }),
          output: z.object({ booked: z.string() }),
          effect: 'write',
          trusted: true,
          run(input, { signal }) {
            noted('book', input, signal);
            return { booked: input.city };
          },
        },
      },
    }),
  ];
}

export interface Said extends Omit<JsonObject, 'operation' | 'args'> {
  readonly operation: string;
  readonly args: JsonObject;
}

export function act(id: string, operation: string, args: JsonObject = {}, more: JsonObject = {}): Said {
  return { id, operation, args, ...more };
}

export const own = (operation: string, args: JsonObject): Said => ({ operation, args });

/** What the model writes, and what its prompt must hold for that. */
export function say(
  actions: readonly Said[],
  { reasoning = 'so', ...more }: Partial<Saying> = {},
): ModelReply {
  return { content: { reasoning, actions }, ...more };
}

interface Saying {
  readonly reasoning: string;
  readonly expect: Expectation;
}

export function answer(text: string, more: Partial<Saying> & { achieved?: boolean } = {}): ModelReply {
  const { achieved = true, ...saying } = more;
  return say([own('answer', { text, achieved })], saying);
}

export function facts<T extends Event['type']>(events: readonly Event[], type: T): FactOf<T>['data'][] {
  return events.filter((event) => event.type === type).map(({ data }) => data as FactOf<T>['data']);
}

/** The model is told it with the last message, not only by the instructions that never change. */
export function told(...parts: (string | RegExp)[]): Expectation {
  return ({ body }) => {
    const message = JSON.stringify(body.messages?.at(-1)?.content);
    for (const part of parts) expect(message).toMatch(part);
  };
}
