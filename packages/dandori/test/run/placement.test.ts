import { describe, expect, it } from 'vitest';
import type { Fact } from '../../src/model/event.ts';
import type { Access } from '../../src/model/plan.ts';
import type { Option } from '../../src/model/question.ts';
import { decide } from '../../src/run/decide.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import {
  answers,
  approves,
  asks,
  journalOf,
  type Planned,
  proposes,
  started,
  starts,
  stateOf,
  succeeds,
} from './facts.ts';

/** Three writes of three files, which do not wait for each other. */
const PLAN: Planned[] = ['a', 'b', 'c'].map((path, index) => ({
  id: `t${index + 1}`,
  effect: 'write',
  operation: 'files.write',
  args: { path },
}));
const ACCESSES: Access[] = PLAN.map(({ id }) => ({
  id,
  effect: 'write',
  server: 'files',
  resource: 'path:{path}',
}));
const OPTIONS: Option[] = [
  { label: 'this', value: 'this' },
  { label: 'other', value: 'other', args: { path: 'c' } },
];

function planned(concurrency: number): Fact[] {
  const approved = approves(PLAN);
  return [
    started({ concurrency }, { planGiven: true }),
    proposes(PLAN, 'user'),
    { ...approved, data: { ...approved.data, accesses: ACCESSES } } as Fact,
  ];
}

const unclear = (task: string) => asks('q1', { kind: 'ambiguity', task, options: OPTIONS }, 1);
const startable = (facts: readonly Fact[]) =>
  decide(stateOf(...facts), 0).flatMap((intention) =>
    intention.type === 'start_task' ? intention.task : [],
  );

describe('a choice that changes what a task touches', () => {
  it('P1: before the answer, holds back what any option would disturb, and nothing else', () => {
    const facts = [...planned(1), starts('t1'), unclear('t1')];
    expect(startable(facts)).toEqual(['t2']);
    const afterIt = [...facts, starts('t2'), succeeds('t2')];
    expect(startable(afterIt)).toEqual([]);
    const answered = [...afterIt, answers('q1', 'other')];
    expect(startable(answered)).toEqual(['t1']);
    const ended = [...answered, starts('t1', 2), succeeds('t1', 2)];
    expect(startable(ended)).toEqual(['t3']);
    expect(brokenLaws(journalOf(...ended, starts('t3')))).toEqual([]);
  });

  it('P2: waits for the earlier task that touches the same', () => {
    const options: Option[] = [{ label: 'a', value: 'a', args: { path: 'a' } }];
    const asked = asks('q1', { kind: 'ambiguity', task: 't2', options }, 1);
    const facts = [...planned(4), starts('t1'), starts('t2'), asked, answers('q1', 'a')];
    expect(startable(facts)).toEqual(['t3']);
    expect(startable([...facts, succeeds('t1')])).toEqual(['t2', 't3']);
  });

  it('P3: does not run if a later task has already used the same resource', () => {
    const facts = [
      ...planned(4),
      starts('t1'),
      starts('t3'),
      unclear('t1'),
      succeeds('t3'),
      answers('q1', 'other'),
    ];
    const { tasks } = stateOf(...facts);
    expect(tasks.get('t1')).toMatchObject({ status: 'failed', failure: { kind: 'plan_error' } });
    expect(tasks.get('t1')?.failure?.message).toContain('t3 (files.write) has touched already');
    const same = [...facts.slice(0, -1), answers('q1', 'this')];
    expect(startable(same)).toEqual(['t1', 't2']);
  });
});
