import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EVENT_VERSION, type Event, type Fact } from '../../src/model/event.ts';
import { appliedAnswer } from '../../src/run/answers.ts';
import { decide } from '../../src/run/decide.ts';
import { apply, fold, foldRun } from '../../src/run/state/apply.ts';
import { countedOf } from '../../src/run/state/indexes.ts';
import type { RunState } from '../../src/run/state/state.ts';
import { upgrade } from '../../src/run/state/version-1/upgrade.ts';
import { createJsonlJournal } from '../../src/store/files/journal.ts';
import {
  answers,
  asks,
  decides,
  expires,
  fails,
  failsToDecide,
  inDoubt,
  journalOf,
  proposes,
  resumed,
  running,
  started,
  starts,
  stateOf,
  thinks,
} from './facts.ts';

const JOURNALS = join(import.meta.dirname, '../journals');
const old = ['0.1.0', '0.2.0'].flatMap((version) =>
  readdirSync(join(JOURNALS, version))
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => [version, file.slice(0, -'.jsonl'.length)] as const),
);

/** What the last of the entries is read as, after those before it. */
function readAs(...entries: readonly (Fact | number)[]): { type: string; data: object }[] {
  const events = journalOf(...entries);
  const last = events.at(-1);
  const state = fold(events.slice(0, -1));
  if (last === undefined || state === undefined) throw new Error('nothing to read');
  return upgrade(state, last).map(({ type, data }) => ({ type, data }));
}

/** How it stands, without the times: what an answer leads to is a fact of the driver's in version 2. */
function standing(state: RunState): object {
  const tasks = [...state.tasks.values()].map(
    ({ task, status, failure, result, attempts, override, approved, isInDoubt }) => {
      return { id: task.id, status, failure, result, attempts, override, approved, isInDoubt };
    },
  );
  const { failuresInARow: stumbled, isHopeless, modelCalls, usage, thinkAfter } = state;
  return { tasks, counted: countedOf(state), stumbled, isHopeless, modelCalls, usage, thinkAfter };
}

