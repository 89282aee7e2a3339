import type { Event } from '../packages/dandori/src/model/event.ts';
import { fold } from '../packages/dandori/src/run/state/apply.ts';
import { createTemporaryJournal } from '../packages/dandori/src/testing/temporary-journal.ts';
import { SETTINGS } from './house.ts';
import type { Row } from './row.ts';

const EVENTS = 20_000;
const BATCH = 100;

/** How many events a second go to disk in batches, and come back. */
export async function journalThroughput(): Promise<Row[]> {
  await using temporary = await createTemporaryJournal();
  const { journal } = temporary;
  const run = 'bench';
  const first: Event = {
    v: 2,
    run,
    seq: 1,
    at: 1,
    type: 'run_started',
    data: { goal: 'bench', settings: SETTINGS, mind: 'built-in' },
  };
  await journal.create(run, [first]);
  const claim = await journal.claim(run);
  const writeStart = performance.now();
  for (let seq = 1; seq <= EVENTS; seq += BATCH) {
    const events = Array.from({ length: BATCH }, (_, index): Event => {
      const number = seq + index + 1;
      return {
        v: 2,
        run,
        seq: number,
        at: number,
        type: 'task_succeeded',
        data: { task: `t${number}`, attempt: 1, result: { text: 'x'.repeat(200) }, ms: 1 },
      };
    });
    await journal.append(run, seq, events);
  }
  const written = performance.now() - writeStart;
  await claim.release();
  const readStart = performance.now();
  const events = await journal.read(run);
  fold(events);
  const read = performance.now() - readStart;
  const rate = (ms: number) => `${Math.round((EVENTS / ms) * 1000).toLocaleString('en')}/s`;
  return [
    { what: `journal: events written, fdatasync’d in batches of ${BATCH}`, figure: rate(written) },
    { what: 'journal: events read, checked and folded', figure: rate(read) },
  ];
}
