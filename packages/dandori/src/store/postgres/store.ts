import { randomUUID } from 'node:crypto';
import postgres, { type Sql } from 'postgres';
import type { ConversationEvent } from '../../model/conversation.ts';
import { DandoriError } from '../../model/error.ts';
import { CONVERSATIONS, type ConversationJournal, RUNS } from '../journal.ts';
import type { Store } from '../store.ts';
import {
  createPostgresApprovals,
  createPostgresBlobs,
  createPostgresKeys,
  readStoreKey,
} from './blobs-and-keys.ts';
import { createPostgresBus } from './bus.ts';
import { createPostgresCounts } from './counts.ts';
import { createPostgresDispatcher } from './dispatcher.ts';
import { createWrite, type Engine } from './engine.ts';
import { examineTables } from './examine.ts';
import { createPostgresJournal } from './journal.ts';
import { createLeases } from './leases.ts';
import { asUnreachable, queryOf } from './query.ts';
import type { RestateOptions } from './restate.ts';
import { addressOf, checkSchemaName, migrateTables, prepareTables } from './schema.ts';

export interface PostgresOptions {
  /** Such as `postgres://user:password@host/database`. */
  readonly url: string;
  /** The schema of the tables. `dandori` by default. */
  readonly schema?: string | undefined;
  /** How long a driver may be silent before another may take its runs, in milliseconds. */
  readonly lease?: number | undefined;
  /** What brings due runs to workers. By default the workers find them in the tables. */
  readonly dispatcher?: DispatcherChoice | undefined;
  /** For the dispatcher `restate`. */
  readonly restate?: RestateOptions | undefined;
}

type DispatcherChoice = 'built-in' | 'pg-boss' | 'restate';

export type PostgresStore = Required<Store>;

export const LEASE = 15_000;
/** The longest time that a process has for what it took or created, before another may take it. */
export const LONGEST_GRACE = 5_000;
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
  dispatcher = 'built-in',
  restate,
}: PostgresOptions): Promise<PostgresStore> {
  const schema = checkSchemaName(name);
  const sql = openPool(url, CONNECTIONS);
  // The renewals have their own connection, so that they never wait behind large statements.
  const control = openPool(url, 1);
  let engine: Engine | undefined;
  try {
    await prepareTables(sql, schema);
    engine = await openEngine({ dispatcher, restate }, { sql, schema });
    const write = createWrite(sql, engine);
    const storeKey = await readStoreKey(sql, schema);
    const leases = createLeases({ sql: control, schema, ttl: lease });
    const grace = Math.min(LONGEST_GRACE, lease / 3);
    const shared = { sql, schema, write, leases, grace, self: randomUUID() };
    const journal = createPostgresJournal(RUNS, shared);
    const conversations = createPostgresJournal(CONVERSATIONS, shared);
    const { changes } = journal;
    const bus = createPostgresBus(shared);
    return {
      journal,
      conversations: notingRuns(conversations, { sql, schema }),
      blobs: createPostgresBlobs(sql, schema),
      keys: createPostgresKeys(sql, schema),
      counts: createPostgresCounts(sql, schema),
      approvals: createPostgresApprovals(sql, schema),
      storeKey: () => storeKey,
      dispatcher: createPostgresDispatcher({ sql, schema, write, leases, changes, grace, engine }),
      bus,
      examine: (options) => examineTables({ sql, schema, address: addressOf(url, schema) }, options),
      async close() {
        bus.close();
        journal.close();
        conversations.close();
        await engine?.close();
        await leases.close();
        await Promise.all([sql.end({ timeout: 5 }), control.end({ timeout: 5 })]);
      },
    };
  } catch (error) {
    await engine?.close();
    await Promise.all([sql.end({ timeout: 1 }), control.end({ timeout: 1 })]);
    return asUnreachable(error);
  }
}

/** The packages of engines are loaded only if they are used. */
async function openEngine(
  { dispatcher, restate }: Pick<PostgresOptions, 'dispatcher' | 'restate'>,
  parts: { readonly sql: Sql; readonly schema: string },
): Promise<Engine | undefined> {
  if (dispatcher === 'pg-boss') return (await import('./pg-boss.ts')).openPgBoss(parts);
  if (dispatcher !== 'restate') return undefined;
  if (restate === undefined)
    throw new DandoriError('config-invalid', 'The dispatcher restate needs to know where Restate is.', {
      fix: 'Add `restate: { ingress, admin, listen }` to `store`.',
    });
  return (await import('./restate.ts')).openRestate(parts.schema, restate);
}

/**
 * Notes the runs of messages before the messages are written. The row is deleted when the run is created. If the
 * process dies in between, a worker finds the row and opens the conversation, which creates the run.
 */
function notingRuns<Of extends ConversationJournal>(
  conversations: Of,
  { sql, schema }: { readonly sql: Sql; readonly schema: string },
): Of {
  const query = queryOf(sql);
  async function note(id: string, events: readonly ConversationEvent[]): Promise<void> {
    for (const event of events) {
      if (event.type !== 'run_begun') continue;
      await query(
        `insert into ${schema}.unbegun (run, conversation) values ($1, $2) on conflict do nothing`,
        [event.data.run, id],
      );
    }
  }
  return {
    ...conversations,
    async create(id, events) {
      await note(id, events);
      await conversations.create(id, events);
    },
    async append(id, after, events, claim) {
      await note(id, events);
      await conversations.append(id, after, events, claim);
    },
  };
}

/** Brings the tables of a database up to date. */
export async function migratePostgres({
  url,
  schema = 'dandori',
  dispatcher = 'built-in',
}: Pick<PostgresOptions, 'url' | 'schema' | 'dispatcher'>): Promise<{
  readonly from: number;
  readonly to: number;
}> {
  const sql = openPool(url, 3);
  try {
    const migrated = await migrateTables(sql, checkSchemaName(schema));
    if (dispatcher === 'pg-boss') await (await import('./pg-boss.ts')).migratePgBoss({ sql, schema });
    return migrated;
  } catch (error) {
    return asUnreachable(error);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

export function openPool(url: string, max: number): Sql {
  return postgres(url, {
    max,
    onnotice: () => {},
    // Seconds until a connection is opened again. The default counts the failures of all connections together. After
    // an outage of one second, some would stay away for 16.
    backoff: () => 0.1 + Math.random() * 0.2,
    // We use no arrays. If a connection is cut while the library asks for their types, it ends the process.
    fetch_types: false,
    connection: { application_name: 'dandori' },
  });
}
