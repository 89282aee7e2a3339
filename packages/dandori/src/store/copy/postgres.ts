import { randomUUID } from 'node:crypto';
import { DandoriError } from '../../model/error.ts';
import { parseJson } from '../../model/json.ts';
import { type StandingApproval, standingApproval } from '../../model/question.ts';
import { CONVERSATIONS, RUNS } from '../journal.ts';
import { createPostgresApprovals, createPostgresBlobs } from '../postgres/blobs-and-keys.ts';
import { createWrite } from '../postgres/engine.ts';
import { createPostgresJournal } from '../postgres/journal.ts';
import { createLeases } from '../postgres/leases.ts';
import { asUnreachable } from '../postgres/query.ts';
import { addressOf, checkSchemaName, prepareTables } from '../postgres/schema.ts';
import { LEASE, LONGEST_GRACE, openPool, type PostgresOptions } from '../postgres/store.ts';
import type { CopiedStore, StoredKey } from './copy.ts';

const CONNECTIONS = 4;
/** Keys per page. */
const PAGE = 1_000;

/** The tables of a database. Unless they must exist, they are created if there are none. */
export async function openPostgresForCopy({
  url,
  schema: name = 'dandori',
  lease = LEASE,
  mustExist = false,
}: PostgresOptions & { readonly mustExist?: boolean }): Promise<CopiedStore> {
  const schema = checkSchemaName(name);
  const sql = openPool(url, CONNECTIONS);
  const control = openPool(url, 1);
  const end = () => Promise.all([sql.end({ timeout: 5 }), control.end({ timeout: 5 })]);
  const query = <Row extends object>(text: string, args: (string | number)[] = []): Promise<readonly Row[]> =>
    sql.unsafe<Row[]>(text, args).catch(asUnreachable);
  try {
    if (
      mustExist &&
      (await query<{ t: string | null }>(`select to_regclass('${schema}.migrations')::text as t`))[0]?.t ===
        null
    )
      throw new DandoriError('usage', `The database has no runs in the schema "${schema}".`, {
        fix: 'Name the schema in the address: postgres://host/database?schema=dandori',
      });
    await prepareTables(sql, schema);
  } catch (error) {
    await end();
    return asUnreachable(error);
  }
  const leases = createLeases({ sql: control, schema, ttl: lease });
  const shared = {
    sql,
    schema,
    write: createWrite(sql, undefined),
    leases,
    self: randomUUID(),
    grace: LONGEST_GRACE,
  };
  const runs = createPostgresJournal(RUNS, shared);
  const conversations = createPostgresJournal(CONVERSATIONS, shared);
  return {
    address: addressOf(url, schema),
    runs,
    conversations,
    blobs: createPostgresBlobs(sql, schema),
    keys: {
      async *all(): AsyncGenerator<StoredKey> {
        for (let after = ''; ; ) {
          const page = await query<StoredKey>(
            `select name as hash, value, extract(epoch from at)::float8 * 1000 as at
             from ${schema}.keys where name > $1 order by name limit $2`,
            [after, PAGE],
          );
          yield* page;
          if (page.length < PAGE) return;
          after = page.at(-1)?.hash ?? '';
        }
      },
      async hold({ hash, value, at }) {
        const [row] = await query<{ value: string }>(
          `insert into ${schema}.keys as k (name, value, at) values ($1, $2, to_timestamp($3::float8))
           on conflict (name) do update set value = k.value returning value`,
          [hash, value, at / 1000],
        );
        return row?.value ?? value;
      },
    },
    approvals: {
      async all() {
        const rows = await query<{ body: string }>(`select body from ${schema}.approvals order by at, id`);
        const found = rows.map(({ body }) => standingApproval.safeParse(parseJson(body)).data);
        return found.filter((one): one is StandingApproval => one !== undefined);
      },
      add: createPostgresApprovals(sql, schema).add,
    },
    secrets: {
      async read() {
        const rows = await query<{ value: string }>(
          `select value from ${schema}.settings where name = 'secrets.key'`,
        );
        return rows[0]?.value;
      },
      async hold(key) {
        const [row] = await query<{ value: string }>(
          `insert into ${schema}.settings as s (name, value) values ('secrets.key', $1)
           on conflict (name) do update set value = s.value returning value`,
          [key],
        );
        return row?.value ?? key;
      },
    },
    async close() {
      runs.close();
      conversations.close();
      await leases.close();
      await end();
    },
  };
}
