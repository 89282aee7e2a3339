import { describe, expect, it } from 'vitest';
import type { Task } from '../../src/model/task.ts';
import type { Effect, Tool } from '../../src/model/tool.ts';
import { type CompileContext, compile } from '../../src/plan/compile.ts';
import { repair } from '../../src/plan/repair.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';

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

function tool(name: string, inputSchema: Tool['inputSchema'], effect: Effect = 'read'): [string, Tool] {
  return [name, { name, server: 'a', description: '', inputSchema, effect, trusted: true }];
}

const SURROUNDINGS: CompileContext = {
  tools: new Map([
    tool('a.add', number),
    tool('a.put', text),
    tool('a.pat', text),
    tool('a.slot1', number),
    tool('a.post', number, 'write'),
    tool('a.remove', number, 'destructive'),
  ]),
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
  if (compiled.ok) return 'nothing to repair';
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
      'the number that is used is the one that is told',
      { args: { n: '007.50' } },
      ['t1: n is taken for the number 7.5'],
    ],
    [
      'a number as text further down',
      { args: { deep: { n: '3' } } },
      ['t1: deep.n is taken for the number 3'],
    ],
    [
      'both at once are repaired one after the other or not at all',
      { operation: 'a.addd', args: { n: '1' } },
      undefined,
    ],
    ['a name in other letters', { operation: 'a.put', args: { T: 'x' } }, ['t1: T is taken for t']],
    ['also of what writes', { operation: 'a.post', args: { _N: 1 } }, ['t1: _N is taken for n']],
    ['but not if it does not fit then', { operation: 'a.put', args: { T: 5 } }, undefined],
    ['nor if the name is given already', { operation: 'a.put', args: { T: 'x', t: 'y' } }, undefined],
    ['a server that is not there', { operation: 'maths.add' }, ['t1: maths.add is taken for a.add']],
    ['no server at all', { operation: 'add', args: { n: 1 } }, ['t1: add is taken for a.add']],
    ['under such a server, what writes is not guessed either', { operation: 'maths.post' }, undefined],
    ['nor a tool that wants other arguments', { operation: 'maths.add', args: { t: 'x' } }, undefined],
    ['what writes is never guessed', { operation: 'a.pos' }, undefined],
    ['nor what cannot be undone', { operation: 'a.remov' }, undefined],
    ['another digit is another tool, and no slip', { operation: 'a.slot2' }, undefined],
    ['so is one digit more', { operation: 'a.slot12' }, undefined],
    ['or a digit less', { operation: 'a.slot' }, undefined],
    ['but a letter beside a digit is a letter', { operation: 'a.slt1' }, ['t1: a.slt1 is taken for a.slot1']],
    ['two tools are equally near', { operation: 'a.pt', args: { t: 'x' } }, undefined],
    ['the near tool wants other arguments', { operation: 'a.addd', args: { t: 'x' } }, undefined],
    ['text that is no number', { args: { n: 'twelve' } }, undefined],
    ['half a number where a whole one is wanted', { args: { deep: { n: '3.5' } } }, undefined],
    [
      'an integer of any length is exact',
      { args: { n: '12345678901234567890' } },
      ['t1: n is taken for the number 12345678901234567890'],
    ],
    ['more digits than a decimal holds', { args: { n: '0.12345678901234567890' } }, undefined],
    ['a mistake of another kind', { args: { x: 1 } }, undefined],
  ])('%s', (_, task, expected) => {
    expect(mended(task)).toEqual(expected);
  });
});
