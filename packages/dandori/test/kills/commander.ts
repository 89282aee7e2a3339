/**
 * Writes one command and is dead before anything else can happen: `node commander.ts STORE start GOAL` or
 * `… answer RUN QUESTION ANSWER`. Prints the id of the run first.
 */

import { writeSync } from 'node:fs';
import { answerQuestion } from '../../src/commands/answer.ts';
import { startRun } from '../../src/commands/start.ts';
import type { Journal } from '../../src/store/index.ts';
import { openPostgresStore, type PostgresOptions } from '../../src/store/postgres/store.ts';
import { partsOf } from '../postgres/worker.ts';
import { settingsWith } from '../settings.ts';

const [stored = '', what = '', first = '', question = '', answer = ''] = process.argv.slice(2);
const { lease: _, ...options } = JSON.parse(stored) as PostgresOptions;
const store = await openPostgresStore(options);
const die = () => process.kill(process.pid, 'SIGKILL');
const journal: Journal = {
  ...store.journal,
  async create(run, events) {
    writeSync(1, `${run}\n`);
    await store.journal.create(run, events);
    die();
  },
  async append(run, after, events, claim) {
    await store.journal.append(run, after, events, claim);
    die();
  },
};
const parts = {
  ...partsOf({ ...store, journal }, { effects: '/dev/null', name: 'commander', takes: 0 }),
  journal,
};
if (what === 'start')
  await startRun(
    { goal: first, settings: settingsWith({ approval: 'never' }) },
    { ...parts, mind: { name: 'openai-compatible/test' } },
  );
else await answerQuestion({ run: first, question, answer }, parts);
// Not reached.
process.exit(1);
