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
import {
  type Deliver,
  type Deliveries,
  DUE,
  type DueRow,
  type Engine,
  type Write,
  wakeOf,
} from './engine.ts';
import type { Leases } from './leases.ts';
import { readOverview } from './overview.ts';
import { asUnreachable, queryOf } from './query.ts';

interface DispatcherOptions {
  readonly sql: Sql;
  readonly schema: string;
  readonly write: Write;
  readonly leases: Leases;
  readonly changes: Changes;
  /** Brings the wakes. Without one, the workers look for them in the head rows. */
  readonly engine: Engine | undefined;
  /** Milliseconds that a process has to claim a run that it took, before another may. */
  readonly grace: number;
}

/**
 * The head row of a run says when it is due. A run is due if its time has passed and it has no driver, or if its
 * driver has lost its lease. Both are found by an index, so a run that waits for a person costs a row and nothing
 * else.
 *
 * - A command sets the time in the statement that appends it, and a driver in the statement that releases the
 *   lease. An engine stores its job in the same transaction. So no crash can lose a wake.
 * - A worker takes as many due runs as it has places, and moves their time a little. If it dies before it has
 *   the lease, another worker finds them.
 * - A notification makes workers look at once. Without one they look twice a second.
 * - A run whose lease has ended becomes due, like one that was woken.
 */