describe('a journal of version 1', () => {
  it.each(old)('of %s folds to the same when %s is written down as version 2', async (version, run) => {
    const events = await createJsonlJournal(join(JOURNALS, version)).read(run);
    let one: RunState | undefined;
    let two: RunState | undefined;
    for (const event of events) {
      expect(event.v).toBe(1);
      const read = one === undefined ? [event] : upgrade(structuredState(events, event.seq - 1), event);
      one = apply(one, event);
      for (const event2 of read) two = apply(two, { ...event2, v: EVENT_VERSION });
      expect(two && standing(two), `${run}, event ${event.seq}`).toEqual(standing(one));
    }
  });

  it('says when a task is tried again', () => {
    const retryable = fails('a', 1, { kind: 'unavailable', retryable: true });
    const [read] = readAs(...running([{ id: 'a' }]), starts('a'), 10, retryable);
    expect(read?.data).toMatchObject({ unsent: true, retryAt: 110 });
    const [final] = readAs(...running([{ id: 'a', effect: 'write' }]), starts('a'), fails('a'));
    expect(final?.data).not.toHaveProperty('retryAt');
  });

  it('says what becomes of a call in doubt', () => {
    const read = readAs(...running([{ id: 'a' }]), starts('a'), resumed, inDoubt('a'));
    expect(read).toMatchObject([{ data: { next: 'again' } }]);
    const write = readAs(...running([{ id: 'w', effect: 'write' }]), starts('w'), resumed, inDoubt('w'));
    expect(write).toMatchObject([{ data: { next: 'settle' } }]);
  });

  it('says that the mind has failed for good, or when it may be asked again', () => {
    const [hopeless] = readAs(
      started(),
      thinks(1),
      failsToDecide(1, { kind: 'model_error', message: 'no such model', retryable: false }),
    );
    expect(hopeless?.data).toMatchObject({ final: true });
    const busy = { kind: 'model_error' as const, message: 'busy', retryable: true, retryAfter: 700 };
    const [later] = readAs(started(), thinks(1), 5, failsToDecide(1, busy));
    expect(later?.data).toMatchObject({ retryAt: 705 });
  });

  it.each([
    ['approve', { to: 'ready', approved: 'd' }],
    ['reject', { to: 'failed', failure: { kind: 'rejected', code: 'not_approved' } }],
  ])('says what the answer %s leads to', (answer, how) => {
    const question = { kind: 'approval', task: 'w', digest: 'd' } as const;
    const entries = [...running([{ id: 'w', effect: 'write' }]), asks('q1', question), answers('q1', answer)];
    expect(readAs(...entries)).toMatchObject([
      { type: 'question_answered' },
      { type: 'answer_applied', data: { task: 'w', question: 'q1', ...how } },
    ]);
  });

  it('words what the fold worded then, as it was worded then', () => {
    const entries = [
      ...running([{ id: 'w', effect: 'write' }]),
      asks('q1', { kind: 'approval', task: 'w', text: 'May it?' }),
      expires('q1'),
    ];
    expect(stateOf(...entries).tasks.get('w')?.failure).toEqual({
      kind: 'rejected',
      message: 'Nobody answered in time: May it?',
      code: 'unanswered',
      params: { question: 'May it?' },
    });
  });

  it('counts no call for the built-in planner, and a lost call where no restart is allowed', () => {
    expect(readAs(started({}, { mind: 'built-in' }), thinks(1))).toMatchObject([{ data: { free: true } }]);
    const [counted] = readAs(started(), thinks(1), resumed);
    expect(counted?.data).not.toHaveProperty('forgiven');
    const [forgiven] = readAs(started({ task: { restarts: 2 } }), thinks(1), resumed);
    expect(forgiven?.data).toMatchObject({ forgiven: true });
  });

  it('ends steps as the mind said', () => {
    const step = { id: 's1', operation: 'task.generate_list' };
    const update = (status: string) => ({
      id: 'u',
      operation: 'plan.update_step',
      args: { step: 's1', status, note: 'so it is' },
    });
    const before = [started(), thinks(1), decides(1), proposes([step]), approvesStep, thinks(2)];
    expect(readAs(...before, decides(2, [update('completed')]))).toMatchObject([
      { data: { endedSteps: [{ step: 's1', result: 'so it is' }] } },
    ]);
    expect(readAs(...before, decides(2, [update('failed')]))).toMatchObject([
      { data: { endedSteps: [{ step: 's1', failure: { kind: 'not_possible', message: 'so it is' } }] } },
    ]);
  });

  it('goes on as version 2: an answer is applied by the driver that takes the run up', async () => {
    const events = await createJsonlJournal(join(JOURNALS, '0.2.0')).read('asked-approved-and-in-doubt');
    const asked = events.findIndex(
      (event) => event.type === 'question_asked' && event.data.question.kind === 'approval',
    );
    const past = events.slice(0, asked + 1);
    const last = past.at(-1);
    if (last?.type !== 'question_asked') throw new Error('no approval was asked');
    const { question } = last.data;
    const answered: Event = {
      v: EVENT_VERSION,
      run: last.run,
      seq: last.seq + 1,
      at: last.at,
      type: 'question_answered',
      data: { question: question.id, answer: 'approve' },
    };
    const state = foldRun(last.run, [...past, answered]);
    const task = question.task ?? '';
    expect(state.tasks.get(task)?.status).toBe('waiting');
    expect(decide(state, last.at)).toEqual([{ type: 'apply_answer', task }]);
    expect(appliedAnswer(state, task, () => '')).toEqual({
      task,
      question: question.id,
      to: 'ready',
      approved: question.digest,
    });
  });
});

const approvesStep: Fact = {
  type: 'plan_approved',
  data: { version: 1, tasks: [{ id: 's1', effect: 'write' }] },
};

/** The state before an event. A fresh one, as the fold changes it in place. */
function structuredState(events: readonly Event[], until: number): RunState {
  return foldRun('', events.slice(0, until));
}

it('shares no rule with the current code, so that a change of it cannot change an old journal', () => {
  const folder = join(import.meta.dirname, '../../src/run/state/version-1');
  const allowed = /^(?:\.\.\/){3}(?:model\/(?:error|event|json|task)|plan\/fill-refs)\.ts$|^\.\/rules\.ts$/;
  const imported = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/^import (?!type)[^;]*from '([^']+)';/gm)].map(
      ([, from = '']) => from,
    ),
  );
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter((from) => !allowed.test(from))).toEqual([]);
});
