import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Event } from '#dandori/model/event.ts';
import { fold } from '#dandori/run/state/apply.ts';
import type { RunState } from '#dandori/run/state/state.ts';
import { threadOf } from '../../src/run/answer/thread.ts';
import { storyOf } from '../../src/run/decisions/decision-entries.ts';
import { eventRows, typesIn } from '../../src/run/events/event-rows.ts';
import { lastForkable, planSource } from '../../src/run/plan/plan-source.ts';
import { attemptsOf } from '../../src/run/tasks/attempts.ts';
import { taskRows } from '../../src/run/tasks/task-rows.ts';

/** Real runs from the kept journals. */
function kept(name: string): { events: Event[]; state: RunState } {
  const file = new URL(`../../../dandori/test/journals/0.1.0/${name}.jsonl`, import.meta.url);
  const events = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Event);
  const state = fold(events);
  if (state === undefined) throw new Error('It has no events.');
  return { events, state };
}

const revised = kept('revised-and-rated');
const doubt = kept('asked-approved-and-in-doubt');
const steered = kept('steered-and-expired');

describe('the story of a run', () => {
  it('has every decision, plan, reflection and note once, by time', () => {
    for (const { events } of [revised, doubt, steered]) {
      const story = storyOf(events);
      const told = ['decision_started', 'plan_proposed', 'plan_revised', 'reflection_made', 'note_added'];
      const expected = events.filter(({ type }) => told.includes(type)).map(({ seq }) => seq);
      expect(story.map(({ seq }) => seq)).toEqual(expected);
    }
    const failed = storyOf(revised.events).filter((entry) => entry.kind === 'decision' && entry.failed);
    expect(failed.length).toBeGreaterThan(0);
    expect(storyOf(revised.events).some((entry) => entry.kind === 'revised' && entry.isAccepted)).toBe(true);
  });
});

describe('the activity of a run', () => {
  it('has everything users said or answered, without open questions', () => {
    const kinds = threadOf(steered.events, steered.state).map(({ kind }) => kind);
    expect(kinds[0]).toBe('goal');
    expect(kinds).toEqual(expect.arrayContaining(['note', 'question', 'paused', 'continued']));
    const asked = doubt.events.findIndex(({ type }) => type === 'question_asked');
    const before = doubt.events.slice(0, asked + 1);
    const state = fold(before);
    expect(state && threadOf(before, state).map(({ kind }) => kind)).toEqual(['goal']);
  });
});

describe('the attempts of a task', () => {
  it('have their outcomes and outcome checks', () => {
    const probed = doubt.events.find(({ type }) => type === 'probe_started');
    const task = probed?.type === 'probe_started' ? probed.data.task : '';
    const [first] = attemptsOf(doubt.events, task);
    expect(first).toMatchObject({ attempt: 1, ended: { kind: 'in_doubt' } });
    expect(first?.probes[0]?.ended).toBeDefined();
    expect(attemptsOf(doubt.events, 'nobody')).toEqual([]);
  });

  it('list the calls of a service: reads by their end alone, and calls without an end as open', () => {
    const call = { task: 't1', attempt: 1, operation: 'store.put' };
    const facts = [
      { type: 'task_started', data: { task: 't1', attempt: 1, key: 'r/t1' } },
      { type: 'inner_call_ended', data: { ...call, key: 'r/t1/a', args: {}, effect: 'read', ms: 1 } },
      { type: 'inner_call_started', data: { ...call, key: 'r/t1/b', args: {}, effect: 'write' } },
      { type: 'inner_call_started', data: { ...call, key: 'r/t1/c', args: {}, effect: 'write' } },
      { type: 'inner_call_ended', data: { ...call, key: 'r/t1/b', ms: 1 } },
    ];
    const events = facts.map((fact, index) => ({ v: 1, run: 'r', seq: index + 1, at: 0, ...fact }) as Event);
    const [attempt] = attemptsOf(events, 't1');
    expect(attempt?.calls.map(({ key, ended }) => [key, ended !== undefined])).toEqual([
      ['r/t1/a', true],
      ['r/t1/b', true],
      ['r/t1/c', false],
    ]);
  });
});

describe('the rows of the tasks', () => {
  const all = { text: '', filter: 'all', sort: 'order', isDown: false } as const;

  it('are all tasks in plan order, or the filtered ones', () => {
    const rows = taskRows(revised.state, all);
    expect(rows.map(({ task }) => task.order)).toEqual(
      rows.map(({ task }) => task.order).toSorted((a, b) => a - b),
    );
    const failed = taskRows(revised.state, { ...all, filter: 'failed' });
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.every(({ status }) => status === 'failed' || status === 'blocked')).toBe(true);
    expect(
      taskRows(revised.state, { ...all, text: 'WEATHER clos' }).map(({ task }) => task.task.operation),
    ).toEqual(expect.arrayContaining(['weather.closed']));
    expect(taskRows(revised.state, { ...all, text: 'nothing of it' })).toEqual([]);
  });
});

describe('the rows of the events', () => {
  it('are filtered by type and by all words', () => {
    const { events } = revised;
    expect(eventRows(events, { text: '', type: 'all' })).toBe(events);
    const rows = eventRows(events, { text: 'weather', type: 'task_started' });
    expect(rows.every(({ type }) => type === 'task_started')).toBe(true);
    expect(typesIn(events)[0]).toBe('run_started');
  });
});

describe('the plan as a file', () => {
  it('has the tasks; an ended run is forked before its end', () => {
    expect(planSource(revised.state)).toContain('operation: places.find');
    const end = revised.events.find(({ type }) => type === 'run_finished')?.seq ?? 0;
    expect(lastForkable(revised.events)).toBe(end - 1);
    expect(lastForkable(revised.events.slice(0, 5))).toBe(5);
  });
});