export function createPostgresDispatcher(options: DispatcherOptions): Dispatcher {
  const { changes, engine, grace, leases, sql, write } = options;
  const works = new Set<PostgresWork>();
  const query = queryOf(sql);
  const { runs, wakes, workers } = tablesOf(options);
  return {
    async wake(run, at) {
      const delay = at === undefined ? 0 : Math.max(0, at - Date.now());
      const time = `clock_timestamp() + $2::float8 * interval '1 ms'`;
      if (delay > 0) {
        // If the engine is away, the workers find the row.
        const isSent = await engine?.send([{ run, delay, isAsked: true }], sql).then(
          () => true,
          () => false,
        );
        if (isSent) return;
        await query(`insert into ${wakes} (run, at) select id, ${time} from ${runs} where id = $1`, [
          run,
          delay,
        ]);
        return;
      }
      const here = [...works].find((work) => work.hasPlaceFor(run));
      // A run that has waited keeps its place in the queue.
      const first = here === undefined ? `least(coalesce(wake_at, 'infinity'), ${time})` : time;
      await write<DueRow>(
        `update ${runs} set wakes = wakes + 1, wake_at = ${first} where id = $1 returning ${DUE}`,
        [run, here === undefined ? 0 : grace],
        wakeOf,
      ).catch(asUnreachable);
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
  const { changes, engine, leases, grace, write } = dispatching;
  const { onTrouble, resume, onStop } = options;
  const patience = { ...PATIENCE, ...options.patience };
  const query = queryOf(dispatching.sql);
  const { runs, workers, unbegun, wakes } = tablesOf(dispatching);
  const places: Places = createPlaces({ ...options, patience, ended });
  const deliveries: Deliveries | undefined = engine?.work(deliver, (trouble) => onTrouble?.(trouble));
  /** Overdue for longer than any engine may take. */
  const long = `clock_timestamp() - interval '1 minute'`;
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
    await write<DueRow>(
      `update ${runs} set wake_at = ${time} where id = $1 and worker is null returning ${DUE}`,
      [run, ms],
      wakeOf,
    ).catch(() => {});
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
    await freeStranded();
    const { free } = places;
    if (free === 0) return;
    const came = (await deliveries?.pull?.(free)) ?? 0;
    const taken = came < free ? await takeFromHeads(free - came) : 0;
    isFull = came + taken === free;
  }

  /**
   * Makes runs due whose worker has lost its lease, before those that only wait. Deleting the row of the worker waits
   * for a running renewal, and does nothing if that succeeds.
   */
  async function freeStranded(): Promise<void> {
    const stranded = `select h.id, h.worker, w.id is null as is_gone
      from ${runs} h left join ${workers} w on w.id = h.worker
      where h.worker is not null and h.parent is null and (w.id is null or w.until <= clock_timestamp())`;
    if ((await query(`${stranded} limit 1`, [])).length === 0) return;
    await write<DueRow>(
      `with held as (${stranded}), dead as (
         delete from ${workers} where id in (select worker from held) and until <= clock_timestamp() returning id
       )
       update ${runs} r set worker = null, wakes = r.wakes + 1, wake_at = ${long} from held
       where r.id = held.id and r.worker = held.worker and (held.is_gone or held.worker in (select id from dead))
       returning r.${DUE}`,
      [],
      (row) => ({ run: row.run, delay: 0, isUrgent: true }),
    );
  }

  /** Without an engine, what is due. With one, what it should have brought some time ago. */
  async function takeFromHeads(most: number): Promise<number> {
    // A wake for later whose time has come is a wake.
    await query(
      `with rung as (delete from ${wakes} where at <= now() returning run)
       update ${runs} set wakes = wakes + 1, wake_at = now() where id in (select run from rung)`,
      [],
    );
    // `now()`, because an index is not searched with the value of `clock_timestamp()`.
    const due = await query<{ id: string }>(
      `with due as (
         select id from ${runs} where worker is null and wake_at <= now() - $3::float8 * interval '1 ms'
         order by wake_at limit $1 for update skip locked
       )
       update ${runs} r set wake_at = clock_timestamp() + $2::float8 * interval '1 ms' from due
       where r.id = due.id returning r.id`,
      [most, grace, engine?.patience ?? 0],
    );
    await driveTaken(due);
    return due.length;
  }

  /**
   * Drives runs that were taken. Several deliveries and looks may take at the same time, so there may be too few
   * places. Any worker with a free place takes the rest from the head rows, at once.
   */
  async function driveTaken(taken: readonly { readonly id: string }[]): Promise<void> {
    const over: string[] = [];
    for (const { id } of taken)
      if (places.free > 0) places.wake(id);
      else over.push(id);
    if (over.length === 0) return;
    await query(
      `update ${runs} set wake_at = clock_timestamp() - $2::float8 * interval '1 ms'
       where id = any(string_to_array($1, ' ')) and worker is null`,
      [over.join(' '), engine?.patience ?? 0],
    );
    for (const id of over) changes.due(id);
  }

  /** What an engine brings. It may be late or twice, so the head row is asked. */
  async function deliver(brought: Parameters<Deliver>[0]): ReturnType<Deliver> {
    const asked = brought.filter(({ isAsked }) => isAsked).map(({ run }) => run);
    if (asked.length > 0)
      await query(
        `update ${runs} set wakes = wakes + 1, wake_at = clock_timestamp() where id = any(string_to_array($1, ' '))`,
        [asked.join(' ')],
      );
    const due = await query<{ id: string }>(
      `update ${runs} set wake_at = clock_timestamp() + $2::float8 * interval '1 ms'
       where id = any(string_to_array($1, ' ')) and worker is null and wake_at <= clock_timestamp() returning id`,
      [brought.map(({ run }) => run).join(' '), grace],
    );
    await driveTaken(due);
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
      [run, grace],
    );
    if (row?.is_due === true) await driveTaken([{ id: run }]);
    // The run of a message may not exist yet. Then the drive creates it.
    else if (row?.is_there === false && hasPlaceFor(run)) places.wake(run);
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
      await deliveries?.begin?.();
      await look();
    },
    take(run) {
      if (['driving', 'queued'].includes(places.stateOf(run))) return;
      // If it fails, the run is due anyway.
      takeHere(run).catch(() => {});
    },
    stateOf: places.stateOf,
    get count() {
      return places.countWith(failures);
    },
    get isStopping() {
      return places.isStopping;
    },
    async stop(graceful) {
      onStop();
      ignoreDue();
      clearTimeout(timer);
      await deliveries?.stop?.();
      await places.stop(graceful);
    },
  };
}

function tablesOf({ schema }: Pick<DispatcherOptions, 'schema'>) {
  return {
    runs: `${schema}.runs`,
    wakes: `${schema}.wakes`,
    workers: `${schema}.workers`,
    unbegun: `${schema}.unbegun`,
  };
}
