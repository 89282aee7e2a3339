/** Drives a run on a PostgreSQL store: `node worker.ts URL SCHEMA RUN EFFECTS NAME MILLISECONDS`. */

import { appendFileSync } from 'node:fs';
import { drive } from '../../src/driver/drive.ts';
import { systemClock } from '../../src/driver/index.ts';
import type { Parts } from '../../src/driver/parts.ts';
import {
  openPostgresStore,
  type PostgresOptions,
  type PostgresStore,
} from '../../src/store/postgres/store.ts';
import { createFunctionToolbox } from '../../src/testing/function-toolbox.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';

/** Short, so that a test need not wait long. */
export const LEASE = 1_500;

/** `a.slow` stops when it is told to; `b.put` takes effect at once, never answers and cannot be stopped. */
export function partsOf(
  store: Pick<PostgresStore, 'journal' | 'blobs'>,
  { effects, name, takes }: { effects: string; name: string; takes: number },
): Parts {
  const done = (what: string) => appendFileSync(effects, `${what} by ${name}\n`);
  return {
    journal: store.journal,
    blobs: store.blobs,
    clock: systemClock,
    toolbox: createFunctionToolbox(systemClock, {
      'a.slow': { effect: 'idempotent', takes, run: () => done('slow') ?? 'done' },
      'b.put': {
        effect: 'write',
        run: () => {
          done('put');
          return new Promise(() => {});
        },
      },
    }),
    mind: createScriptedMind([[{ operation: 'answer', args: { text: 'done' } }]]),
    check: () => [],
    secrets: [],
    driver: name,
  };
}

if (import.meta.filename === process.argv[1]) {
  const [url = '', schema = '', run = '', effects = '', name = '', takes = ''] = process.argv.slice(2);
  const options: PostgresOptions = { url, schema, lease: LEASE };
  const store = await openPostgresStore(options);
  const ended = await drive(run, partsOf(store, { effects, name, takes: Number(takes) })).then(
    ({ end }) => end?.outcome ?? 'open',
    (error: { code?: string }) => error.code ?? String(error),
  );
  process.stdout.write(`${ended}\n`);
  await store.close();
}
