import { describe, expect, it } from 'vitest';
import { createSchemaCheck } from '../../src/adapters/schema/ajv.ts';
import { compile, type Surroundings } from '../../src/core/compile.ts';
import { repair } from '../../src/core/repair.ts';
import type { Task } from '../../src/domain/task.ts';
import type { Tool } from '../../src/domain/tool.ts';

const number = {
  type: 'object',
  properties: { n: { type: 'number' }, deep: { type: 'object', properties: { n: { type: 'integer' } } } },
  additionalProperties: false,
};
const text = {
  type: 'object',
  properties: { t: { type: 'string' } },
  required: ['t'],
  additionalProperties: false,
};

function tool(name: string, inputSchema: Tool['inputSchema']): [string, Tool] {
  return [name, { name, server: 'a', description: '', inputSchema, effect: 'read', trusted: true }];
}

const SURROUNDINGS: Surroundings = {
  tools: new Map([tool('a.add', number), tool('a.put', text), tool('a.pat', text)]),
  check: createSchemaCheck(),
  mode: 'planned',
  order: [],
  maxTasks: 100,
  done: new Map(),
  missing: new Map(),
};

function mended(task: Partial<Task>): unknown {
  const tasks = [{ id: 't1', operation: 'a.add', args: {}, ...task }];
  const compiled = compile(tasks, SURROUNDINGS);
  if (compiled.ok) return 'nothing to mend';
  const repaired = repair(tasks, compiled.diagnostics, SURROUNDINGS);
  if (repaired === undefined) return undefined;
  expect(compile(repaired.tasks, SURROUNDINGS).ok).toBe(true);
  return repaired.notes;
}

describe('a mistake with one certain remedy is corrected without asking the model again', () => {
  it.each<[string, Partial<Task>, unknown]>([
    ['a letter too many', { operation: 'a.addd' }, ['t1: a.addd is taken for a.add']],
    ['two letters exchanged', { operation: 'a.dad' }, ['t1: a.dad is taken for a.add']],
    ['a number as text', { args: { n: '12.5' } }, ['t1: n is taken for the number 12.5']],
    [
      'a number as text further down',
      { args: { deep: { n: '3' } } },
      ['t1: deep.n is taken for the number 3'],
    ],
    [
      'both at once are mended one after the other or not at all',
      { operation: 'a.addd', args: { n: '1' } },
      undefined,
    ],
    ['two tools are as near: nobody knows which', { operation: 'a.pt', args: { t: 'x' } }, undefined],
    ['the near tool wants other arguments', { operation: 'a.addd', args: { t: 'x' } }, undefined],
    ['text that is no number', { args: { n: 'twelve' } }, undefined],
    ['half a number where a whole one is wanted', { args: { deep: { n: '3.5' } } }, undefined],
    ['more digits than a number holds', { args: { n: '12345678901234567890' } }, undefined],
    ['a mistake of another kind', { args: { x: 1 } }, undefined],
  ])('%s', (_, task, expected) => {
    expect(mended(task)).toEqual(expected);
  });
});
