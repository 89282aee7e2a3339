import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createHistoryFiles } from '../../src/history/history-files.ts';
import { historyLineSchema, historyLines, writeHistoryLines } from '../../src/history/history-lines.ts';
import { eventOf, type Fact, type FactOf } from '../../src/model/event.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { createMemoryJournal } from '../../src/store/implementations.ts';
import { settingsWith } from '../settings.ts';

const RUN = 'r1';

const started: Fact = { type: 'run_started', data: { goal: 'tea', settings: settingsWith(), mind: 'm' } };
const argsOf = (id: string): JsonObject => (id === 'b' ? { of: '${a.city} and more' } : {});
const proposed = (version: number, tasks = ['b', 'a']): Fact => ({
  type: 'plan_proposed',
  data: {
    version,
    by: 'mind',
    tasks: tasks.map((id) => ({
      id,
      operation: 'x.y',
      args: argsOf(id),
    })),
    outline: {
      objective: 'hot tea',
      successCriteria: ['it is hot'],
      reasoning: 'water first',
      steps: [{ id: 'a', description: 'boil', complexity: 'low' }],
    },
  },
});
const approved = (version: number): Fact => ({ type: 'plan_approved', data: { version, tasks: [] } });
const reflected: FactOf<'reflection_made'> = {
  type: 'reflection_made',
  data: {
    decision: 1,
    trigger: 'error',
    status: 'partial',
    evaluation: 'no milk',
    revisionNeeded: true,
    by: 'mind',
  },
};

const events = (facts: readonly Fact[], from = 0) =>
  facts.map((fact, index) => eventOf(fact, { run: RUN, seq: from + index + 1, at: 1_000 * (from + index) }));

it('a line says what was planned, in which order, and when', () => {
  const lines = historyLines(events([started, proposed(1), approved(1), reflected, proposed(2, ['c'])]));
  expect(lines).toEqual([
    {
      type: 'plan',
      timestamp: '1970-01-01T00:00:01.000Z',
      run: RUN,
      seq: 2,
      version: 1,
      status: 'accepted',
      by: 'mind',
      goal_understanding: { main_objective: 'hot tea', success_criteria: ['it is hot'], constraints: [] },
      decomposition: {
        reasoning: 'water first',
        subtasks: [
          { id: 'b', description: 'x.y', dependencies: ['a'] },
          { id: 'a', description: 'x.y', dependencies: [], complexity: 'low' },
        ],
      },
      execution_order: ['a', 'b'],
      actions: [
        { id: 'b', operation: 'x.y', args: { of: '${a.city} and more' }, dependencies: ['a'] },
        { id: 'a', operation: 'x.y', args: {}, dependencies: [] },
      ],
    },
    {
      type: 'reflection',
      timestamp: '1970-01-01T00:00:03.000Z',
      run: RUN,
      seq: 4,
      trigger: 'error',
      status: 'partial',
      evaluation: 'no milk',
      needs_revision: true,
      by: 'mind',
    },
    expect.objectContaining({ type: 'plan', version: 2, status: 'proposed', extends: 1 }),
  ]);
  for (const line of lines) expect(historyLineSchema.parse(line)).toEqual(line);
});

it('calls that are added to a plan do not repeat what the plan says', () => {
  const added = (version: number, more: Partial<FactOf<'plan_proposed'>['data']> = {}): Fact => ({
    type: 'plan_proposed',
    data: { version, by: 'mind', tasks: [{ id: `t${version}`, operation: 'x.y', args: {} }], ...more },
  });
  const made: Fact = { type: 'decision_made', data: { decision: 1, reasoning: 'pour', ms: 1 } };
  const pair = ['b', 'a'].map((id) => ({ id, operation: 'x.y', args: argsOf(id), description: `do ${id}` }));
  const many = ['c', 'd', 'e', 'f'].map((id) => ({ id, operation: 'x.y', args: {} }));
  const lines = historyLines(
    events([
      ...[started, added(1), approved(1), made, added(2), approved(2)],
      ...[added(3, { by: 'user', tasks: pair }), added(4, { tasks: many }), proposed(5, ['g'])],
    ]),
  );
  expect(lines[0]).toMatchObject({ type: 'plan', run: RUN, goal_understanding: { main_objective: 'tea' } });
  expect(lines[1]).toEqual({
    type: 'plan',
    timestamp: '1970-01-01T00:00:04.000Z',
    seq: 5,
    version: 2,
    status: 'accepted',
    extends: 1,
    reasoning: 'pour',
    execution_order: ['t2'],
    actions: [{ id: 't2', operation: 'x.y', args: {} }],
  });
  expect(lines[2]).toMatchObject({
    type: 'plan',
    status: 'proposed',
    by: 'user',
    execution_order: ['a', 'b'],
    actions: [
      { id: 'b', description: 'do b', dependencies: ['a'] },
      { id: 'a', description: 'do a' },
    ],
  });
  expect(lines.slice(3)).toMatchObject([
    { type: 'plan', extends: 2, execution_order: ['c', 'd', 'e', 'f'] },
    { type: 'plan', extends: 2, goal_understanding: { main_objective: 'hot tea' } },
  ]);
  for (const line of lines) expect(historyLineSchema.parse(line)).toEqual(line);
});

