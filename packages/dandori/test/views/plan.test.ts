import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fold } from '../../src/run/state/apply.ts';
import { createJsonlJournal } from '../../src/store/files/journal.ts';
import { planTasks } from '../../src/views/plan.ts';

it('a plan that was revised is what stands of it, without what was replaced', async () => {
  const journal = createJsonlJournal(join(import.meta.dirname, '../journals/0.1.0'));
  const state = fold(await journal.read('revised-and-rated'));
  if (state === undefined) throw new Error('A run has events.');
  const replaced = [...state.tasks.values()].filter(({ isSuperseded }) => isSuperseded);
  expect(replaced.length).toBeGreaterThan(0);
  const ids = planTasks(state).map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(0);
  for (const { task } of replaced) expect(ids).not.toContain(task.id);
});
