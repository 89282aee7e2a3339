import type { Sql } from 'postgres';
import {
  type Dispatcher,
  type Drive,
  PATIENCE,
  type Working,
  type WorkOptions,
} from '../dispatcher/dispatcher.ts';
import { createPlaces, type Ended, type Places, retryAfter } from '../dispatcher/places.ts';
import type { Changes } from './changes.ts';
import type { Leases } from './leases.ts';
import { readOverview } from './overview.ts';
import { asUnreachable } from './trouble.ts';

interface DispatcherOptions {
  readonly sql: Sql;
  readonly schema: string;
  readonly leases: Leases;
  readonly changes: Changes;
  /** Milliseconds that a process has to claim a run that it took, before another may. */
  readonly grace: number;
}

/**
 * The head rows are the queue. A run is due if its time has passed and it has no driver, or if its driver has
 * lost its lease. Both are found by an index, so a run that waits for a person costs a row and nothing else.
 *
 * - A command sets the time in the statement that appends it, and a driver in the statement that releases the
 *   lease. So no crash can lose a wake.
 * - A worker takes as many due runs as it has places, and moves their time a little. If it dies before it has
 *   the lease, another worker finds them.
 * - A notification makes workers look at once. Without one they look twice a second.
 */
export function createPostgresDispatcher(options: DispatcherOptions): Dispatcher {
  const { changes, grace, leases } = options;
  const works = new Set<PostgresWork>();
  const query = queryOf(options);
  const { runs, wakes, workers } = tablesOf(options);
  return {
    async wake(run, at) {
      const delay = at === undefined ? 0 : Math.max(0, at - Date.now());
      const time = `clock_timestamp() + $2::float8 * interval '1 ms'`;
      if (delay > 0) {
        await query(`insert into ${wakes} (run, at) select id, ${time} from ${runs} where id = $1`, [
          run,
          delay,
        ]);
        return;
      }
      const here = [...works].find((work) => work.hasPlaceFor(run));
      // A run that has waited keeps its place in the queue.
      const first = here === undefined ? `least(coalesce(wake_at, 'infinity'), ${time})` : time;
      await query(`update ${runs} set wakes = wakes + 1, wake_at = ${first} where id = $1`, [
        run,
        here === undefined ? 0 : grace,
      ]);
      if (here !== undefined) here.wake(run);
      else changes.due(run);
    },
    work(drive, workOptions) {
      const work = createPostgresWork(options, { ...workOptions, drive, onStop: () => works.delete(work) });
      works.add(work);
      if (workOptions.about) leases.describe({ ...workOptions.about, atOnce: workOptions.atOnce });
      return work;
    },
    overview: async () => readOverview(query, { ...tablesOf(options), self: (await leases.term()).id }),
    async driven(ids) {
      const rows = await query<{ id: string }>(
        `select r.id from ${runs} r join ${workers} w on w.id = r.worker
         where r.id = any(string_to_array($1, ' ')) and w.until > clock_timestamp()`,
        [ids.join(' ')],
      );
      return new Set(rows.map(({ id }) => id));
    },
  };
}

interface PostgresWork extends Working {
  hasPlaceFor(run: string): boolean;
  wake(run: string): void;
}

interface PostgresWorkOptions extends WorkOptions {
  readonly drive: Drive;
  readonly onStop: () => void;
}

/** While the database cannot be reached, the looks are at most this many times as rare. */
const MOST_PATIENT = 4;
/** Looks between two looks for conversations whose run was not begun. */
const LOOKS = 10;

