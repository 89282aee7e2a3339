import type { Sql } from 'postgres';
import { DandoriError } from '../../model/error.ts';

/**
 * The tables, version by version. A published version never changes: add the next one.
 *
 * Bodies are `text`: `jsonb` refuses `\u0000` and would not give back the same bytes. Ids compare by byte
 * (`collate "C"`), as file names do, so that every store lists in the same order. Times of leases are those of
 * the database.
 */
const MIGRATIONS: readonly string[] = [
  `
  create table workers (
    id text primary key,
    name text not null,
    until timestamptz not null
  );
  create index workers_until on workers (until);
  ${journalTables('run')}
  create index runs_worker on runs (worker) where worker is not null;
  create index runs_status on runs (status, id desc);
  ${journalTables('conversation')}
  create table blobs (
    sha256 text primary key,
    bytes bigint not null,
    upload uuid not null,
    at timestamptz not null default clock_timestamp()
  );
  create index blobs_at on blobs (at);
  create table blob_chunks (
    upload uuid not null,
    part integer not null,
    data bytea not null,
    primary key (upload, part)
  );
  create table keys (
    name text primary key,
    value text not null,
    at timestamptz not null default clock_timestamp()
  );
  create index keys_at on keys (at);
  create table approvals (
    owner text not null,
    id text not null,
    at double precision not null,
    body text not null,
    primary key (owner, id)
  );
  create table settings (name text primary key, value text not null);
  `,
  // When a run is due: a run without a driver whose time has passed, or whose driver has lost its lease.
  // `wakes` counts explicit wakes, so that a driver clears only those that it knew of. A run with a `parent` is a
  // sub-goal, which only its run drives.
  `
  alter table runs
    add column wake_at timestamptz,
    add column wakes bigint not null default 0,
    add column parent text;
  update runs set wake_at = clock_timestamp() where status in ('open', 'waiting', 'paused');
  create index runs_due on runs (wake_at) where worker is null and wake_at is not null;
  create table unbegun (
    run text primary key,
    conversation text not null,
    at timestamptz not null default clock_timestamp()
  );
  create index unbegun_at on unbegun (at);
  `,
  // Wakes for later. The time that a driver tells is in the head row, because the next drive replaces it.
  `
  create table wakes (
    run text collate "C" not null references runs on delete cascade,
    at timestamptz not null
  );
  create index wakes_at on wakes (at);
  create index wakes_run on wakes (run);
  alter table workers
    add column started timestamptz not null default clock_timestamp(),
    add column about text,
    add column clock_offset double precision;
  `,
  // What statistics need of a run, so that a database adds it up. `seq` tells whether the run has gone on since.
  `
  create table run_counts (
    id text collate "C" primary key references runs on delete cascade,
    seq integer not null,
    started_at double precision not null,
    outcome text not null,
    is_ended boolean not null,
    ms double precision not null,
    revisions integer not null,
    model_calls integer not null,
    input_tokens double precision not null,
    output_tokens double precision not null,
    cached_tokens double precision not null,
    cost double precision,
    rating integer,
    calls integer not null,
    failed integer not null,
    in_doubt integer not null,
    timeouts integer not null,
    tools jsonb not null,
    owner text
  );
  create index run_counts_started on run_counts (started_at);
  `,
];

/** The head row of a run or conversation, and its events. */
function journalTables(kind: 'run' | 'conversation'): string {
  return `
  create table ${kind}s (
    id text collate "C" primary key,
    last_seq integer not null,
    last_at double precision not null,
    status text not null,
    owner text,
    epoch bigint not null default 0,
    worker text
  );
  create index ${kind}s_owner on ${kind}s (owner, id desc) where owner is not null;
  create table ${kind}_events (
    id text collate "C" not null references ${kind}s on delete cascade,
    seq integer not null,
    body text not null,
    primary key (id, seq)
  );`;
}

/** Sorts behind every id, so that the first page is found by the same index as the others. */
export const AFTER_EVERY_ID = '~';

const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;

export function checkSchemaName(name: string): string {
  if (SCHEMA.test(name)) return name;
  throw new DandoriError('config-invalid', `"${name}" cannot be the name of a schema.`, {
    fix: 'Use small letters, digits and underscores, such as dandori.',
  });
}

/** Without user and password. */
export function addressOf(url: string, schema: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `postgres://${hostname}:${port || 5432}${pathname}#${schema}`;
}

/** Creates the tables of an empty database. Refuses tables of another version. */
export async function prepareTables(sql: Sql, schema: string): Promise<void> {
  const version = await versionOf(sql, schema);
  if (version === MIGRATIONS.length) return;
  if (version === 0) return void (await migrateTables(sql, schema));
  const isOlder = version < MIGRATIONS.length;
  throw new DandoriError(
    'store-outdated',
    `The tables of the store have version ${version}, and this Dandori needs ${MIGRATIONS.length}.`,
    {
      fix: isOlder
        ? 'Stop the other servers, then run `dandori store migrate`.'
        : 'Install the version of Dandori that the others use.',
    },
  );
}

/** Brings the tables up to date, under a lock: many processes may start at once. */
export async function migrateTables(sql: Sql, schema: string): Promise<{ from: number; to: number }> {
  return sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(hashtextextended(${`dandori ${schema}`}, 0))`;
    await transaction.unsafe(`create schema if not exists ${schema}`);
    await transaction.unsafe(`set local search_path to ${schema}`);
    await transaction.unsafe(
      'create table if not exists migrations (version integer primary key, at timestamptz not null default now())',
    );
    const [row] = await transaction<{ version: number }[]>`
      select coalesce(max(version), 0)::integer as version from migrations`;
    const from = row?.version ?? 0;
    for (const [index, text] of MIGRATIONS.entries()) {
      if (index < from) continue;
      await transaction.unsafe(text);
      await transaction`insert into migrations (version) values (${index + 1})`;
    }
    return { from, to: Math.max(from, MIGRATIONS.length) };
  });
}

/** 0 if there are no tables. */
async function versionOf(sql: Sql, schema: string): Promise<number> {
  const [table] = await sql<{ found: boolean }[]>`
    select to_regclass(${`${schema}.migrations`}) is not null as found`;
  if (table?.found !== true) return 0;
  const [row] = await sql.unsafe<{ version: number }[]>(
    `select coalesce(max(version), 0)::integer as version from ${schema}.migrations`,
  );
  return row?.version ?? 0;
}
