import { isObject, parseJson } from '../../model/json.ts';
import { type Overview, type WorkerNow, warningsAbout, workerSchema } from '../dispatcher/worker-overview.ts';
import type { Query } from './query.ts';

interface Tables {
  readonly runs: string;
  readonly workers: string;
  /** The term of this process. */
  readonly self: string;
}

interface WorkerRow {
  readonly id: string;
  readonly name: string;
  readonly about: string | null;
  readonly started: number;
  readonly until: number;
  readonly is_alive: boolean;
  readonly clock_offset: number | null;
  readonly driving: number;
  readonly runs: string;
}

/** The most runs that are named for a worker. */
const MOST_NAMED = 100;
/** Counting ends here: behind it, a number says no more. */
const MOST_COUNTED = 100_000;

/** What the tables say of the processes and the queue. All of it is found by an index. */
export async function readOverview(query: Query, { runs, workers, self }: Tables): Promise<Overview> {
  const rows = await query<WorkerRow>(
    `select w.id, w.name, w.about, extract(epoch from w.started) * 1000 as started,
       extract(epoch from w.until) * 1000 as until, w.until > clock_timestamp() as is_alive, w.clock_offset,
       coalesce(r.driving, 0)::integer as driving, coalesce(r.runs, '') as runs
     from ${workers} w left join lateral (
       select count(*) as driving, array_to_string((array_agg(id order by id))[1:${MOST_NAMED}], ' ') as runs
       from ${runs} where worker = w.id
     ) r on true where w.until > clock_timestamp() or r.driving > 0 order by w.started`,
    [],
  );
  const counted = (where: string) =>
    `(select count(*)::integer from (select from ${runs} where ${where} limit ${MOST_COUNTED}) as found)`;
  const [queue] = await query<Overview['queue']>(
    `select ${counted('worker is null and wake_at <= now()')} as due,
       ${counted('worker is null and wake_at > now()')} as later,
       ${counted(`worker is not null and not exists (select from ${workers} w where w.id = worker and w.until > now())`)} as stranded,
       ${counted("worker is null and wake_at is null and status in ('open', 'waiting', 'paused')")} as parked`,
    [],
  );
  const found = rows.map((row) => workerOf(row, self));
  return {
    workers: found,
    queue: queue ?? { due: 0, later: 0, stranded: 0, parked: 0 },
    warnings: warningsAbout(found),
  };
}

function workerOf({ id, name, about, runs, ...row }: WorkerRow, self: string): WorkerNow {
  const said = about === null ? {} : parseJson(about);
  return workerSchema.parse({
    ...(isObject(said) && said),
    name,
    isThis: id === self,
    startedAt: Math.round(Number(row.started)),
    leaseUntil: Math.round(Number(row.until)),
    isAlive: row.is_alive,
    clockOffsetMs: row.clock_offset === null ? null : Math.round(row.clock_offset),
    driving: row.driving,
    runs: runs === '' ? [] : runs.split(' '),
  });
}
