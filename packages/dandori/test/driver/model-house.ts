import { expect } from 'vitest';
import { systemClock } from '../../src/driver/clock.ts';
import { drive } from '../../src/driver/drive.ts';
import type { Parts } from '../../src/driver/parts.ts';
import { createLanguageMind } from '../../src/mind/language/mind.ts';
import type { LanguageMindOptions } from '../../src/mind/language/options.ts';
import type { Event, FactOf, Live } from '../../src/model/event.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Settings } from '../../src/model/settings.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import type { RunState } from '../../src/run/state/state.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import {
  type ModelReply,
  type ModelScript,
  type ModelServer,
  type ScriptEntry,
  startModelServer,
} from '../../src/testing/model-server/index.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import { createHouse, type House } from './house.ts';

export type DialectUnderTest = 'json' | 'tools';

/** A reply of the model with these actions, in the form of the dialect. */
export function say(
  dialect: DialectUnderTest,
  ...actions: [operation: string, args: JsonObject][]
): ModelReply {
  if (dialect === 'tools')
    return { toolCalls: actions.map(([name, args]) => ({ name: name.replace('.', '_'), arguments: args })) };
  return {
    content: {
      actions: actions.map(([operation, args], index) => ({ id: `t${index + 1}`, operation, args })),
    },
  };
}

const text = (name: string) => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
});

const TOOLS: Record<string, FunctionTool> = {
  'places.find': {
    inputSchema: text('q'),
    outputSchema: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
    run: ({ q }) => ({ city: `the city of ${String(q)}`, days: 3 }),
  },
  'weather.now': {
    inputSchema: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
      additionalProperties: false,
    },
    run: ({ city, days = 1 }) => `${String(days)} × sun in ${String(city)}`,
  },
};

export interface ModelHouse {
  readonly house: House;
  readonly server: ModelServer;
  readonly live: readonly Live[];
  run(settings?: Partial<Settings>, parts?: Partial<Parts>): Promise<{ state: RunState; events: Event[] }>;
}

const servers: ModelServer[] = [];

/** A whole engine with a language mind behind real HTTP, on the system's clock unless another is given. */
export async function createModelHouse(
  script: readonly ScriptEntry[],
  options: Partial<LanguageMindOptions> = {},
  { goal = 'Weather in Kyoto?', ...parts }: Partial<Parts> & { readonly goal?: string } = {},
): Promise<ModelHouse> {
  const server = await serve(script);
  const live: Live[] = [];
  const house = createHouse(TOOLS, [], {
    mind: createLanguageMind(optionsFor(server, options)),
    clock: systemClock,
    check: createSchemaCheck(),
    onLive: (one) => live.push(one),
    ...parts,
  });
  return {
    house,
    server,
    live,
    async run(settings, other) {
      const run = await house.start(goal, undefined, {
        task: { timeoutMs: 60_000, attempts: 3, backoff: 1 },
        ...settings,
      });
      const state = await drive(run, { ...house.parts, ...other });
      const events = await house.events(run);
      expect(brokenLaws(events)).toEqual([]);
      return { state, events };
    },
  };
}

export function optionsFor(
  server: ModelServer,
  options: Partial<LanguageMindOptions> = {},
): LanguageMindOptions {
  return { provider: 'openai-compatible', name: 'test-model', baseUrl: server.url, ...options };
}

export async function serve(script: ModelScript): Promise<ModelServer> {
  const server = await startModelServer(script);
  servers.push(server);
  return server;
}

/** Call it after each test. It fails if the model got too many or too few requests. */
export async function closeServers(): Promise<void> {
  for (const server of servers.splice(0)) await server.close();
}

export function factsOf<T extends Event['type']>(events: readonly Event[], type: T): FactOf<T>['data'][] {
  return events.filter((event) => event.type === type).map(({ data }) => data as FactOf<T>['data']);
}
