import type { PgBoss } from 'pg-boss';
import type { ReservedSql, Sql, TransactionSql } from 'postgres';
import { DandoriError, messageOf } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import type { Deliveries, Engine, Wake } from './engine.ts';
import { asUnreachable } from './query.ts';

interface Parts {
  readonly sql: Sql;
  readonly schema: string;
}

interface Job {
  readonly run: string;
  readonly isAsked?: boolean;
}

const QUEUE = 'runs';
/** The most characters that pg-boss allows for a schema. */
const MOST_SCHEMA = 50;

/**
 * Wakes are jobs of pg-boss, in a schema of their own beside ours. A job is inserted in the transaction that makes
 * the run due. A worker that has a place fetches it, and deletes it as soon as the head row says that the run is
 * taken. It is not kept while the run is driven: the lease is faster than the heartbeat of pg-boss, which is at least
 * 10 seconds.
 */
export async function openPgBoss({ sql, schema }: Parts): Promise<Engine> {
  const boss = await newBoss({ sql, schema }, { migrate: false });
  if (!(await boss.isInstalled())) await migratePgBoss({ sql, schema });
  try {
    await boss.start();
  } catch (error) {
    asUnreachable(outdated(error));
  }
  return {
    isTransactional: true,
    patience: 1_000,
    async send(wakes, on) {
      await boss.insert(QUEUE, wakes.map(jobOf), { db: databaseOf(on) });
    },
    work: (deliver): Deliveries => ({
      async pull(most) {
        const jobs = await boss.fetch<Job>(QUEUE, { batchSize: most }).catch(asUnreachable);
        if (jobs.length === 0) return 0;
        await deliver(jobs.map(({ data }) => data));
        await boss
          .deleteJob(
            QUEUE,
            jobs.map(({ id }) => id),
          )
          .catch(asUnreachable);
        return jobs.length;
      },
    }),
    close: () => boss.stop({ graceful: false, close: false }),
  };
}

/**
 * Creates the tables of pg-boss or brings them up to date, under a lock of ours: two installations at the same moment
 * fail in pg-boss. Needs more than one connection.
 */
export async function migratePgBoss({ sql, schema }: Parts): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(hashtextextended(${`dandori ${schema} jobs`}, 0))`;
    await migrateAlone({ sql, schema });
  });
}

async function migrateAlone(parts: Parts): Promise<void> {
  const boss = await newBoss(parts, { migrate: true });
  try {
    await boss.start();
    // A job that is fetched is deleted in the next moment. If its worker died, the head row has the wake.
    if ((await boss.getQueue(QUEUE)) === null)
      await boss.createQueue(QUEUE, { retryLimit: 1, expireInSeconds: 60 });
  } finally {
    await boss.stop({ graceful: false, close: false });
  }
}

async function newBoss({ sql, schema }: Parts, options: { readonly migrate: boolean }): Promise<PgBoss> {
  const { PgBoss } = await loadPgBoss();
  const boss = new PgBoss({
    db: databaseOf(sql),
    schema: `${schema}_jobs`.slice(-MOST_SCHEMA),
    schedule: false,
    ...options,
  });
  // Errors of its maintenance. Those of calls are thrown.
  boss.on('error', () => {});
  return boss;
}

function jobOf({ run, at, delay, isAsked, isUrgent }: Wake) {
  const data: Job = { run, ...(isAsked && { isAsked }) };
  const startAfter = at ?? (delay > 0 ? `${delay} milliseconds` : undefined);
  return { data, ...(startAfter !== undefined && { startAfter }), ...(isUrgent && { priority: 1 }) };
}

async function loadPgBoss(): Promise<typeof import('pg-boss')> {
  try {
    return await import('pg-boss');
  } catch (error) {
    throw new DandoriError('config-invalid', 'The package pg-boss is not installed.', {
      fix: 'Run `npm install pg-boss`, or remove `dispatcher` from `store` in dandori.yaml.',
      cause: error,
    });
  }
}

function outdated(error: unknown): unknown {
  // pg-boss has no codes for its own errors.
  if (!/version|migrat/i.test(messageOf(error))) return error;
  return new DandoriError('store-outdated', `pg-boss cannot use its tables: ${messageOf(error)}.`, {
    fix: 'Stop the other servers, then run `dandori store migrate`.',
    cause: error,
  });
}

/** Lets pg-boss use our connections, instead of a second driver with a pool of its own. */
function databaseOf(sql: Sql | TransactionSql) {
  return {
    async executeSql(text: string, values: unknown[] = []): Promise<{ rows: unknown[] }> {
      const rows = await (values.length > 0
        ? sql.unsafe(text, values.map(asText), { prepare: true })
        : runScript(sql, text));
      // A script has the rows of each statement.
      return { rows: rows.some(Array.isArray) ? (rows as unknown[][]).flat() : rows };
    },
  };
}

/** Statements in one text, often with their own `BEGIN`, need one connection. */
async function runScript(sql: Sql | TransactionSql, text: string): Promise<unknown[]> {
  if (!('reserve' in sql) || !/^\s*begin\b/i.test(text)) return sql.unsafe(text);
  const reserved: ReservedSql = await sql.reserve();
  try {
    return await reserved.unsafe(text);
  } finally {
    reserved.release();
  }
}

/** We do not fetch the types of arrays, so they are sent as text. */
function asText(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (!Array.isArray(value)) return stringifyJson(value);
  const quoted = value.map((one) => (one === null ? 'null' : `"${String(one).replace(/["\\]/g, '\\$&')}"`));
  return `{${quoted.join(',')}}`;
}
