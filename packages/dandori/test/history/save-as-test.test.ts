import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordRun } from '../../src/history/save-as-test.ts';
import type { Event } from '../../src/model/event.ts';
import { createMemoryJournal } from '../../src/store/in-memory.ts';
import { createFileStore } from '../../src/store/store.ts';
import type { Reply } from '../../src/testing/scripted-mind.ts';
import { count, createHouse } from '../driver/house.ts';

const TOOLS = { 'calc.add': { effect: 'read' as const, run: () => ({ sum: 3 }) } };
const ADD = { id: 'a', operation: 'calc.add', args: { n: 1 } };
const REVISE = {
  id: 'r',
  operation: 'plan.revise',
  args: { replace: [{ id: 'b', operation: 'calc.add', args: { n: '${a.sum}' } }] },
};
const ANSWER = { id: 'z', operation: 'answer', args: { text: 'done' } };
/** The second decision corrects a plan that was refused: its Ref leads nowhere. */
const SCRIPT: readonly Reply[] = [
  [ADD, { id: 'b', operation: 'calc.add', args: { n: '${nobody.sum}' } }],
  [REVISE],
  [ANSWER],
];

async function lived() {
  const house = createHouse(TOOLS, SCRIPT);
  const run = await house.start('go');
  const state = await house.drive(run);
  expect(state.end).toMatchObject({ outcome: 'answered' });
  return { house, run, events: await house.events(run) };
}

const actionsIn = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'decision_made' ? [event.data.actions] : []));

describe('the actions of a decision', () => {
  it('are journaled as the mind gave them only if its plan does not contain them', async () => {
    const { events } = await lived();
    expect(count(events, 'decision_made')).toBe(3);
    expect(actionsIn(events)).toEqual([undefined, [REVISE], undefined]);
  });

  it('stand in the recorded case as the mind gave them', async () => {
    const { house, run } = await lived();
    const { case: made, inexact } = await recordRun(run, house.parts);
    expect(made.decisions[1]).toMatchObject({ actions: [REVISE] });
    expect(inexact).toEqual([]);
  });

  it('are taken from the plan where a journal of an older version lacks them, if that leads to the same', async () => {
    const { house, run, events } = await lived();
    const old = events.map((event) => {
      if (event.type !== 'decision_made') return event;
      const { actions: _, ...data } = event.data;
      return { ...event, data };
    });
    const journal = createMemoryJournal();
    await journal.create(run, old);
    const { case: made, inexact } = await recordRun(run, { ...house.parts, journal });
    expect(inexact).toEqual([]);
    expect(made.decisions[1]?.actions?.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('are named as missing where the plan of an older version had steps', async () => {
    const store = createFileStore(join(import.meta.dirname, '../journals/0.2.0'));
    const { parts } = createHouse(TOOLS);
    const { inexact } = await recordRun('steps-and-forked', { ...parts, ...store });
    expect(inexact).toEqual([1]);
  });
});

it('a saved test trusts the tools that its run trusted, whatever they say now', async () => {
  const tools = { 'calc.add': { trusted: true }, 'page.read': { trusted: false }, 'note.add': {} };
  const script: readonly Reply[] = [
    [ADD, { id: 'p', operation: 'page.read', args: {} }, { id: 'n', operation: 'note.add', args: {} }],
    [ANSWER],
  ];
  const house = createHouse(tools, script);
  const run = await house.start('go', undefined, { trust: { policy: 'standard' } });
  await house.drive(run);
  const { parts } = createHouse({ 'calc.add': { trusted: false }, 'page.read': { trusted: true } });
  const made = await recordRun(run, { ...house.parts, toolbox: parts.toolbox });
  expect(made.unknown).toEqual(['note.add']);
  expect(made.case.tools.map(({ name, trusted }) => [name, trusted])).toEqual([
    ['calc.add', true],
    ['page.read', false],
    ['note.add', true],
  ]);
});
