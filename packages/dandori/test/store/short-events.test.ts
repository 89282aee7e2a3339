import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Event, eventOf, type Fact, type FactOf } from '../../src/model/event.ts';
import { createJsonlJournal } from '../../src/store/files/journal.ts';
import { joinLines, parseLine, splitLine, toAppendLine } from '../../src/store/files/line.ts';
import { RUNS } from '../../src/store/journal.ts';

const RUN = 'r1';
const JOURNALS = join(import.meta.dirname, '../journals');
const kept = readdirSync(JOURNALS).filter((name) => /^\d/.test(name));

const task = { id: 't1', operation: 'work', args: { size: 1 } };
const made: Fact = { type: 'decision_made', data: { decision: 1, reasoning: 'next', model: 'a/b', ms: 5 } };
const proposed: Fact = { type: 'plan_proposed', data: { version: 1, by: 'mind', tasks: [task] } };
const approved: FactOf<'plan_approved'> = {
  type: 'plan_approved',
  data: { version: 1, tasks: [{ id: 't1', effect: 'read', rank: 1000 }] },
};
const started: Fact = { type: 'task_started', data: { task: 't1', attempt: 1, key: `${RUN}/t1` } };
const succeeded: Fact = { type: 'task_succeeded', data: { task: 't1', attempt: 1, result: 'sun', ms: 0 } };
const next: Fact = { type: 'decision_started', data: { decision: 2, purpose: 'act' } };

const eventsOf = (facts: readonly Fact[], times: readonly number[] = []) =>
  facts.map((fact, index) => eventOf(fact, { run: RUN, seq: index + 2, at: times[index] ?? 7 }));

function read(line: string, run = RUN): Event[] {
  return parseLine<Event>(Buffer.from(line), { file: '', run, line: 1, offset: 0, seq: undefined }, RUNS);
}

/** The events of the line, after it was read back, and split and joined as a copy does it. */
function writtenOf(events: readonly Event[]): unknown[] {
  const line = toAppendLine(events).trimEnd();
  const { run = '' } = events[0] ?? {};
  expect(read(line, run)).toEqual(events);
  const lines = splitLine(line, run);
  expect(lines.flatMap((one) => read(one, run))).toEqual(events);
  expect(joinLines(lines, run)).toBe(`${line}\n`);
  return JSON.parse(line).events;
}

describe('a line of several events leaves out what follows from it', () => {
  it('of a step: names, first attempts, keys, the rank of a tool that was never called', () => {
    const step = eventsOf([made, proposed, approved, started, succeeded, next], [7, 7, 8, 8, 8, 9]);
    expect(writtenOf(step)).toEqual([
      { decision_made: { decision: 1, reasoning: 'next', model: 'a/b', ms: 5 } },
      { plan_proposed: { version: 1, tasks: [task] } },
      { at: 8, plan_approved: { tasks: [{ id: 't1', effect: 'read' }] } },
      { task_started: { task: 't1' } },
      { task_succeeded: { task: 't1', result: 'sun' } },
      { at: 9, decision_started: { decision: 2 } },
    ]);
  });

  it.each<[string, Fact, object]>([
    [
      'a call of the past of a fork',
      { type: 'task_started', data: { task: 't1', attempt: 1, key: 'origin/t1' } },
      { task_started: { task: 't1', key: 'origin/t1' } },
    ],
    [
      'another attempt',
      { type: 'task_started', data: { task: 't1', attempt: 2, key: `${RUN}/t1` } },
      { task_started: { task: 't1', attempt: 2 } },
    ],
    [
      'a plan of the user',
      { type: 'plan_proposed', data: { version: 1, by: 'user', tasks: [] } },
      { plan_proposed: { version: 1, by: 'user', tasks: [] } },
    ],
    [
      'an approval that came alone',
      approved,
      { plan_approved: { version: 1, tasks: [{ id: 't1', effect: 'read' }] } },
    ],
    [
      'a plan whose ranks are missing',
      { type: 'plan_approved', data: { version: 1, tasks: [{ id: 't1', effect: 'read' }] } },
      { type: 'plan_approved', data: { version: 1, tasks: [{ id: 't1', effect: 'read' }] } },
    ],
    [
      'a question of a task that was not called',
      { type: 'question_answered', data: { question: 'q1', answer: null } },
      { question_answered: { question: 'q1', answer: null } },
    ],
  ])('%s keeps what is not usual', (_name, fact, written) => {
    expect(writtenOf(eventsOf([next, fact]))[1]).toEqual(written);
  });

  it('a number beyond 2^53 beside it is kept', () => {
    const large: Fact = {
      type: 'task_succeeded',
      data: { task: 't1', attempt: 1, result: 2n ** 60n, ms: 0 },
    };
    const line = toAppendLine(eventsOf([started, large]));
    expect(line).toContain('{"task_succeeded":{"task":"t1","result":1152921504606846976}}');
    expect(read(line.trimEnd())).toEqual(eventsOf([started, large]));
  });

  it('an approval of another plan than the one before it names its version', () => {
    const other: Fact = { ...approved, data: { ...approved.data, version: 2 } };
    expect(writtenOf(eventsOf([proposed, other]))[1]).toMatchObject({ plan_approved: { version: 2 } });
  });

  it('an event in full takes its time from the line, a short one from the event before', () => {
    const unranked: Fact = {
      type: 'plan_approved',
      data: { version: 1, tasks: [{ id: 'x', effect: 'read' }] },
    };
    const events = eventsOf([next, next, unranked, next, unranked], [7, 8, 8, 8, 7]);
    expect(writtenOf(events).map((one) => (one as { at?: number }).at)).toEqual([
      undefined,
      8,
      8,
      undefined,
      undefined,
    ]);
  });
});

it.each(kept)('every event of the kept journals of %s comes back as it was', async (version) => {
  const folder = join(JOURNALS, version);
  const journal = createJsonlJournal(folder);
  for (const { run } of await journal.list()) {
    const [, ...events] = await journal.read(run);
    writtenOf(events.map((event) => ({ ...event, v: 2 }) as Event));
    const lines = readFileSync(join(folder, `${run}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n');
    for (const line of lines) expect(joinLines(splitLine(line, run), run)).toBe(`${line}\n`);
  }
});
