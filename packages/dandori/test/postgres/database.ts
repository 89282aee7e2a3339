import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { join } from 'node:path';
import postgres, { type Sql } from 'postgres';
import {
  openPostgresStore,
  type PostgresOptions,
  type PostgresStore,
} from '../../src/store/postgres/store.ts';

let starting: Promise<string> | undefined;

/** The address of a real PostgreSQL: the one that DATABASE_URL names, or one that npm brings, started once per process. */
export function postgresUrl(): Promise<string> {
  starting ??= process.env.DATABASE_URL ? Promise.resolve(process.env.DATABASE_URL) : start();
  return starting;
}

function start(): Promise<string> {
  // It ends with its input, so also when this process is killed.
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const release = () => {
    child.unref();
    for (const stream of [child.stdin, child.stdout]) if (stream instanceof Socket) stream.unref();
  };
  return new Promise((resolve, reject) => {
    child.stdout.once('data', (text: Buffer) => {
      release();
      resolve(text.toString().trim());
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`PostgreSQL did not start (${code}).`)));
  });
}

export type TestStore = PostgresStore &
  AsyncDisposable & {
    readonly options: PostgresOptions;
    /** A connection of the test's own. */
    readonly sql: Sql;
    /** Ends all leases, as if their renewals had not arrived. */
    forgetTerms(): Promise<void>;
  };

/** A store in a schema of its own, which is dropped at the end. */
export async function openTestStore(given: Partial<PostgresOptions> = {}): Promise<TestStore> {
  const url = given.url ?? (await postgresUrl());
  const schema = `t_${randomBytes(6).toString('hex')}`;
  const options = { url, schema, ...given };
  const store = await openPostgresStore(options);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  return {
    ...store,
    options,
    sql,
    async forgetTerms() {
      await sql.unsafe(`delete from ${schema}.workers`);
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await sql.unsafe(`drop schema if exists ${schema}, ${schema}_jobs cascade`);
      await sql.end();
    },
  };
}
