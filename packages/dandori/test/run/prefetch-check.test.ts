import { describe, expect, it, vi } from 'vitest';
import { withOwnTools } from '../../src/model/own-tools.ts';
import type { ApprovalPolicy } from '../../src/model/settings.ts';
import type { Task } from '../../src/model/task.ts';
import type { Tool } from '../../src/model/tool.ts';
import { compileDraft } from '../../src/run/drafts/draft.ts';
import { type PrefetchVerdict, prefetchCheck } from '../../src/run/drafts/prefetch-check.ts';
import type { RunState } from '../../src/run/state/state.ts';
import { running, started, starts, stateOf, succeeds } from './facts.ts';

const tool = (name: string, more: Partial<Tool> = {}): [string, Tool] => [
  name,
  { name, server: 'box', description: name, inputSchema: {}, effect: 'read', trusted: true, ...more },
];
const tools = new Map([
  tool('box.get'),
  tool('box.look'),
  tool('box.put', { effect: 'write' }),
  tool('box.buy', { cost: 0.01 }),
]);
const task = (id: string, operation: string, more: Partial<Task> = {}): Task => ({
  id,
  operation,
  args: {},
  ...more,
});
const look = (state: RunState, one: Task, ...earlier: Task[]): PrefetchVerdict =>
  prefetchCheck(one, { state, tools, check: () => [], earlier });

describe('what may be done with a task of a list that is still being written', () => {
  it('O1: a read may be called, a write and what costs money may not', () => {
    const state = stateOf(started());
    expect(look(state, task('r', 'box.get'))).toEqual({ kind: 'ahead', needs: [] });
    expect(look(state, task('w', 'box.put'))).toEqual({ kind: 'later' });
    expect(look(state, task('b', 'box.buy'))).toEqual({ kind: 'later' });
  });

  it.each<[string, PrefetchVerdict['kind']]>([
    ['never', 'ahead'],
    ['destructive', 'ahead'],
    ['writes', 'ahead'],
    ['always', 'later'],
    ['a policy of a later version', 'later'],
  ])('O1: with approval %s a read goes %s', (approval, kind) => {
    const state = stateOf(started({ approval: approval as ApprovalPolicy }));
    expect(look(state, task('r', 'box.get')).kind).toBe(kind);
  });

  it('result.read is prefetched for a result of the run, and waits for one that does not exist yet', () => {
    const state = stateOf(...running([{ id: 'old', operation: 'box.get' }]), starts('old'), succeeds('old'));
    const reads = (source: string) =>
      prefetchCheck(task('r', 'result.read', { args: { task: source } }), {
        state,
        tools: withOwnTools(tools),
        check: () => [],
        earlier: [task('t1', 'box.get')],
      });
    expect(reads('old')).toEqual({ kind: 'ahead', needs: [] });
    expect(reads('t1')).toEqual({ kind: 'later' });
    expect(reads('nobody')).toEqual({ kind: 'unclear' });
  });

  it('O2: no read overtakes a write of the run that has not ended, running or not', () => {
    const plan = running([{ id: 'w', operation: 'box.put', effect: 'write' }]);
    const read = task('r', 'box.get');
    expect(look(stateOf(...plan), read).kind).toBe('later');
    expect(look(stateOf(...plan, starts('w')), read).kind).toBe('later');
    expect(look(stateOf(...plan, starts('w'), succeeds('w')), read).kind).toBe('ahead');
  });

  it('a step of a long run is checked and compiled without going through the tasks that have ended', () => {
    const old = Array.from({ length: 50 }, (_, index) => `old${index}`);
    const state = stateOf(
      ...running(old.map((id) => ({ id, operation: 'box.get' }))),
      ...old.flatMap((id) => [starts(id), succeeds(id)]),
    );
    const values = vi.spyOn(state.tasks, 'values');
    const keys = vi.spyOn(state.tasks, 'keys');
    const one = task('r', 'box.get', { args: { a: '${old7}' } });
    expect(look(state, one)).toEqual({ kind: 'ahead', needs: [] });
    const toolbox = { tools: () => tools, missing: () => [] };
    const parts = { toolbox, check: () => [], clock: { now: () => 0 } };
    expect(compileDraft({ version: 2, by: 'mind', tasks: [one] }, { state, parts }).ok).toBe(true);
    expect([values.mock.calls, keys.mock.calls]).toEqual([[], []]);
  });

  it('needs what it refers to and what it stands behind, as far as the run does not have it yet', () => {
    const state = stateOf(...running([{ id: 'old', operation: 'box.get' }]), starts('old'), succeeds('old'));
    const one = task('r', 'box.get', { args: { a: '${old}', b: '${t1}' }, after: ['t2'] });
    expect(look(state, one, task('t1', 'box.get'), task('t2', 'box.get'))).toEqual({
      kind: 'ahead',
      needs: ['t1', 't2'],
    });
    expect(look(state, one, task('t1', 'box.get'))).toEqual({ kind: 'unclear' });
  });

  it('O3: needs the last of what an order rule wants before it', () => {
    const state = stateOf(started({ order: [{ before: 'box.look', after: 'box.get' }] }));
    expect(look(state, task('r', 'box.get'))).toEqual({ kind: 'unclear' });
    const both = [task('l', 'box.look'), task('m', 'box.look')];
    expect(look(state, task('r', 'box.get'), ...both)).toEqual({ kind: 'ahead', needs: ['m'] });
  });

  it('is unclear where the run may have no more tasks', () => {
    const state = stateOf(started({ limits: { tasks: 1 } }));
    expect(look(state, task('r', 'box.get'), task('s', 'box.get'))).toEqual({ kind: 'unclear' });
  });
});
