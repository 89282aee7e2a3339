import type { Sql, TransactionSql } from 'postgres';
import type { Trouble } from '../dispatcher/dispatcher.ts';
import type { Args } from './query.ts';

/** Tells a worker to drive a run. */
export interface Wake {
  readonly run: string;
  /** When it is due by the clock of the database, as ISO text. Undefined: at once. */
  readonly at?: string | undefined;
  /** Milliseconds until then. */
  readonly delay: number;
  /** Asked for by `wake` with a time. Otherwise the head row of the run says whether it is still due. */
  readonly isAsked?: boolean;
  /** The run was under way. It goes before those that only wait. */
  readonly isUrgent?: boolean;
}

/**
 * Brings wakes to the workers: an existing engine with a queue and timers of its own.
 *
 * E1  The head row of a run says whether it is due, and a lease who drives it. An engine may bring a wake twice,
 *     late, or to two workers: a worker takes a run only if its row is due and has no driver.
 * E2  A wake that an engine lost is found in the head row, when the engine has brought nothing for `patience`
 *     milliseconds. So an engine may be away, be emptied or be replaced by another one.
 */
export interface Engine {
  /** The wakes are stored in the transaction that makes the runs due. Otherwise they are sent after it. */
  readonly isTransactional: boolean;
  send(wakes: readonly Wake[], sql: Sql | TransactionSql): Promise<void>;
  /** Milliseconds that a run may be due before a worker with a free place takes it without the engine. */
  readonly patience: number;
  work(deliver: Deliver, onTrouble: (trouble: Trouble) => void): Deliveries;
  close(): Promise<void>;
}

/** Takes those of the runs that are due, and drives them here. If there is no place, they stay due. */
export type Deliver = (wakes: readonly Pick<Wake, 'run' | 'isAsked'>[]) => Promise<void>;

/** What an engine brings to this process. */
export interface Deliveries {
  begin?(): Promise<void>;
  /** Brings at most `most` wakes, and tells how many. An engine that brings them by itself has no `pull`. */
  pull?(most: number): Promise<number>;
  stop?(): Promise<void>;
}

/** Runs a statement that may make runs due, together with the wakes that follow from its rows. */
export type Write = <Row extends object>(
  text: string,
  args: Args,
  wakeOf: (row: Row) => Wake | undefined,
) => Promise<Row[]>;

export function createWrite(sql: Sql, engine: Engine | undefined): Write {
  return async <Row extends object>(text: string, args: Args, wakeOf: (row: Row) => Wake | undefined) => {
    const run = (on: Sql | TransactionSql) => on.unsafe<Row[]>(text, args, { prepare: true });
    const send = async (rows: readonly Row[], on: Sql | TransactionSql) => {
      const wakes = rows.flatMap((row) => wakeOf(row) ?? []);
      if (wakes.length > 0) await engine?.send(wakes, on);
    };
    if (engine?.isTransactional === true)
      return (await sql.begin(async (transaction) => {
        const rows = await run(transaction);
        await send(rows, transaction);
        return rows;
      })) as Row[];
    const rows = await run(sql);
    // A wake that is not sent is found in the head row.
    send(rows, sql).catch(() => {});
    return rows;
  };
}

/** The columns of a run that is due, or that is not: then `at` is null. */
export const DUE = `id as run, to_char(wake_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
  greatest(0, extract(epoch from wake_at - clock_timestamp()) * 1000)::float8 as delay`;

export interface DueRow {
  readonly run: string;
  readonly at: string | null;
  readonly delay: number | null;
}

export function wakeOf({ run, at, delay }: DueRow): Wake | undefined {
  return at === null ? undefined : { run, at, delay: delay ?? 0 };
}