function createPostgresWork(dispatching: DispatcherOptions, options: PostgresWorkOptions): PostgresWork {
  const { changes, leases, grace } = dispatching;
  const { onTrouble, resume, onStop } = options;
  const patience = { ...PATIENCE, ...options.patience };
  const query = queryOf(dispatching);
  const { runs, workers, unbegun, wakes } = tablesOf(dispatching);
  const places: Places = createPlaces({ ...options, patience, ended });
  let looks = 0;
  let failures = 0;
  let isLooking = false;
  /** There was a reason to look while a look was under way. */
  let isWanted = false;
  /** More runs may be due than there were places. */
  let isFull = false;
  let timer: NodeJS.Timeout | undefined;
  let ignoreDue = () => {};

  function ended(run: string, how: Ended, isWantedAgain: boolean): void {
    if (how.kind === 'failed') void later(run, how.retryIn);
    else if (isWantedAgain) places.wake(run);
    if (isFull) lookSoon();
  }

  /** If this fails, the run is due when the time has passed that was set when it was taken. */
  async function later(run: string, ms: number): Promise<void> {
    const time = `clock_timestamp() + $2::float8 * interval '1 ms'`;
    await query(`update ${runs} set wake_at = ${time} where id = $1 and worker is null`, [run, ms]).catch(
      () => {},
    );
  }

  function lookSoon(): void {
    if (isLooking) isWanted = true;
    else void look();
  }

  async function look(): Promise<void> {
    if (places.isStopping) return;
    isLooking = true;
    isWanted = false;
    clearTimeout(timer);
    let next = patience.look;
    try {
      await takeDue();
      if (looks++ % LOOKS === 0) await resumeUnbegun();
      failures = 0;
    } catch (error) {
      next = Math.min(retryAfter(failures++, patience), patience.look * MOST_PATIENT);
      isWanted = false;
      onTrouble?.({ run: undefined, error, retryIn: next });
    }
    isLooking = false;
    if (places.isStopping) return;
    if (isWanted) return void look();
    timer = setTimeout(() => void look(), next);
    timer.unref();
  }

  async function takeDue(): Promise<void> {
    isFull = true;
    if (places.free === 0) return;
    // First those that were under way.
    const stranded = await query<{ id: string }>(
      `select h.id from ${runs} h left join ${workers} w on w.id = h.worker
       where h.worker is not null and h.parent is null and (w.id is null or w.until <= clock_timestamp()) limit $1`,
      [places.free],
    );
    for (const { id } of stranded) places.wake(id);
    const { free } = places;
    if (free === 0) return;
    // A wake for later whose time has come is a wake.
    await query(
      `with rung as (delete from ${wakes} where at <= now() returning run)
       update ${runs} set wakes = wakes + 1, wake_at = now() where id in (select run from rung)`,
      [],
    );
    // `now()`, because an index is not searched with the value of `clock_timestamp()`.
    const due = await query<{ id: string }>(
      `with due as (
         select id from ${runs} where worker is null and wake_at <= now()
         order by wake_at limit $1 for update skip locked
       )
       update ${runs} r set wake_at = clock_timestamp() + $2::float8 * interval '1 ms' from due
       where r.id = due.id returning r.id`,
      [free, grace],
    );
    for (const { id } of due) places.wake(id);
    isFull = due.length === free;
  }

  /** A message was journaled, but not its run. */
  async function resumeUnbegun(): Promise<void> {
    const left = await query<{ run: string; conversation: string }>(
      `select run, conversation from ${unbegun} where at < clock_timestamp() - $1::float8 * interval '1 ms' limit 100`,
      [grace],
    );
    if (left.length === 0) return;
    await resume?.([...new Set(left.map(({ conversation }) => conversation))]);
    const begun = left.map(({ run }) => run).join(' ');
    await query(`delete from ${unbegun} where run = any(string_to_array($1, ' '))`, [begun]);
  }

  async function takeHere(run: string): Promise<void> {
    const [row] = await query<{ is_there: boolean; is_due: boolean }>(
      `with due as (
         update ${runs} set wake_at = clock_timestamp() + $2::float8 * interval '1 ms'
         where id = $1 and worker is null and wake_at is not null returning id
       )
       select exists (select from ${runs} where id = $1) as is_there, exists (select from due) as is_due`,
      [run, hasPlaceFor(run) ? grace : 0],
    );
    // The run of a message may not exist yet. Then the drive creates it.
    if (hasPlaceFor(run) && (row?.is_due === true || row?.is_there === false)) places.wake(run);
    else if (row?.is_due === true) changes.due(run);
  }

  function hasPlaceFor(run: string): boolean {
    return places.free > 0 && !['driving', 'queued'].includes(places.stateOf(run));
  }

  return {
    hasPlaceFor,
    wake: places.wake,
    async begin() {
      // A term now, so that others see this worker before it has a run.
      await leases.term().catch(asUnreachable);
      ignoreDue = changes.onDue(lookSoon);
      await look();
    },
    take(run) {
      if (['driving', 'queued'].includes(places.stateOf(run))) return;
      // If it fails, the run is due anyway.
      takeHere(run).catch(() => {});
    },
    stateOf: places.stateOf,
    get count() {
      const { driving, queued, retrying } = places.count;
      return { driving, queued, retrying: retrying + Math.min(failures, 1) };
    },
    get isStopping() {
      return places.isStopping;
    },
    async stop(graceful) {
      onStop();
      ignoreDue();
      clearTimeout(timer);
      await places.stop(graceful);
    },
  };
}

export type Query = <Row extends object>(text: string, args: (string | number)[]) => Promise<Row[]>;

function queryOf({ sql }: Pick<DispatcherOptions, 'sql'>): Query {
  return async <Row extends object>(text: string, args: (string | number)[]) =>
    sql.unsafe<Row[]>(text, args, { prepare: true }).catch(asUnreachable);
}

function tablesOf({ schema }: Pick<DispatcherOptions, 'schema'>) {
  return {
    runs: `${schema}.runs`,
    wakes: `${schema}.wakes`,
    workers: `${schema}.workers`,
    unbegun: `${schema}.unbegun`,
  };
}