it('a reader never sees a torn or repeated line while the file is written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'history-'));
  const journal = createMemoryJournal();
  await journal.create(RUN, events([started]));
  const files = createHistoryFiles(folder, journal);
  const path = join(folder, `${RUN}.history.jsonl`);
  let seen = 0;
  for (let round = 0; round < 40; round++) {
    const [plan, verdict] = events([proposed(round + 1), approved(round + 1)], 1 + 2 * round);
    if (plan === undefined || verdict === undefined) throw new Error('no events');
    await journal.append(RUN, 1 + 2 * round, [plan, verdict]);
    files.event(plan);
    files.event(verdict);
    for (let look = 0; look < 5; look++) {
      await new Promise((resolve) => setImmediate(resolve));
      const text = readdirSync(folder).includes(`${RUN}.history.jsonl`) ? readFileSync(path, 'utf8') : '';
      const versions = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).version]));
      expect(versions).toEqual(versions.map((_, index) => index + 1));
      expect(versions.length).toBeGreaterThanOrEqual(seen);
      seen = versions.length;
    }
  }
  await files.close();
  expect(readFileSync(path, 'utf8')).toBe(writeHistoryLines(historyLines(await journal.read(RUN))));
  expect(readdirSync(folder)).toEqual([`${RUN}.history.jsonl`]);
  rmSync(folder, { recursive: true });
});

it('a file that a crash left behind is written again from the journal, and goes with its run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'history-'));
  const journal = createMemoryJournal();
  await journal.create(RUN, events([started, proposed(1), approved(1)]));
  const path = join(folder, `${RUN}.history.jsonl`);
  writeFileSync(path, '{"type":"plan","timest');
  await createHistoryFiles(folder, journal).update(RUN);
  expect(readFileSync(path, 'utf8')).toBe(writeHistoryLines(historyLines(await journal.read(RUN))));
  await createHistoryFiles(folder, journal).prune();
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

it('a secret is shown as one, and a text that only looks like a mark as it was written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'history-'));
  const mark = `[secret:${'0'.repeat(32)}]`;
  const told: Fact = {
    type: 'reflection_made',
    data: { ...reflected.data, evaluation: `${mark} [secret::x` },
  };
  const journal = createMemoryJournal();
  const written = events([started, told]);
  await journal.create(RUN, written);
  const announced = createHistoryFiles(folder, journal);
  for (const event of written) announced.event(event);
  for (const files of [announced, createHistoryFiles(folder, journal)]) {
    await files.update(RUN);
    const [line = ''] = readFileSync(join(folder, `${RUN}.history.jsonl`), 'utf8').split('\n');
    expect(JSON.parse(line)).toMatchObject({ evaluation: '[secret] [secret:x' });
  }
  rmSync(folder, { recursive: true });
});

it('the end of a run does not read the journal again if every event was announced', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'history-'));
  const journal = createMemoryJournal();
  const written = events([started, proposed(1), approved(1)]);
  await journal.create(RUN, written);
  const read = vi.spyOn(journal, 'read');
  const path = join(folder, `${RUN}.history.jsonl`);
  const text = writeHistoryLines(historyLines(written));
  const files = createHistoryFiles(folder, journal);
  for (const event of written) files.event(event);
  await files.update(RUN, written.length);
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect(read).not.toHaveBeenCalled();
  rmSync(path);
  // After a gap it is read.
  for (const event of written.slice(0, 1)) files.event(event);
  await files.update(RUN, written.length);
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect(read).toHaveBeenCalledOnce();
  rmSync(folder, { recursive: true });
});

it('the end of a run does not read the journal either while its file is being written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'history-'));
  const journal = createMemoryJournal();
  const written = events([started, proposed(1), approved(1), proposed(2), approved(2)]);
  await journal.create(RUN, written);
  const read = vi.spyOn(journal, 'read');
  const files = createHistoryFiles(folder, journal);
  for (const event of written.slice(0, 3)) files.event(event);
  const first = files.update(RUN, 3);
  for (const event of written.slice(3)) files.event(event);
  await Promise.all([first, files.update(RUN, written.length)]);
  const text = readFileSync(join(folder, `${RUN}.history.jsonl`), 'utf8');
  expect(text).toBe(writeHistoryLines(historyLines(written)));
  expect(read).not.toHaveBeenCalled();
  await files.close();
  rmSync(folder, { recursive: true });
});

it('a folder that cannot be written does not stop a run', async () => {
  const journal = createMemoryJournal();
  await journal.create(RUN, events([started, proposed(1)]));
  const files = createHistoryFiles('/dev/null/no', journal);
  await expect(files.update(RUN)).resolves.toBeUndefined();
  await expect(files.close()).resolves.toBeUndefined();
});
