import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Sql } from 'postgres';
import type { BlobHandle } from '../../model/event.ts';
import { parseJson, stringifyJson } from '../../model/json.ts';
import { standingApproval } from '../../model/question.ts';
import { alteredBlob, type Blobs, encoded, type Keys, missingBlob } from '../blobs.ts';
import { type Approvals, approvalId, ownerName } from '../standing-approvals.ts';
import { asUnreachable, queryOf } from './query.ts';

/** A blob in chunks, so that a large one is never in memory as a whole while it is written. */
export function createPostgresBlobs(sql: Sql, schema: string): Blobs {
  const blobs = `${schema}.blobs`;
  const chunks = `${schema}.blob_chunks`;
  const query = queryOf(sql);

  /** The hash is known only after the last chunk, so the chunks are stored under an id of their own. */
  async function put(parts: Iterable<string>): Promise<BlobHandle> {
    const upload = randomUUID();
    return sql.begin(async (transaction) => {
      const encoding = encoded(parts);
      let step = encoding.next();
      for (let part = 0; step.done !== true; part++) {
        // A copy: the next chunk uses the same buffer.
        const data = Buffer.from(step.value);
        await transaction.unsafe(`insert into ${chunks} (upload, part, data) values ($1, $2, $3)`, [
          upload,
          part,
          data,
        ]);
        step = encoding.next();
      }
      const { sha256, bytes } = step.value;
      const [kept] = await transaction.unsafe<{ upload: string }[]>(
        `insert into ${blobs} (sha256, bytes, upload) values ($1, $2, $3)
         on conflict (sha256) do update set at = clock_timestamp() returning upload`,
        [sha256, bytes, upload],
      );
      if (kept?.upload !== upload)
        await transaction.unsafe(`delete from ${chunks} where upload = $1`, [upload]);
      return step.value;
    });
  }

  return {
    put: (parts) => put(parts).catch(asUnreachable),
    async get({ sha256 }) {
      const rows = await query<{ data: Buffer }>(
        `select c.data from ${blobs} b join ${chunks} c on c.upload = b.upload where b.sha256 = $1 order by c.part`,
        [sha256],
      );
      const hash = createHash('sha256');
      for (const { data } of rows) hash.update(data);
      if (rows.length > 0 && hash.digest('hex') === sha256)
        return Buffer.concat(rows.map(({ data }) => data)).toString('utf8');
      throw rows.length === 0 ? missingBlob(sha256) : alteredBlob(sha256);
    },
    async putBefore(time) {
      const rows = await query<{ sha256: string; bytes: string }>(
        `select sha256, bytes from ${blobs} where at < to_timestamp($1::float8)`,
        [time / 1000],
      );
      return rows.map(({ sha256, bytes }) => ({ sha256, bytes: Number(bytes) }));
    },
    async remove({ sha256 }, before) {
      const gone = await query(
        `with gone as (
             delete from ${blobs} where sha256 = $1 and at < to_timestamp($2::float8) returning upload
           ), emptied as (delete from ${chunks} c using gone where c.upload = gone.upload)
           select upload from gone`,
        [sha256, before / 1000],
      );
      return gone.length > 0;
    },
    // A blob is written in one transaction, so a crash leaves nothing behind.
    sweep: async () => [],
  };
}

/** By a hash of the name: a name may contain any character and may be private. */
export function createPostgresKeys(sql: Sql, schema: string): Keys {
  const keys = `${schema}.keys`;
  const query = queryOf(sql);
  return {
    async hold(name, value) {
      const hash = createHash('sha256').update(name).digest('hex');
      // The update changes nothing. It makes the statement return the row that is there, and waits for a
      // transaction that is about to insert it.
      const [row] = await query<{ value: string }>(
        `insert into ${keys} (name, value) values ($1, $2)
           on conflict (name) do update set value = ${keys}.value returning value`,
        [hash, value],
      );
      return row?.value ?? value;
    },
    async *heldBefore(time) {
      const rows = await query<{ name: string; value: string }>(
        `select name, value from ${keys} where at < to_timestamp($1::float8)`,
        [time / 1000],
      );
      for (const { name, value } of rows)
        yield {
          value,
          async remove() {
            await query(`delete from ${keys} where name = $1`, [name]);
          },
        };
    },
  };
}

export function createPostgresApprovals(sql: Sql, schema: string): Approvals {
  const approvals = `${schema}.approvals`;
  const query = queryOf(sql);
  return {
    async list(user) {
      const rows = await query<{ body: string }>(
        `select body from ${approvals} where owner = $1 order by at, id`,
        [ownerName(user)],
      );
      // A row that cannot be understood approves nothing.
      const found = rows.map(({ body }) => standingApproval.safeParse(parseJson(body)).data);
      return found.filter((one) => one !== undefined).filter((one) => one.user === user);
    },
    async add(approval) {
      const id = approvalId(approval);
      await query(
        `insert into ${approvals} (owner, id, at, body) values ($1, $2, $3, $4) on conflict do nothing`,
        [ownerName(approval.user), id, approval.at, stringifyJson({ id, ...approval })],
      );
      return id;
    },
    async remove(user, id) {
      const gone = await query(`delete from ${approvals} where owner = $1 and id = $2 returning id`, [
        ownerName(user),
        id,
      ]);
      return gone.length > 0;
    },
  };
}

/** The key by which the journals name secrets. All processes use the one that was stored first. */
export async function readStoreKey(sql: Sql, schema: string): Promise<string> {
  const [row] = await sql.unsafe<{ value: string }[]>(
    `insert into ${schema}.settings (name, value) values ('secrets.key', $1)
     on conflict (name) do update set value = ${schema}.settings.value returning value`,
    [randomBytes(32).toString('hex')],
  );
  return row?.value ?? '';
}
