import { describe, expect, it } from 'vitest';
import type { Fact } from '../../src/model/event.ts';
import { partialAnswer, report } from '../../src/views/report.ts';
import {
  asks,
  cancels,
  ends,
  fails,
  inDoubt,
  type Planned,
  running,
  started,
  starts,
  stateOf,
  succeeds,
} from '../run/facts.ts';

const plan: Planned[] = [
  { id: 'a' },
  { id: 'b', effect: 'write' },
  { id: 'c', needs: ['a'] },
  { id: 'd', needs: ['b'] },
  { id: '__proto__' },
];
const cancelled: Fact = { type: 'run_finished', data: { outcome: 'cancelled', missing: ['d'] } };

describe('report', () => {
  it('tells how each task stands', () => {
    const state = stateOf(
      ...running(plan),
      starts('a'),
      5,
      succeeds('a', 1, { x: 1 }),
      starts('b'),
      7,
      fails('b'),
    );
    expect(report(state)).toMatchObject({
      run: 'r1',
      outcome: 'open',
      answer: null,
      tasks: {
        a: { operation: 'box.a', status: 'succeeded', result: { x: 1 }, attempts: 1, ms: 5 },
        b: { status: 'failed', failure: { message: 'no' }, ms: 7 },
        c: { status: 'ready', attempts: 0, ms: null },
        d: { status: 'blocked' },
      },
      usage: { modelCalls: 0, steps: 1, ms: 12 },
    });
  });

  it('keeps a task with an odd id', () => {
    const state = stateOf(...running(plan));
    expect(JSON.stringify(report(state).tasks)).toContain('"__proto__":{"operation":"box.__proto__"');
  });

  it('waits while a question is open, and lists none after the end', () => {
    const facts = [...running(plan), asks('q1', { task: 'b', kind: 'approval' })];
    expect(report(stateOf(...facts))).toMatchObject({ outcome: 'waiting', questions: [{ id: 'q1' }] });
    expect(report(stateOf(...facts, cancels, cancelled))).toMatchObject({
      outcome: 'cancelled',
      missing: ['d'],
      questions: [],
    });
  });

  it('what the run ended without was skipped, but not what may have happened', () => {
    const facts = [
      ...running(plan),
      starts('b'),
      inDoubt('b'),
      asks('q1', { task: 'b' }),
      cancels,
      cancelled,
    ];
    expect(report(stateOf(...facts)).tasks).toMatchObject({
      a: { status: 'skipped' },
      b: { status: 'in_doubt' },
    });
  });

  it('gives the handle of a large result', () => {
    const blob = { sha256: 'x', bytes: 9, head: '[' };
    const state = stateOf(...running(plan), starts('a'), {
      type: 'task_succeeded',
      data: { task: 'a', attempt: 1, blob, ms: 1 },
    });
    expect(report(state).tasks.a).toMatchObject({ blob });
  });

  it('has the answer', () => {
    expect(report(stateOf(started(), ends))).toMatchObject({ outcome: 'answered', answer: 'done' });
  });
});

describe('partialAnswer', () => {
  it('says what was found, in the language of the goal', () => {
    const facts = [...running(plan), starts('a'), succeeds('a')];
    expect(partialAnswer(stateOf(...facts), () => 'x'.repeat(600))).toMatch(
      /^No final answer was written. The results so far, as the tools returned them:\n- box\.a: x{500}…$/,
    );
    const japanese = stateOf(
      ...facts.map((fact) =>
        fact.type === 'run_started' ? { ...fact, data: { ...fact.data, goal: '天気を教えて' } } : fact,
      ),
    );
    expect(partialAnswer(japanese, () => 'x')).toBe(
      '最終回答は作成されませんでした。ここまでの結果（ツールの出力のまま）：\n- box.a: x',
    );
  });

  it('says nothing where nothing was found', () => {
    expect(partialAnswer(stateOf(...running(plan)), () => '')).toBeUndefined();
  });
});
