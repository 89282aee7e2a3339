import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Sql } from 'postgres';
import { stringifyJson } from '../../model/json.ts';

/**
 * The leases of this process. A lease is in the row of the run: the id of a term, and an epoch. A term is the row of
 * this process, with its end by the clock of the database.
 *
 * L1  One renewal per process holds all its leases, however many runs it drives.
 * L2  A term ends once and for all: a renewal after its end finds no row. Its id is never used again.
 * L3  This process gives up its term after two thirds of its length without a renewal, so it stops before
 *     another process may begin. The time is measured from before the renewal was sent.
 * L4  Another process ends a term only by deleting its row, and only after its end. So a renewal and the end of
 *     a term never both succeed.
 */
export interface Leases {
  /** The current term, or a new one. */
  term(): Promise<Term>;
  /** Renews the current term at once. If its row is gone, the next call of `term` begins a new one. */
  confirm(): Promise<void>;
  /** What the other processes are told about this one. */
  describe(about: object): void;
  /** Ends a term that is over, so that its runs can be taken. False if it is still alive. */
  bury(id: string): Promise<boolean>;
  close(): Promise<void>;
}

interface Term {
  readonly id: string;
  /** Aborted when the term is over. Reading it also looks at the clock, because a timer may be late. */
  readonly lost: AbortSignal;
}

interface LeaseOptions {
  readonly sql: Sql;
  readonly schema: string;
  /** The length of a term in milliseconds. */
  readonly ttl: number;
}

/** How far the clock of a process is ahead of the database, in milliseconds. The way there takes some, too. */
const OFFSET = (now: string) => `${now}::float8 - extract(epoch from clock_timestamp()) * 1000`;

/** Renewals per term. Several may fail before the process has to give up. */
const RENEWALS = 6;

export function createLeases({ sql, schema, ttl }: LeaseOptions): Leases {
  const name = `process ${process.pid} on ${hostname()}`;
  let current: Promise<OwnTerm> | undefined;
  let about: string | null = null;
  let isClosed = false;

  async function begin(): Promise<OwnTerm> {
    const id = randomUUID();
    const term = createTerm(id, ttl);
    // Rows of processes that died with nothing to take over.
    await sql.unsafe(`delete from ${schema}.workers where until < clock_timestamp() - interval '1 hour'`);
    await sql.unsafe(
      `insert into ${schema}.workers (id, name, until, about, clock_offset)
       values ($1, $2, clock_timestamp() + $3::float8 * interval '1 ms', $4, ${OFFSET('$5')})`,
      [id, name, ttl, about, Date.now()],
    );
    if (!isClosed) renewLater(term);
    return term;
  }

  function renewLater(term: OwnTerm): void {
    const timer = setTimeout(() => void renewAgain(term), ttl / RENEWALS);
    timer.unref();
    term.lost.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }

  async function renewAgain(term: OwnTerm): Promise<void> {
    await renew(term);
    if (!term.lost.aborted) renewLater(term);
  }

  async function renew(term: OwnTerm): Promise<void> {
    const sentAt = moment();
    try {
      const found = await sql.unsafe(
        `update ${schema}.workers
         set until = clock_timestamp() + $2::float8 * interval '1 ms', about = $3, clock_offset = ${OFFSET('$4')}
         where id = $1 and until > clock_timestamp() returning id`,
        [term.id, ttl, about, Date.now()],
      );
      if (found.length === 0) return term.end();
      term.renewed(sentAt);
    } catch {
      // The database cannot be reached. If that lasts, the term ends by itself.
    }
  }

  return {
    async term() {
      const was = current;
      const held = await was?.catch(() => undefined);
      if (held !== undefined && !held.lost.aborted) return held;
      // One of the callers that waited for the same term begins the next one.
      if (current === was || current === undefined) current = begin();
      const next = current;
      try {
        return await next;
      } catch (error) {
        if (current === next) current = undefined;
        throw error;
      }
    },
    async confirm() {
      const held = await current?.catch(() => undefined);
      if (held !== undefined) await renew(held);
    },
    describe(said) {
      about = stringifyJson(said);
    },
    async bury(id) {
      const gone = await sql.unsafe(
        `delete from ${schema}.workers where id = $1 and until <= clock_timestamp() returning id`,
        [id],
      );
      if (gone.length > 0) return true;
      const left = await sql.unsafe(`select 1 from ${schema}.workers where id = $1`, [id]);
      return left.length === 0;
    },
    async close() {
      isClosed = true;
      const term = await current?.catch(() => undefined);
      if (term === undefined) return;
      term.end();
      await sql.unsafe(`delete from ${schema}.workers where id = $1`, [term.id]).catch(() => {});
    },
  };
}

interface OwnTerm extends Term {
  renewed(sentAt: Moment): void;
  end(): void;
}

function createTerm(id: string, ttl: number): OwnTerm {
  const controller = new AbortController();
  const longest = (ttl * 2) / 3;
  let renewedAt = moment();
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(timer);
    controller.abort();
  };
  const look = () => {
    const left = longest - since(renewedAt);
    if (left <= 0) return end();
    clearTimeout(timer);
    timer = setTimeout(look, left);
    timer.unref();
  };
  look();
  return {
    id,
    get lost() {
      if (!controller.signal.aborted && since(renewedAt) >= longest) end();
      return controller.signal;
    },
    renewed(sentAt) {
      // A process that was stopped in the meantime may get a late answer.
      if (controller.signal.aborted) return;
      renewedAt = sentAt;
      look();
    },
    end,
  };
}

/** Both clocks, because the steady one may stand still while the machine sleeps. */
interface Moment {
  readonly steady: number;
  readonly wall: number;
}

function moment(): Moment {
  return { steady: performance.now(), wall: Date.now() };
}

function since({ steady, wall }: Moment): number {
  return Math.max(performance.now() - steady, Date.now() - wall);
}
