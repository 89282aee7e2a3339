import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import { parseJson } from '../../src/model/json.ts';
import { apply } from '../../src/run/state/apply.ts';
import { countedOf, recount } from '../../src/run/state/indexes.ts';
import type { RunState } from '../../src/run/state/state.ts';
import { createJsonlJournal } from '../../src/store/files/journal.ts';
import { IS_LONG } from '../long.ts';
import { simulateAll } from '../simulator/seeds.ts';

const JOURNALS = join(import.meta.dirname, '../journals');
const kept = readdirSync(JOURNALS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => file.slice(0, -'.jsonl'.length));
const SEEDS = IS_LONG ? 1_000 : 30;

/** Names the first event after which an index is not what the tasks and questions say. */
function expectCounted(events: readonly Event[], name: string): void {
  let state: RunState | undefined;
  for (const event of events) {
    state = apply(state, event);
    expect(countedOf(state), `${name}, event ${event.seq} (${event.type})`).toEqual(recount(state));
  }
}

describe('the indexes that are decided from', () => {
  it.each(kept)('are what a recount finds, after every event of %s', async (file) => {
    const [version = '', run = ''] = file.split('/');
    expectCounted(await createJsonlJournal(join(JOURNALS, version)).read(run), file);
  });

  it(`are what a recount finds, after every event of ${SEEDS} simulated lives`, async () => {
    for await (const { seed, lines } of simulateAll(20_001, SEEDS))
      expectCounted(
        lines.map((line) => parseJson(line) as unknown as Event),
        `seed ${seed}`,
      );
  });
});
