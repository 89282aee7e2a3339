import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventAt, firstEvent } from '../packages/dandori/src/store/conformance/cases.ts';
import { createJsonlJournal } from '../packages/dandori/src/store/files/journal.ts';
import type { Claim, Journal } from '../packages/dandori/src/store/index.ts';
import { openPostgresStore } from '../packages/dandori/src/store/postgres/store.ts';
import { startDatabase } from '../packages/dandori/test/cluster/cluster.ts';
import { median, type Row } from './row.ts';

const RUNS = 50;
const APPENDS = 40;
const STEPS = 100;
const ROUNDS = 5;

interface Measured {
  readonly perSecond: number;
  /** Microseconds of CPU of this process for each append. */
  readonly cpu: number;
  /** Milliseconds of one append, when nothing else is written. */
  readonly latency: number;
}

/** A PostgreSQL that syncs beside files, in turns. Both on the same disk, each append with its claim. */
export async function stores(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dandori-bench-stores-'));
  const database = await startDatabase();
  const store = await openPostgresStore({ url: database.url });
  const files = createJsonlJournal(folder);
  const measured = { files: [] as Measured[], postgres: [] as Measured[] };
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      const [here, there] = [await measure(files, `f${round}`), await measure(store.journal, `p${round}`)];
      // The first round warms up.
      if (round > 0) measured.files.push(here) && measured.postgres.push(there);
    }
  } finally {
    await store.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
  const of = (kind: keyof typeof measured, what: keyof Measured) =>
    median(measured[kind].map((one) => one[what]));
  const rows: [string, keyof Measured, number, string | undefined][] = [
    [`appends per second, ${RUNS} runs`, 'perSecond', 0, '≥ 1× files'],
    ['CPU of Node per append (µs)', 'cpu', 0, '≤ 100 µs'],
    ['a single append (ms)', 'latency', 2, undefined],
  ];
  return rows.map(([what, key, digits, aim]) => ({
    what: `stores: ${what}`,
    figure: of('postgres', key).toFixed(digits),
    ...(aim !== undefined && { aim }),
    note: `files ${of('files', key).toFixed(digits)}, ratio ${(of('postgres', key) / of('files', key)).toFixed(2)}`,
  }));
}

async function measure(journal: Journal, prefix: string): Promise<Measured> {
  const runs = Array.from({ length: RUNS }, (_, index) => `${prefix}-${index}`);
  const claims = new Map<string, Claim>();
  for (const run of runs) {
    await journal.create(run, [firstEvent(run)]);
    claims.set(run, await journal.claim(run));
  }
  const append = (run: string, seq: number) =>
    journal.append(run, seq - 1, [eventAt(run, seq)], claims.get(run));
  const [before, began] = [process.cpuUsage(), performance.now()];
  await Promise.all(
    runs.map(async (run) => {
      for (let seq = 2; seq < 2 + APPENDS; seq++) await append(run, seq);
    }),
  );
  const [took, { user, system }] = [performance.now() - began, process.cpuUsage(before)];
  const count = RUNS * APPENDS;
  const alone = performance.now();
  const [first = ''] = runs;
  for (let step = 0; step < STEPS; step++) await append(first, 2 + APPENDS + step);
  const latency = (performance.now() - alone) / STEPS;
  for (const claim of claims.values()) await claim.release();
  return { perSecond: (count / took) * 1000, cpu: (user + system) / count, latency };
}
