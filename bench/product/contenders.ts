import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bareLoop, byFetch, byHttp, storedLoop, syncedLoop } from './bare-loop.ts';
import { dandori, type OpenedDandori } from './dandori.ts';
import type { Addresses } from './services.ts';
import { INSTRUCTIONS, WORK, work } from './work.ts';

/** The other methods are Dandori's. */
export interface Contender extends Partial<OpenedDandori> {
  /** Runs a goal until the model answers. */
  run(goal: string): Promise<void>;
  /** The most steps of a run. */
  readonly longest?: number;
}

type Open = (addresses: Addresses) => Contender | Promise<Contender>;

export const CONTENDERS = {
  'fetch loop': ({ model }) => ({ run: (goal) => bareLoop(goal, byFetch(model)) }),
  'http loop': ({ model }) => {
    const post = byHttp(model);
    return { run: (goal) => bareLoop(goal, post) };
  },
  'fetch loop, synced': ({ model }) => syncedLoop(byFetch(model)),
  'http loop, synced': ({ model }) => syncedLoop(byHttp(model)),
  'Restate-style loop': ({ model, stepStore }) => {
    const [post, store] = [byHttp(model), byHttp(stepStore)];
    return { run: (goal) => storedLoop(goal, post, store) };
  },
  Restate: async ({ model, restate }) => {
    if (restate === undefined) throw new Error('Restate is not installed.');
    const { restateLoop } = await import('../peers/restate.ts');
    return { run: await restateLoop(restate, byHttp(model)) };
  },
  'AI SDK': (addresses) => peer('ai-sdk.js', addresses),
  'LangChain on LangGraph': (addresses) => peer('langgraph.js', addresses),
  Dandori: ({ model }) => dandori(model),
  'Dandori, native calls': ({ model }) => dandori(model, { dialect: 'tools' }),
  'Dandori, synced': ({ model }) => dandori(model, { storage: 'jsonl' }),
  'Dandori, native calls, synced': ({ model }) => dandori(model, { storage: 'jsonl', dialect: 'tools' }),
  'Dandori, synced, 2 workers': ({ model }) => dandori(model, { storage: 'jsonl', workers: 2 }),
  'Dandori, no model': () => dandori(undefined),
  'Dandori, no model, synced': () => dandori(undefined, { storage: 'jsonl' }),
  'Dandori, synced, asks first': ({ model }) =>
    dandori(model, { storage: 'jsonl', effect: 'write', execution: { approval: 'writes' } }),
} satisfies Record<string, Open>;

export type ContenderName = keyof typeof CONTENDERS;

/** The libraries of `bench/peers`, if they are installed (`cd bench/peers && npm ci`). */
export function installedPeers(): ContenderName[] {
  const isInstalled = existsSync(join(import.meta.dirname, '../peers/node_modules'));
  return isInstalled ? ['AI SDK', 'LangChain on LangGraph'] : [];
}

async function peer(file: string, { model }: Addresses): Promise<Contender> {
  const module = `../peers/calls/${file}`;
  const { run } = (await import(module)) as { run: (given: object) => Promise<unknown> };
  const { parameters: inputSchema, ...named } = WORK;
  const url = `http://127.0.0.1:${model}/v1`;
  const given = { url, instructions: INSTRUCTIONS, tools: [{ ...named, inputSchema, call: work }] };
  return { run: async (goal) => void (await run({ ...given, goal })), longest: 50 };
}
