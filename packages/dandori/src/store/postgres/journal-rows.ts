import { isRunId } from '../files/journal.ts';
import { parseEvent } from '../files/line.ts';
import type { Entry, Form, ListOptions } from '../journal.ts';
import type { Head } from './claims.ts';
import type { Query } from './query.ts';
import { AFTER_EVERY_ID } from './schema.ts';

interface RowOptions {
  readonly query: Query;
  readonly schema: string;
  /** The tables. */
  readonly heads: string;
  readonly events: string;
}

/** What is read from the tables of a kind of journal. An unknown run is an error, as in any journal. */
export interface JournalRows<E extends Entry, Summary> {
  /** The id, if it can be one. */
  known(run: string): string;
  /** An event as it was written. */
  parse(run: string, body: string, seq: number): E;
  headOf(run: string): Promise<Head>;
  /** The text of one event. Undefined if there is none. */
  bodyOf(run: string, seq: number): Promise<string | undefined>;
  read(run: string, after?: number): Promise<E[]>;
  first(run: string): Promise<E>;
  owner(run: string): Promise<string | undefined>;
  lines(run: string): Promise<string[]>;
  list(options?: ListOptions): Promise<Summary[]>;
  size(run: string): Promise<number>;
}

export function createJournalRows<E extends Entry, Summary>(
  form: Form<E, Summary>,
  { query, schema, heads, events }: RowOptions,
): JournalRows<E, Summary> {
  const { owner: kind, notFound, summarise } = form;
  const known = (run: string): string => (isRunId(run) ? run : notFound(run));

  function parse(run: string, body: string, seq: number): E {
    const place = { file: `${kind} ${run}`, run, line: seq, offset: 0, seq };
    return parseEvent<E>(Buffer.from(body), place, form);
  }

  async function headOf(run: string): Promise<Head> {
    const [head] = await query<Head>(
      `select h.last_seq, h.epoch, h.worker, w.name as holder, coalesce(w.until > clock_timestamp(), false) as is_live
       from ${heads} h left join ${schema}.workers w on w.id = h.worker where h.id = $1`,
      [known(run)],
    );
    return head ?? notFound(run);
  }

  async function bodyOf(run: string, seq: number): Promise<string | undefined> {
    const [row] = await query<{ body: string }>(`select body from ${events} where id = $1 and seq = $2`, [
      known(run),
      seq,
    ]);
    return row?.body;
  }

  return {
    known,
    parse,
    headOf,
    bodyOf,
    async read(run, after = 0) {
      const rows = await query<{ seq: number; body: string }>(
        `select seq, body from ${events} where id = $1 and seq > $2 order by seq`,
        [known(run), after],
      );
      if (rows.length === 0) await headOf(run);
      return rows.map(({ body }, index) => parse(run, body, after + 1 + index));
    },
    async first(run) {
      const body = await bodyOf(run, 1);
      return body === undefined ? notFound(run) : parse(run, body, 1);
    },
    async owner(run) {
      const [head] = await query<{ owner: string | null }>(`select owner from ${heads} where id = $1`, [
        known(run),
      ]);
      return head === undefined ? notFound(run) : (head.owner ?? undefined);
    },
    async lines(run) {
      const rows = await query<{ body: string }>(`select body from ${events} where id = $1 order by seq`, [
        known(run),
      ]);
      return rows.length === 0 ? notFound(run) : rows.map(({ body }) => body);
    },
    async list({ limit, before, status, userId } = {}) {
      // Only what is asked for: with "or $1 is null" the index of a condition is not used.
      const of = [...(status ? [status.join(' ')] : []), ...(userId === undefined ? [] : [userId])];
      const isStatus = status === undefined ? '' : `and status = any(string_to_array($3, ' '))`;
      const isOwn = userId === undefined ? '' : `and owner = $${2 + of.length}`;
      const rows = await query<{ id: string; last_seq: number; first: string; last: string }>(
        `select h.id, h.last_seq, a.body as first, z.body as last
         from (
           select id, last_seq from ${heads}
           where id < $1::text collate "C" ${isStatus} ${isOwn} order by id desc limit $2
         ) h
         join ${events} a on a.id = h.id and a.seq = 1
         join ${events} z on z.id = h.id and z.seq = h.last_seq
         order by h.id desc`,
        [before ?? AFTER_EVERY_ID, Number.isFinite(limit) ? (limit ?? null) : null, ...of],
      );
      return rows.map(({ id, last_seq, first, last }) => {
        try {
          return summarise(id, parse(id, first, 1), parse(id, last, last_seq));
        } catch {
          return summarise(id, undefined, undefined);
        }
      });
    },
    async size(run) {
      const [row] = await query<{ bytes: string | null }>(
        `select sum(octet_length(body) + 1)::text as bytes from ${events} where id = $1`,
        [known(run)],
      );
      return Number(row?.bytes ?? notFound(run));
    },
  };
}
