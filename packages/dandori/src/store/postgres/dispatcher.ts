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
import { createDueRuns, tablesOf } from './due-runs.ts';
import { type Deliveries, DUE, type DueRow, type Engine, type Write, wakeOf } from './engine.ts';
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
  const { runs, wakes, workers } = tablesOf(options.schema);
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
    overview: async () =>
      readOverview(query, { ...tablesOf(options.schema), self: (await leases.term()).id }),
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
  const { changes, engine, leases } = dispatching;
  const { onTrouble, resume, onStop } = options;
  const patience = { ...PATIENCE, ...options.patience };
  const due = createDueRuns({ ...dispatching, patience: engine?.patience ?? 0 });
  const places: Places = createPlaces({ ...options, patience, ended });
  const deliveries: Deliveries | undefined = engine?.work(
    async (brought) => driveTaken(await due.takeBrought(brought)),
    (trouble) => onTrouble?.(trouble),
  );
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
    if (how.kind === 'failed') void due.retryLater(run, how.retryIn);
    else if (isWantedAgain) places.wake(run);
    if (isFull) lookSoon();
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
      await driveDue();
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

  async function driveDue(): Promise<void> {
    isFull = true;
    if (places.free === 0) return;
    await due.freeStranded();
    const { free } = places;
    if (free === 0) return;
    const came = (await deliveries?.pull?.(free)) ?? 0;
    const taken = came < free ? await due.take(free - came) : [];
    await driveTaken(taken);
    isFull = came + taken.length === free;
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
    await due.putBack(over);
    for (const id of over) changes.due(id);
  }

  async function resumeUnbegun(): Promise<void> {
    const left = await due.unbegun();
    if (left.length === 0) return;
    await resume?.([...new Set(left.map(({ conversation }) => conversation))]);
    await due.hasBegun(left.map(({ run }) => run));
  }

  async function takeHere(run: string): Promise<void> {
    const { isThere, isTaken } = await due.takeOne(run);
    if (isTaken) await driveTaken([{ id: run }]);
    // The run of a message may not exist yet. Then the drive creates it.
    else if (!isThere && hasPlaceFor(run)) places.wake(run);
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
