import type { Sql } from 'postgres';
import { type Deliver, DUE, type DueRow, type Write, wakeOf } from './engine.ts';
import { queryOf } from './query.ts';

interface DueOptions {
  readonly sql: Sql;
  readonly schema: string;
  readonly write: Write;
  /** Milliseconds that a process has to claim a run that it took, before another may. */
  readonly grace: number;
  /** Milliseconds after which a run is taken from its head row, although an engine should have brought it. */
  readonly patience: number;
}

/** Runs that a worker has taken: no other worker takes them before `grace` has passed. */
type Taken = readonly { readonly id: string }[];

/** Overdue for longer than any engine may take. */
const LONG = `clock_timestamp() - interval '1 minute'`;

/** The statements that find, take and put back runs that are due. */
export interface DueRuns {
  /** Runs that are due. Without an engine all of them, with one those that it should have brought some time ago. */
  take(most: number): Promise<Taken>;
  /** Of the runs that an engine has brought, those that are due. It may be late or bring a run twice. */
  takeBrought(brought: Parameters<Deliver>[0]): Promise<Taken>;
  /** This run, if it is due at any time. */
  takeOne(run: string): Promise<{ readonly isThere: boolean; readonly isTaken: boolean }>;
  /** Makes runs that were taken due again, at once. */
  putBack(runs: readonly string[]): Promise<void>;
  /** Makes a run due after `ms`. If this fails, it is due when its grace has passed. */
  retryLater(run: string, ms: number): Promise<void>;
  /** Makes runs due whose worker has lost its lease, before those that only wait. */
  freeStranded(): Promise<void>;
  /** Messages that were journaled, but not their runs. */
  unbegun(): Promise<readonly { readonly run: string; readonly conversation: string }[]>;
  hasBegun(runs: readonly string[]): Promise<void>;
}

export function createDueRuns({ sql, schema, write, grace, patience }: DueOptions): DueRuns {
  const query = queryOf(sql);
  const { runs, workers, unbegun, wakes } = tablesOf(schema);
  return {
    async take(most) {
      // A wake for later whose time has come is a wake.
      await query(
        `with rung as (delete from ${wakes} where at <= now() returning run)
         update ${runs} set wakes = wakes + 1, wake_at = now() where id in (select run from rung)`,
        [],
      );
      // `now()`, because an index is not searched with the value of `clock_timestamp()`.
      return query(
        `with due as (
           select id from ${runs} where worker is null and wake_at <= now() - $3::float8 * interval '1 ms'
           order by wake_at limit $1 for update skip locked
         )
         update ${runs} r set wake_at = clock_timestamp() + $2::float8 * interval '1 ms' from due
         where r.id = due.id returning r.id`,
        [most, grace, patience],
      );
    },
    async takeBrought(brought) {
      const asked = brought.filter(({ isAsked }) => isAsked).map(({ run }) => run);
      if (asked.length > 0)
        await query(
          `update ${runs} set wakes = wakes + 1, wake_at = clock_timestamp() where id = any(string_to_array($1, ' '))`,
          [asked.join(' ')],
        );
      return query(
        `update ${runs} set wake_at = clock_timestamp() + $2::float8 * interval '1 ms'
         where id = any(string_to_array($1, ' ')) and worker is null and wake_at <= clock_timestamp() returning id`,
        [brought.map(({ run }) => run).join(' '), grace],
      );
    },
    async takeOne(run) {
      const [row] = await query<{ is_there: boolean; is_due: boolean }>(
        `with due as (
           update ${runs} set wake_at = clock_timestamp() + $2::float8 * interval '1 ms'
           where id = $1 and worker is null and wake_at is not null returning id
         )
         select exists (select from ${runs} where id = $1) as is_there, exists (select from due) as is_due`,
        [run, grace],
      );
      return { isThere: row?.is_there !== false, isTaken: row?.is_due === true };
    },
    async putBack(over) {
      await query(
        `update ${runs} set wake_at = clock_timestamp() - $2::float8 * interval '1 ms'
         where id = any(string_to_array($1, ' ')) and worker is null`,
        [over.join(' '), patience],
      );
    },
    async retryLater(run, ms) {
      const time = `clock_timestamp() + $2::float8 * interval '1 ms'`;
      await write<DueRow>(
        `update ${runs} set wake_at = ${time} where id = $1 and worker is null returning ${DUE}`,
        [run, ms],
        wakeOf,
      ).catch(() => {});
    },
    async freeStranded() {
      const stranded = `select h.id, h.worker, w.id is null as is_gone
        from ${runs} h left join ${workers} w on w.id = h.worker
        where h.worker is not null and h.parent is null and (w.id is null or w.until <= clock_timestamp())`;
      if ((await query(`${stranded} limit 1`, [])).length === 0) return;
      // Deleting the row of the worker waits for a running renewal, and does nothing if that succeeds.
      await write<DueRow>(
        `with held as (${stranded}), dead as (
           delete from ${workers} where id in (select worker from held) and until <= clock_timestamp() returning id
         )
         update ${runs} r set worker = null, wakes = r.wakes + 1, wake_at = ${LONG} from held
         where r.id = held.id and r.worker = held.worker and (held.is_gone or held.worker in (select id from dead))
         returning r.${DUE}`,
        [],
        (row) => ({ run: row.run, delay: 0, isUrgent: true }),
      );
    },
    unbegun: () =>
      query(
        `select run, conversation from ${unbegun} where at < clock_timestamp() - $1::float8 * interval '1 ms' limit 100`,
        [grace],
      ),
    async hasBegun(begun) {
      await query(`delete from ${unbegun} where run = any(string_to_array($1, ' '))`, [begun.join(' ')]);
    },
  };
}

export function tablesOf(schema: string) {
  return {
    runs: `${schema}.runs`,
    wakes: `${schema}.wakes`,
    workers: `${schema}.workers`,
    unbegun: `${schema}.unbegun`,
  };
}
