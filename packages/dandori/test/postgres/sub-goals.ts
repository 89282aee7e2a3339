import { describe, expect, it } from 'vitest';
import { type Mind, openDandori, type Store } from '../../src/index.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { createScriptedMind, type Reply, type ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { openTestStore } from './database.ts';

const act = (id: string, operation: string, args = {}): ScriptedAction => ({ id, operation, args });
const END: Reply = [act('end', 'answer', { text: 'done' })];

/** Each goal has a script of its own, so that either process can go on with either run. */
function mindFor(scripts: Readonly<Record<string, readonly Reply[]>>): Mind {
  return {
    name: 'scripted',
    think: (thought) => {
      const replies = scripts[thought.state.goal] ?? [];
      return createScriptedMind(replies.slice(thought.state.decisions.length)).think(thought);
    },
  };
}

const open = (store: Store, scripts: Readonly<Record<string, readonly Reply[]>>) =>
  openDandori({ store, model: mindFor(scripts), config: { execution: { sub_goals: true }, mcpServers: {} } });

describe('sub-goals in PostgreSQL', () => {
  it('are asked about in their parent, and another process goes on with both', async () => {
    await using store = await openTestStore();
    const scripts = {
      trip: [[act('a', 'goal.run', { goal: 'hotel' })], END],
      hotel: [[act('q', 'ask', { question: 'How many nights?' })], END],
    };
    let id = '';
    {
      await using first = await open(store, scripts);
      const run = first.run('trip');
      id = run.id;
      expect(await run.report()).toMatchObject({
        outcome: 'waiting',
        questions: [{ text: 'How many nights?' }],
      });
    }
    const other = await openPostgresStore(store.options);
    try {
      await using second = await open(other, scripts);
      const run = second.open(id);
      const [question] = await run.questions();
      await run.answer(question?.id ?? '', 'two');
      expect(await run.report()).toMatchObject({ outcome: 'answered', tasks: { a: { run: `${id}--a` } } });
      const runs = await second.runs();
      expect(runs.map((one) => [one.run, one.status]).sort()).toEqual([
        [id, 'answered'],
        [`${id}--a`, 'answered'],
      ]);
      for (const one of [id, `${id}--a`]) {
        expect(brokenLaws(await other.journal.read(one))).toEqual([]);
        expect((await second.open(one).replay()).differences).toEqual([]);
      }
    } finally {
      await other.close();
    }
  });

  it('end with their parent', async () => {
    await using store = await openTestStore();
    await using dandori = await open(store, {
      trip: [[act('a', 'goal.run', { goal: 'hotel' })], END],
      hotel: [[act('q', 'ask', { question: 'How many nights?' })], END],
    });
    const run = dandori.run('trip');
    await run.report();
    await run.cancel('not today');
    expect((await run.report()).outcome).toBe('cancelled');
    expect((await dandori.open(`${run.id}--a`).report()).outcome).toBe('cancelled');
  });
});
