import { randomUUID } from 'node:crypto';
import postgres, { type Sql } from 'postgres';
import { CONVERSATIONS, RUNS } from '../journal.ts';
import type { Store } from '../store.ts';
import { createPostgresJournal } from './journal.ts';
import { createLeases } from './leases.ts';
import { createPostgresApprovals, createPostgresBlobs, createPostgresKeys, readStoreKey } from './parts.ts';
import { checkSchemaName, migrateTables, prepareTables } from './schema.ts';
import { asUnreachable } from './trouble.ts';

export interface PostgresOptions {
  /** Such as `postgres://user:password@host/database`. */
  readonly url: string;
  /** The schema of the tables. `dandori` by default. */
  readonly schema?: string | undefined;
  /** How long a driver may be silent before another may take its runs, in milliseconds. */
  readonly lease?: number | undefined;
}

export type PostgresStore = Required<Store>;

export const LEASE = 15_000;
/** Connections for statements. Appends use two of them at a time. */
const CONNECTIONS = 6;

/**
 * Stores everything in a PostgreSQL database, for any number of processes. Creates the tables if there are
 * none.
 */
export async function openPostgresStore({
  url,
  schema: name = 'dandori',
  lease = LEASE,
}: PostgresOptions): Promise<PostgresStore> {
  const schema = checkSchemaName(name);
  const sql = connect(url, CONNECTIONS);
  // The renewals have their own connection, so that they never wait behind large statements.
  const control = connect(url, 1);
  try {
    await prepareTables(sql, schema);
    const storeKey = await readStoreKey(sql, schema);
    const leases = createLeases({ sql: control, schema, ttl: lease });
    const shared = { sql, schema, leases, self: randomUUID() };
    const journal = createPostgresJournal(RUNS, shared);
    const conversations = createPostgresJournal(CONVERSATIONS, shared);
    return {
      journal,
      conversations,
      blobs: createPostgresBlobs(sql, schema),
      keys: createPostgresKeys(sql, schema),
      approvals: createPostgresApprovals(sql, schema),
      storeKey: () => storeKey,
      stranded: journal.stranded,
      async close() {
        journal.close();
        conversations.close();
        await leases.close();
        await Promise.all([sql.end({ timeout: 5 }), control.end({ timeout: 5 })]);
      },
    };
  } catch (error) {
    await Promise.all([sql.end({ timeout: 1 }), control.end({ timeout: 1 })]);
    return asUnreachable(error);
  }
}

/** Brings the tables of a database up to date. */
export async function migratePostgres({
  url,
  schema = 'dandori',
}: Pick<PostgresOptions, 'url' | 'schema'>): Promise<{ readonly from: number; readonly to: number }> {
  const sql = connect(url, 1);
  try {
    return await migrateTables(sql, checkSchemaName(schema));
  } catch (error) {
    return asUnreachable(error);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

export function connect(url: string, max: number): Sql {
  return postgres(url, {
    max,
    onnotice: () => {},
    connect_timeout: 10,
    connection: { application_name: 'dandori' },
  });
}
