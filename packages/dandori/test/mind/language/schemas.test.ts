import { afterEach, describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../../src/model/json.ts';
import type { Mode } from '../../../src/model/settings.ts';
import type { Tool } from '../../../src/model/tool.ts';
import { answer, closeServers, find, think } from './asking.ts';
import { Story, tools } from './thought.ts';

afterEach(closeServers);

const SEND: Tool = {
  name: 'mail.send',
  server: 'mail',
  description: 'Sends.',
  inputSchema: {
    type: 'object',
    properties: { to: { type: 'string' }, headers: { type: 'object' }, tags: { type: 'array', items: {} } },
    required: ['to'],
    additionalProperties: false,
  },
  effect: 'write',
  trusted: false,
};

interface Schema {
  readonly actions: JsonObject;
  readonly action: JsonObject;
  readonly properties: Readonly<Record<string, JsonObject>>;
}

async function schemaFor(mode: Mode, purpose: 'act' | 'conclude' = 'act', story?: Story): Promise<Schema> {
  const thought = (story ?? new Story('x', { mode })).thought({ purpose });
  const { server } = await think({ content: { actions: [answer] } }, {}, thought);
  const schema = server.requests[0]?.body.response_format?.json_schema?.schema as JsonObject;
  const { actions } = schema.properties as { actions: { items: JsonObject } };
  return {
    actions: schema,
    action: actions.items,
    properties: actions.items.properties as Schema['properties'],
  };
}

/** Objects that an engine with a grammar would make `{}`, and schemas that it cannot read. */
function unusableIn(schema: unknown, path = ''): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one, index) => unusableIn(one, `${path}[${index}]`));
  if (!isObject(schema)) return [];
  const isFixed = schema.type === 'object' && schema.properties === undefined;
  const own = isFixed && schema.additionalProperties === undefined ? [`${path}: only {}`] : [];
  const inner = Object.entries(isObject(schema.properties) ? schema.properties : {}).flatMap(([name, one]) =>
    isObject(one) && Object.keys(one).length === 0
      ? [`${path}.${name}: says nothing`]
      : unusableIn(one, `${path}.${name}`),
  );
  return [...own, ...inner, ...['items', 'anyOf', 'oneOf'].flatMap((key) => unusableIn(schema[key], path))];
}

describe('the schema lets a model behind a grammar write what it must (node-llama-cpp, llama.cpp)', () => {
  it.each(['auto', 'adaptive', 'planned', 'hierarchical', 'direct'] as const)(
    'arguments can hold anything, and no field is forced that few actions have: %s',
    async (mode) => {
      const { actions, action, properties } = await schemaFor(mode);
      expect(unusableIn(actions)).toEqual([]);
      expect(properties.args).toEqual({ type: 'object', additionalProperties: true });
      expect(Object.keys(properties)).toEqual(['id', 'operation', 'args']);
      expect(action.additionalProperties).toBe(mode === 'direct' ? undefined : true);
    },
  );

  it.each(['auto', 'adaptive'] as const)('native tools of ours and of servers: %s', async (mode) => {
    const thought = new Story('x', { mode }).thought({ tools: new Map([...tools, [SEND.name, SEND]]) });
    const reply = { toolCalls: [{ name: 'answer', arguments: answer.args }] };
    const { server } = await think(reply, { dialect: 'tools' }, thought);
    const sent = server.requests[0]?.body.tools as { function: { name: string; parameters: JsonObject } }[];
    expect(sent.map(({ function: { name } }) => name)).toContain('mail_send');
    for (const { function: one } of sent)
      expect(
        unusableIn(one.parameters).filter((what) => !what.endsWith('.tags: says nothing')),
        one.name,
      ).toEqual([]);
  });
});

describe('at the end only `answer` is offered', () => {
  it('by the schema, with all that an answer has', async () => {
    const { properties } = await schemaFor('auto', 'conclude');
    expect(properties.operation).toEqual({ type: 'string', enum: ['answer'] });
    expect(properties.args).toEqual({
      type: 'object',
      properties: { text: { type: 'string' }, achieved: { type: 'boolean' } },
      required: ['text', 'achieved'],
    });
  });

  it('with a judgement of each success criterion, if there are any', async () => {
    const story = new Story().started('act').add(
      { type: 'decision_made', data: { decision: 1, ms: 1 } },
      {
        type: 'plan_proposed',
        data: { version: 1, by: 'mind', tasks: [find], outline: { successCriteria: ['It is known'] } },
      },
    );
    story.approved([find], { t1: 'Kyoto' });
    const { properties } = await schemaFor('auto', 'conclude', story);
    expect(properties.args).toHaveProperty('required', ['text', 'achieved', 'criteria']);
  });

  it('by the native tools', async () => {
    const reply = { toolCalls: [{ name: 'answer', arguments: answer.args }] };
    const thought = new Story().decided([find], { t1: 'Kyoto' }).thought({ purpose: 'conclude' });
    const { server } = await think(reply, { dialect: 'tools' }, thought);
    expect(server.requests[0]?.body.tools).toMatchObject([{ function: { name: 'answer' } }]);
  });
});
