import { describe, expect, it } from 'vitest';
import { openRuntime } from '../../src/app/dandori.ts';
import { startRun } from '../../src/commands/start.ts';
import { addNote } from '../../src/commands/steer.ts';
import { drive } from '../../src/driver/drive.ts';
import type { Event } from '../../src/model/event.ts';
import type { SchemaCheck } from '../../src/model/tool.ts';
import { createMemoryJournal } from '../../src/store/in-memory.ts';
import type { Journal } from '../../src/store/journal.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { createTemporaryJournal } from '../../src/testing/temporary-journal.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import { createHouse, DONE, SETTINGS, task } from './house.ts';
import { openStream } from './stream.ts';

const INPUT = { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: false };
const TOOLS: Record<string, FunctionTool> = {
  'a.get': { inputSchema: INPUT, run: ({ n = 0 }) => ({ n }) },
  'b.put': { effect: 'write', inputSchema: INPUT },
};
const PLAN = [
  task('t1', 'a.get', { args: { n: 1 } }),
  task('t2', 'a.get', { args: { n: 2 } }),
  task('t3', 'b.put', { args: { n: 3 } }),
];

/** How often each value was held against a schema of a tool. */
function countChecks(): { check: SchemaCheck; seen: string[] } {
  const check = createSchemaCheck();
  const seen: string[] = [];
  const counted: SchemaCheck = (schema, value, work) => {
    if (schema === INPUT) seen.push(JSON.stringify(value));
    return check(schema, value, work);
  };
  return { check: Object.assign(counted, { problem: check.problem }), seen };
}

function countReads(journal: Journal): { journal: Journal; reads: string[] } {
  const reads: string[] = [];
  const read: Journal['read'] = (run, after) => {
    reads.push(run);
    return journal.read(run, after);
  };
  return { journal: { ...journal, read }, reads };
}

describe('a run that is started and driven in one process', () => {
  const start = async () => {
    const { journal, reads } = countReads(createMemoryJournal());
    const { check, seen } = countChecks();
    const house = createHouse(TOOLS, DONE, { journal, check });
    const given = { goal: 'go', settings: SETTINGS, tasks: PLAN, isValidOnly: true };
    const started = await startRun(given, house.parts);
    const go = (what: Parameters<typeof drive>[0]) => house.clock.runUntil(drive(what, house.parts));
    return { ...house, started, reads, seen, go };
  };

  it('is never read: the driver goes on from the events that were just written', async () => {
    const place = await start();
    expect((await place.go(place.started)).end).toMatchObject({ outcome: 'answered' });
    expect(place.reads).toEqual([]);
  });

  it('has its plan compiled once, and not again by the driver', async () => {
    const place = await start();
    await place.go(place.started);
    expect(place.seen).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
  });

  it('has the same journal as one that another process drives', async () => {
    const here = await start();
    const there = await start();
    await here.go(here.started);
    await there.go(there.started.run);
    expect(there.reads.length).toBeGreaterThan(0);
    const plain = (events: readonly Event[]) =>
      events.map(({ type, data }) => JSON.parse(JSON.stringify({ type, data: { ...data, key: undefined } })));
    expect(plain(await here.events(here.started.run))).toEqual(plain(await there.events(there.started.run)));
  });

  it('has its plan compiled again where the tools have changed since', async () => {
    const place = await start();
    const tools = new Map(place.toolbox.tools());
    tools.delete('b.put');
    const toolbox = { ...place.toolbox, tools: () => tools };
    const state = await place.clock.runUntil(drive(place.started, { ...place.parts, toolbox }));
    expect(state.end).toMatchObject({ outcome: 'failed' });
  });

  it('is read if another process wrote to it before it is driven', async () => {
    const place = await start();
    await addNote({ run: place.started.run, text: 'be quick' }, place.parts);
    const state = await place.go(place.started);
    expect(state.notes).toMatchObject([{ text: 'be quick' }]);
    expect(state.end).toMatchObject({ outcome: 'answered' });
  });

  it('is not driven again where another process has brought it to its end', async () => {
    const place = await start();
    await place.go(place.started.run);
    const { length } = place.toolbox.calls;
    expect((await place.go(place.started)).end).toMatchObject({ outcome: 'answered' });
    expect(place.toolbox.calls).toHaveLength(length);
  });

  it('is refused where its plan does not compile and only a valid one is wanted, and nothing is written', async () => {
    const place = await start();
    const wrong = [task('t1', 'a.get', { args: { n: 'one' } })];
    const given = { goal: 'go', settings: SETTINGS, tasks: wrong, isValidOnly: true };
    await expect(startRun(given, place.parts)).rejects.toMatchObject({
      code: 'plan-invalid',
      diagnostics: [{ task: 't1', path: ['args', 'n'] }],
    });
    expect(await place.parts.journal.list()).toHaveLength(1);
  });

  it('is not read when a program runs a goal', async () => {
    await using temporary = await createTemporaryJournal();
    const { journal, reads } = countReads(temporary.journal);
    const { toolbox } = createHouse(TOOLS);
    const store = { ...temporary.store, journal };
    await using dandori = await openRuntime({
      cwd: temporary.directory,
      store,
      toolbox,
      mind: createScriptedMind([[{ operation: 'a.get', args: { n: 1 } }], ...DONE]),
    });
    expect(await dandori.run('go')).toMatchObject({ outcome: 'answered' });
    expect(reads).toEqual([]);
  });
});

describe('an action that is called while the model still writes', () => {
  it('is parsed and checked once, and not again with the whole list', async () => {
    const { check, seen } = countChecks();
    const actions = [1, 2, 3].map((n) => ({ id: `t${n}`, operation: 'a.get', args: { n } }));
    const answer = { actions: [{ id: 'z', operation: 'answer', args: { text: 'done' } }] };
    await using stream = await openStream(TOOLS, [{ actions }, answer], { check });
    const state = await stream.drive(await stream.start());
    expect(state.end).toMatchObject({ outcome: 'answered' });
    expect(stream.calls.map(({ task: id }) => id)).toEqual(['t1', 't2', 't3']);
    expect(seen).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
  });
});
