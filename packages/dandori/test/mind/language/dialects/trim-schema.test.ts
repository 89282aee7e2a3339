import { expect, it } from 'vitest';
import { trimSchema } from '../../../../src/mind/language/dialects/native-schema.ts';
import type { JsonObject } from '../../../../src/model/json.ts';

it('leaves out what no call needs, and takes no field for a keyword', () => {
  const schema: JsonObject = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Item',
    type: 'object',
    properties: {
      title: { type: 'string', title: 'Title', minLength: 1, maxLength: 80, description: '' },
      id: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: 100 },
      size: { anyOf: [{ type: 'number', title: 'A number' }, { type: 'null' }] },
      rows: { type: 'array', items: { type: 'object', additionalProperties: false, properties: {} } },
      map: { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } },
    },
    required: ['title'],
    additionalProperties: false,
  };
  expect(trimSchema(schema)).toEqual({
    type: 'object',
    properties: {
      title: { type: 'string' },
      id: { type: 'integer', maximum: 100 },
      size: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      rows: { type: 'array', items: { type: 'object', properties: {} } },
      map: { type: 'object', additionalProperties: { type: 'string' } },
    },
    required: ['title'],
  });
});
