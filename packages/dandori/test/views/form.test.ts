import { describe, expect, it } from 'vitest';
import { answerFrom } from '../../src/cli/questions/parse-answer.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { type FieldKind, fieldOf, fieldsOf, typedAs } from '../../src/views/form.ts';

describe('a field of a form', () => {
  it.each<[JsonObject, FieldKind, string, Json]>([
    [{ type: 'string' }, 'text', '12', '12'],
    [{ type: 'integer' }, 'number', '12', 12],
    [{ type: 'number' }, 'number', 'twelve', 'twelve'],
    [{ type: ['integer', 'null'] }, 'number', '3', 3],
    [{ type: 'boolean' }, 'flag', 'yes', true],
    [{ type: 'boolean' }, 'flag', 'いいえ', false],
    [{ type: 'boolean' }, 'flag', 'perhaps', 'perhaps'],
    [{ enum: [1, 2], enumNames: ['one', 'two'] }, 'choice', 'two', 2],
    [{ oneOf: [{ const: 'a', title: 'First' }, { const: 'b' }] }, 'choice', 'First', 'a'],
    [{ type: 'array', items: { enum: ['x', 'y'] } }, 'many', 'x, y', ['x', 'y']],
    [{ type: 'array', items: { type: 'integer' } }, 'other', '1, 2', [1, 2]],
    [{ type: 'object' }, 'other', '{"a":1}', { a: 1 }],
    [{}, 'text', 'free', 'free'],
  ])('%j is a %s, and "%s" means %j', (schema, kind, text, value) => {
    const field = fieldOf('f', schema, true);
    expect(field.kind).toBe(kind);
    expect(typedAs(field, text)).toEqual(value);
  });

  it('has the names and hints that people read', () => {
    const form = {
      properties: { age: { type: 'integer', title: 'Age', description: 'in years', default: 3 } },
    };
    expect(fieldsOf(form)).toMatchObject([
      { name: 'age', label: 'Age', hint: 'in years', default: 3, isRequired: false },
    ]);
    expect(fieldsOf({ type: 'string' })).toBeUndefined();
  });
});

describe('an answer that is typed behind a command', () => {
  const form = { type: 'object', properties: { n: { type: 'integer' } } };
  const question = { id: 'q1', kind: 'elicitation' as const, text: '?' };

  it('is the only field of a form, JSON of all of it, or one value', () => {
    expect(answerFrom({ text: '3', fields: [] }, { ...question, form })).toEqual({ n: 3 });
    expect(answerFrom({ text: '{"n":4}', fields: [] }, { ...question, form })).toEqual({ n: 4 });
    expect(answerFrom({ text: '5', fields: [] }, { ...question, form: { type: 'number' } })).toBe(5);
  });

  it('is refused with what to type where it cannot be meant', () => {
    const two = { type: 'object', properties: { n: {}, m: {} } };
    expect(() => answerFrom({ text: '3', fields: [] }, { ...question, form: two })).toThrow(/2 fields/);
    expect(() => answerFrom({ text: '{"n":', fields: [] }, { ...question, form })).toThrow(/not JSON/);
    expect(() => answerFrom({ text: '', fields: ['n'] }, { ...question, form })).toThrow(/name=value/);
    expect(() => answerFrom({ text: '', fields: ['n=1'] }, question)).toThrow(/has no form/);
  });
});
