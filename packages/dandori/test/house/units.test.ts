import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { configShape } from '../../src/config/file-shape.ts';
import { readPrompt } from '../../src/mind/prompts/read.ts';
import { conversationEnvelopeSchema, conversationFactSchema } from '../../src/model/conversation.ts';
import { envelopeSchema, factSchema } from '../../src/model/event.ts';
import { isObject } from '../../src/model/json.ts';
import { task, taskInput } from '../../src/model/task.ts';
import { parsePlan, planSchema } from '../../src/plan/read.ts';
import { stand } from '../server/standing.ts';

/** A field with one of these words is a time, if it is a number. */
const TIME =
  /^(at|ms|wait|hold|cache|grace|since|until|time)$|timeout(?!s)|time_?limit|backoff|delay|duration|expire|retry_?after|seconds|minutes|(?<!max_|_)time$|At$|_at$|Ms$|_ms$|max_time/i;
const UNIT_IN_NAME = /(^|_)ms$|Ms$|seconds$|minutes$/i;
const UNIT_IN_WORDS = /\b(milli)?seconds\b|since 1970|duration such as|\bevent\b|\bISO 8601\b/i;

interface Field {
  readonly path: string;
  readonly name: string;
  readonly schema: Record<string, unknown>;
}

function* fieldsOf(schema: unknown, path: string): Generator<Field> {
  if (Array.isArray(schema)) for (const part of schema) yield* fieldsOf(part, path);
  if (!isObject(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && isObject(value))
      for (const [name, field] of Object.entries(value))
        if (isObject(field)) yield { path: `${path}.${name}`, name, schema: field };
    if (key === 'parameters' && Array.isArray(value))
      for (const parameter of value)
        if (isObject(parameter) && isObject(parameter.schema)) {
          const described = {
            ...parameter.schema,
            description: parameter.description ?? parameter.schema.description,
          };
          yield {
            path: `${path}.${String(parameter.name)}`,
            name: String(parameter.name),
            schema: described,
          };
        }
    const isNamed = key === 'properties' || key === 'schemas' || key === 'paths' || key === '$defs';
    if (isNamed && isObject(value))
      for (const [name, inner] of Object.entries(value)) yield* fieldsOf(inner, `${path}.${name}`);
    else yield* fieldsOf(value, path);
  }
}

/** Whether the schema allows a number, in whatever form. */
function isNumber(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(isNumber);
  if (!isObject(schema)) return false;
  const types = [schema.type].flat();
  if (types.includes('number') || types.includes('integer')) return true;
  return [schema.anyOf, schema.oneOf, schema.allOf].some((some) => some !== undefined && isNumber(some));
}

/** Every schema that a user, a client or a tool can see. */
async function schemas(): Promise<Map<string, unknown>> {
  await using standing = await stand();
  const shipped = join(import.meta.dirname, '../mind/built-in/shipped-tools.json');
  const json = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return new Map<string, unknown>([
    ['openapi.json', await (await standing.ask('/openapi.json')).json()],
    ['dandori.yaml', json(configShape)],
    ['plan file', planSchema()],
    ['events', [json(envelopeSchema), json(factSchema)]],
    ['conversations', [json(conversationEnvelopeSchema), json(conversationFactSchema)]],
    ['shipped tools', JSON.parse(readFileSync(shipped, 'utf8'))],
  ]);
}

it('every time in every schema says its unit, and `timeout` is always in seconds', async () => {
  const wrong: string[] = [];
  let found = 0;
  for (const [source, schema] of await schemas()) {
    for (const { path, name, schema: field } of fieldsOf(schema, source)) {
      if (!TIME.test(name) || !isNumber(field)) continue;
      found++;
      const words = String(field.description ?? '');
      const isStated = UNIT_IN_NAME.test(name) || UNIT_IN_WORDS.test(words);
      const isOther = /timeout$/i.test(name) && !/\bseconds\b/i.test(words);
      if (!isStated || isOther) wrong.push(`${path}: ${words}`);
    }
  }
  expect([...new Set(wrong)]).toEqual([]);
  expect(found).toBeGreaterThan(60);
});

it('a model is told the unit of a timeout', () => {
  for (const prompt of [
    'action-fields',
    'plan-made-auto',
    'plan-made-auto-tools',
    'task-fields-tools',
  ] as const)
    expect(readPrompt(prompt)).toMatch(/timeout\W+seconds/);
});

it('a journal of an older version keeps its limits, and a request with the old name is refused by its unit', () => {
  const old = { id: 't1', operation: 'a.b', args: {}, timeout: 500 };
  expect(task.parse(old)).toEqual({ id: 't1', operation: 'a.b', args: {}, timeoutMs: 500 });
  expect(taskInput.safeParse(old).error?.issues[0]).toMatchObject({
    path: ['timeout'],
    message: expect.stringContaining('milliseconds'),
  });
  expect(() => parsePlan(JSON.stringify([{ operation: 'a.b', timeoutMs: 500 }]), 'p')).toThrow(
    /a number is seconds/,
  );
  expect(parsePlan(JSON.stringify([{ operation: 'a.b', timeout: 2 }]), 'p').tasks[0]?.timeoutMs).toBe(2000);
});
