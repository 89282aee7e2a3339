import { describe, expect, it } from 'vitest';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import type { Reply, ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { createHouse } from './house.ts';

const call = (operation: string, args = {}): ScriptedAction[] => [{ operation, args }];
const concluded: ScriptedAction[] = [{ operation: 'answer', args: { text: 'this far', achieved: false } }];
const failing: FunctionTool = {
  run: () => ({ kind: 'failed', failure: { kind: 'tool_error', message: 'no' } }) as never,
};
const ADAPTIVE = { mode: 'adaptive' as const };

interface Circle {
  readonly tools: Record<string, FunctionTool>;
  readonly turns: readonly ScriptedAction[][];
  readonly kind: string;
  /** How many turns come before the mind is told. */
  readonly told: number;
}

const CIRCLES: Record<string, Circle> = {
  'the same call with the same result': {
    tools: { 'a.get': { run: () => 1 } },
    turns: [call('a.get')],
    kind: 'same_result',
    told: 3,
  },
  'the same call that fails': {
    tools: { 'a.get': failing },
    turns: [call('a.get')],
    kind: 'same_failure',
    told: 2,
  },
  'two turns that take turns': {
    tools: { 'a.get': { run: () => 1 }, 'b.get': { run: () => 2 } },
    turns: [call('a.get'), call('b.get')],
    kind: 'ping_pong',
    told: 4,
  },
};

describe('a run that goes in circles', () => {
  it.each(Object.entries(CIRCLES))(
    '%s: is told once, then stopped',
    async (_, { tools, turns, kind, told }) => {
      const script: Reply[] = Array.from(
        { length: told + 1 },
        (__, index) => turns[index % turns.length] ?? [],
      );
      const house = createHouse(tools, [...script, concluded]);
      const state = await house.run('go', undefined, ADAPTIVE);
      expect(house.mind.thoughts.map(({ brief }) => brief?.loop?.kind)).toEqual([
        ...Array.from({ length: told }, () => undefined),
        kind,
        undefined,
      ]);
      expect(house.mind.thoughts.at(-1)?.purpose).toBe('conclude');
      expect(state.end).toMatchObject({ outcome: 'exhausted', answer: 'this far' });
      expect(state.end?.missing?.[0]).toMatch(/in circles/);
    },
  );

  it('plan after plan of which nothing succeeds', async () => {
    const turns = [1, 2, 3, 4].map((n) => call('a.get', { n }));
    const house = createHouse({ 'a.get': failing }, [...turns, concluded]);
    const state = await house.run('go', undefined, ADAPTIVE);
    expect(house.mind.thoughts[3]?.brief?.loop?.kind).toBe('no_progress');
    expect(state.end?.outcome).toBe('exhausted');
  });

  it('a plan that only grows: steps within steps, and nothing is ever called', async () => {
    const open = (n: number): ScriptedAction[] => [
      { id: `s${n}`, operation: 'task.generate_list', args: { purpose: 'more' } },
    ];
    const house = createHouse({}, [open(1), open(2), open(3), open(4), concluded]);
    const state = await house.run('go');
    expect(house.mind.thoughts[3]?.brief?.loop).toEqual({ kind: 'no_progress', tasks: ['s1', 's2', 's3'] });
    expect(house.mind.thoughts.at(-1)?.purpose).toBe('conclude');
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'loop' });
  });

  it('goes on where the mind does something else', async () => {
    const house = createHouse({ 'a.get': { run: () => 1 }, 'b.get': { run: () => 2 } }, [
      call('a.get'),
      call('a.get'),
      call('a.get'),
      call('b.get'),
      [{ operation: 'answer', args: { text: 'found' } }],
    ]);
    const state = await house.run('go', undefined, ADAPTIVE);
    expect(house.mind.thoughts[3]?.brief?.loop?.kind).toBe('same_result');
    expect(state.end).toMatchObject({ outcome: 'answered', answer: 'found' });
  });

  it('is no loop where the results differ, nor where one list makes a call twice', async () => {
    let n = 0;
    const house = createHouse({ 'a.get': { run: () => n++ }, 'b.get': { run: () => 1 } }, [
      ...[1, 2, 3, 4, 5].map(() => call('a.get')),
      [...call('b.get'), ...call('b.get'), ...call('b.get')].map((one, index) => ({
        ...one,
        id: `b${index}`,
      })),
      [{ operation: 'answer', args: { text: 'ok' } }],
    ]);
    const state = await house.run('go', undefined, ADAPTIVE);
    expect(house.mind.thoughts.every(({ brief }) => brief?.loop === undefined)).toBe(true);
    expect(state.end?.outcome).toBe('answered');
  });

  it('is told again, not stopped, where the mind did not hear it', async () => {
    const house = createHouse({ 'a.get': failing }, [
      call('a.get'),
      call('a.get'),
      { kind: 'failed', failure: { kind: 'model_error', message: 'busy', retryable: true } },
      [{ operation: 'answer', args: { text: 'it is closed', achieved: true } }],
    ]);
    const state = await house.run('go', undefined, ADAPTIVE);
    expect(house.mind.thoughts[3]?.brief?.loop?.kind).toBe('same_failure');
    expect(state.end?.outcome).toBe('answered');
  });
});
