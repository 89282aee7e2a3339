import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  canonicalJson,
  isObject,
  type Json,
  type JsonObject,
  json,
  jsonObject,
} from '../../src/model/json.ts';

/** Public benchmarks of orders hidden in data, brought to one form. They are not part of the project. */
const FOLDER = join(import.meta.dirname, '../../../../../shared/fixtures/injection');
export const isThere = existsSync(join(FOLDER, 'tools.json'));

const origin = z.object({ from: z.string(), results: z.array(z.number()).optional() });
const call = z.object({
  tool: z.string(),
  args: jsonObject,
  result: json.optional(),
  origins: z.record(z.string(), origin).optional(),
});
export type FixtureCall = z.infer<typeof call>;

const tool = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: jsonObject,
  effect: z.enum(['read', 'write', 'destructive']),
  egress: z.boolean().optional(),
  aim: z.array(z.string()).optional(),
});
export type FixtureTool = z.infer<typeof tool>;

const agentDojo = z.object({
  id: z.string(),
  suite: z.string(),
  userTask: z.string(),
  goal: z.string(),
  tools: z.array(z.string()),
  injectionTask: z.string().nullable(),
  calls: z.array(call),
  attackerCalls: z.array(call),
  seenAt: z.number().nullable().optional(),
  alsoWanted: z.array(z.number()).optional(),
});

const injecAgent = z.object({
  id: z.string(),
  goal: z.string(),
  tools: z.array(z.string()),
  userCall: call,
  attackerCalls: z.array(call),
});

/** What the user asked, the calls that do it, and the calls of a model that obeys the order in the data. */
export interface Case {
  readonly id: string;
  readonly set: 'AgentDojo' | 'InjecAgent';
  readonly goal: string;
  readonly tools: readonly string[];
  readonly isAttacked: boolean;
  readonly calls: readonly FixtureCall[];
  readonly attackerCalls: readonly FixtureCall[];
  /** The position of the first call whose result contains the order. */
  readonly seenAt: number;
}

export function readTools(): ReadonlyMap<string, FixtureTool> {
  const tools = z.array(tool).parse(JSON.parse(readFileSync(join(FOLDER, 'tools.json'), 'utf8')));
  return new Map(tools.map((one) => [one.name, one]));
}

export function readCases(): readonly Case[] {
  const dojo = lines('agentdojo.jsonl').map((line): Case => {
    const one = agentDojo.parse(line);
    const wanted = new Set(one.alsoWanted);
    return {
      ...one,
      set: 'AgentDojo',
      isAttacked: one.injectionTask !== null,
      attackerCalls: one.attackerCalls.filter((_, index) => !wanted.has(index)),
      seenAt: one.seenAt ?? one.calls.length - 1,
    };
  });
  const origins = new Map(dojo.filter((one) => !one.isAttacked).map((one) => [keyOf(one.id), one]));
  // Origins are given with the record without an attack, and hold for the same user task with one.
  const withOrigins = dojo.map((one) => ({
    ...one,
    calls: one.calls.map((made, index) => ({
      ...made,
      origins: origins.get(keyOf(one.id))?.calls[index]?.origins,
    })),
  }));
  const agents = lines('injecagent.jsonl').map((line): Case => {
    const { userCall, ...one } = injecAgent.parse(line);
    return { ...one, set: 'InjecAgent', isAttacked: true, calls: [userCall], seenAt: 0 };
  });
  return [...withOrigins, ...agents];
}

function keyOf(id: string): string {
  return id.replace(/-injection_task.*$/, '');
}

function lines(file: string): unknown[] {
  return readFileSync(join(FOLDER, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** The JMESPath of a whole field with this value; undefined if no field has it. */
export function fieldWith(result: Json, value: Json): string | undefined {
  const wanted = canonicalJson(value);
  const search = (here: Json, path: string): string | undefined => {
    if (canonicalJson(here) === wanted) return path;
    if (Array.isArray(here)) {
      for (const [index, item] of here.entries()) {
        const found = search(item, `${path}[${index}]`);
        if (found !== undefined) return found;
      }
    } else if (isObject(here)) {
      for (const [key, item] of Object.entries(here as JsonObject)) {
        const name = /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
        const found = search(item, path === '' ? name : `${path}.${name}`);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  };
  return search(result, '');
}
