import type { Sql } from 'postgres';
import { DandoriError } from '../../model/error.ts';
import type { CopiedJournal } from '../copy/copy.ts';
import { isRunId } from '../files/journal.ts';
import { parseLine, toLines } from '../files/line.ts';
import {
  assertFollows,
  type Claim,
  claimEnded,
  conflict,
  drivenElsewhere,
  type Entry,
  type Form,
  type Parked,
} from '../journal.ts';
import { type Append, createAppends } from './appends.ts';
import { type Changes, createChanges } from './changes.ts';
import { DUE, type DueRow, type Write, wakeOf } from './engine.ts';
import type { Leases } from './leases.ts';
import { type Args, asUnreachable, isUnreachable, queryOf } from './query.ts';
import { AFTER_EVERY_ID } from './schema.ts';

export interface PostgresJournal<E extends Entry, Summary> extends CopiedJournal<E, Summary> {
  readonly changes: Changes;
  close(): void;
}

interface JournalOptions {
  readonly sql: Sql;
  readonly schema: string;
  readonly write: Write;
  readonly leases: Leases;
  readonly self: string;
  /** Milliseconds that the creator of a run has to drive it, before another process may. */
  readonly grace: number;
}

interface Head {
  readonly last_seq: number;
  readonly epoch: string;
  readonly worker: string | null;
  readonly holder: string | null;
  readonly is_live: boolean;
}

interface Lease {
  readonly term: string;
  readonly epoch: string;
}

/** A claim as the row tells it. Only runs count wakes. */
interface Taken {
  readonly epoch: string;
  readonly wakes?: string;
}

const OPEN: readonly string[] = ['open', 'waiting', 'paused'];

/** How long an append is tried again if the database cannot be reached, in milliseconds. */
const PATIENCE = 20_000;
const AGAIN = 200;

/** Events in a table, with a head row per run that every append moves. */
export function createPostgresJournal<E extends Entry, Summary>(
  form: Form<E, Summary>,
  { sql, schema, write, leases, self, grace }: JournalOptions,
): PostgresJournal<E, Summary> {
  const { owner: kind, notFound, summarise } = form;
  const heads = `${schema}.${kind}s`;
  const events = `${schema}.${kind}_events`;
  const isRuns = kind === 'run';
  const appends = createAppends(sql, { heads, events, write: isRuns ? write : undefined });
  const changes = createChanges({ sql, schema, kind, self });
  const query = queryOf(sql);
  const claims = new Map<string, Claim>();
  /** Claims that are being made. */
  const claiming = new Set<string>();
  const held = new WeakMap<Claim, Lease>();
  let isFreeing = false;
  let isClosed = false;
  const isOpen = (status: string) => isRuns && OPEN.includes(status);

  /** A statement that may make runs due. It returns `DUE`, or for conversations nothing. */
  const queryDue = (text: string, args: Args): Promise<unknown> =>
    isRuns ? write<DueRow>(`${text} returning ${DUE}`, args, wakeOf).catch(asUnreachable) : query(text, args);

  const known = (run: string): string => (isRunId(run) ? run : notFound(run));

  function parse(run: string, body: string, seq: number): E {
    const place = { file: `${kind} ${run}`, run, line: seq, offset: 0, seq };
    return parseLine<E>(Buffer.from(body), place, form);
  }

  async function headOf(run: string): Promise<Head> {
    const [head] = await query<Head>(
      `select h.last_seq, h.epoch, h.worker, w.name as holder, coalesce(w.until > clock_timestamp(), false) as is_live
       from ${heads} h left join ${schema}.workers w on w.id = h.worker where h.id = $1`,
      [known(run)],
    );
    return head ?? notFound(run);
  }

  function statusOf(run: string, last: E): string {
    // Only the last event decides the status of a run. A conversation has none.
    const status = (summarise(run, beginningOf(last), last) as { readonly status?: string }).status;
    return status ?? '-';
  }

  /** Any first event: the status does not depend on it. */
  function beginningOf(last: E): E {
    return { ...last, type: form.beginning, data: {} };
  }

  /**
   * If the connection breaks, the append may have been written or not. It is tried again: if it is refused
   * then, the line that is there tells whether it is ours.
   */
  async function appendSurely(append: Append, claim: Claim | undefined): Promise<boolean> {
    const until = Date.now() + PATIENCE;
    for (let isUnsure = false; ; isUnsure = true) {
      try {
        const isWritten = await unlessLost(appends.add(append), claim, append.id);
        return isWritten || (isUnsure && (await isThere(append)));
      } catch (error) {
        if (!isUnreachable(error) || Date.now() > until || claim?.lost.aborted) return asUnreachable(error);
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
      }
    }
  }

  async function isThere({ id, after, lines }: Append): Promise<boolean> {
    const [row] = await query<{ body: string }>(`select body from ${events} where id = $1 and seq = $2`, [
      id,
      after + lines.length,
    ]);
    return row?.body === lines.at(-1);
  }

  async function createFrom(run: string, lines: readonly string[]): Promise<void> {
    const last = parse(known(run), lines.at(-1) ?? '', lines.length);
    const first = parse(run, lines[0] ?? '', 1);
    const { userId, parent = null } = summarise(run, first, last) as {
      readonly userId?: string;
      readonly parent?: string;
    };
    const status = statusOf(run, last);
    const due = isOpen(status) && parent === null ? `clock_timestamp() + ${grace} * interval '1 ms'` : 'null';
    const text = `with made as (
         insert into ${heads} (id, last_seq, last_at, status, owner${isRuns ? ', wake_at, parent' : ''})
         values ($1, $2, $3, $4, $5${isRuns ? `, ${due}, $7` : ''})
         on conflict do nothing returning ${isRuns ? `id, ${DUE}` : 'id'}
       ), written as (
         insert into ${events} (id, seq, body)
         select made.id, e.seq, e.body from made, unnest(string_to_array($6, E'\\n')) with ordinality as e (body, seq)
       )${isRuns ? `, begun as (delete from ${schema}.unbegun u using made where u.run = made.id)` : ''}
       select * from made`;
    const args = [run, lines.length, last.at, status, userId ?? null, lines.join('\n')];
    const made = await (isRuns ? write<DueRow>(text, [...args, parent], wakeOf) : query(text, args)).catch(
      asUnreachable,
    );
    if (made.length === 0) throw new DandoriError('run-exists', `The ${kind} ${run} already exists.`);
    changes.wrote(run, lines.length);
  }

  /** Sets the lease if it is still as it was read. A term that ended in the meantime gets none. */
  async function take(run: string, term: string, was: Pick<Head, 'worker' | 'epoch'> | undefined) {
    const [taken] = await query<Taken>(
      `with me as materialized (
         select id from ${schema}.workers where id = $2 and until > clock_timestamp() for share
       )
       update ${heads} h set worker = me.id, epoch = h.epoch + 1 from me
       where h.id = $1 and ${was === undefined ? 'h.worker is null' : 'h.worker = $3 and h.epoch = $4::bigint'}
       returning h.epoch${isRuns ? ', h.wakes' : ''}`,
      was === undefined ? [run, term] : [run, term, was.worker, was.epoch],
    );
    return taken;
  }

  async function claimRun(run: string): Promise<Claim> {
    if (claims.has(run)) drivenElsewhere(run, 'this process');
    claiming.add(run);
    try {
      return await tryClaim(run);
    } catch (error) {
      if (isUnreachable(error)) void freeForgotten();
      throw error;
    } finally {
      claiming.delete(run);
    }
  }

  /**
   * A claim or a release whose answer did not arrive may leave a lease of this process that nothing here holds.
   * As long as the process lives, no other process could take the run. So the lease is given back, and the run is due.
   */
  async function freeForgotten(): Promise<void> {
    if (isFreeing) return;
    isFreeing = true;
    for (let isFree = false; !isFree && !isClosed; )
      try {
        await new Promise((resolve) => setTimeout(resolve, AGAIN).unref());
        const { id } = await leases.term();
        const known = [...claims.keys(), ...claiming].join(' ');
        await queryDue(
          `update ${heads} set worker = null${isRuns ? ', wakes = wakes + 1, wake_at = clock_timestamp()' : ''}
           where worker = $1 and id <> all(string_to_array($2, ' '))`,
          [id, known],
        );
        isFree = true;
      } catch {
        // The database is still away.
      }
    isFreeing = false;
  }

  async function tryClaim(run: string): Promise<Claim> {
    for (let attempt = 0; attempt < MOST_TRIES; attempt++) {
      const term = await leases.term().catch(asUnreachable);
      const free = await take(known(run), term.id, undefined);
      if (free !== undefined) return hold(run, term, free);
      const head = await headOf(run);
      if (head.worker === null) {
        // Released in the meantime, or our own term has ended.
        await leases.confirm();
        continue;
      }
      const isMine = head.worker === term.id && !claims.has(run);
      if (head.is_live && !isMine) return drivenElsewhere(run, head.holder ?? head.worker);
      if (!isMine && !(await leases.bury(head.worker).catch(asUnreachable))) continue;
      const taken = await take(run, term.id, head);
      if (taken !== undefined) return hold(run, term, taken);
      await leases.confirm();
    }
    return claimEnded(run);
  }

  function hold(
    run: string,
    term: { readonly id: string; readonly lost: AbortSignal },
    { epoch, wakes = '0' }: Taken,
  ): Claim {
    const claim: Claim = {
      get lost() {
        return term.lost;
      },
      async release(parked) {
        if (claims.get(run) !== claim) return;
        claims.delete(run);
        held.delete(claim);
        const lease = [run, term.id, epoch];
        const how = isRuns ? nextWake(parked, wakes) : { set: '', args: [] };
        await queryDue(
          `update ${heads} set worker = null${how.set} where id = $1 and worker = $2 and epoch = $3::bigint`,
          [...lease, ...how.args],
        ).catch((error) => {
          if (!isUnreachable(error)) throw error;
          void freeForgotten();
        });
      },
    };
    claims.set(run, claim);
    held.set(claim, { term: term.id, epoch });
    return claim;
  }

  /**
   * A driver clears the wakes that it knew of. A command that it has not seen, or a wake after its claim, keeps
   * the run due. A driver that failed leaves it due.
   */
  function nextWake(parked: Parked | undefined, wakes: string): { set: string; args: Args } {
    const later = (argument: string) => `clock_timestamp() + ${argument}::float8 * interval '1 ms'`;
    if (parked === undefined) return { set: `, wake_at = coalesce(wake_at, ${later('$4')})`, args: [grace] };
    const { seen, wakeAt } = parked;
    const delay = wakeAt === undefined ? null : Math.max(0, wakeAt - Date.now());
    const known = 'last_seq = $4 and wakes = $5::bigint';
    return {
      set: `, wake_at = case when ${known} then ${later('$6')} else clock_timestamp() end`,
      args: [seen, wakes, delay],
    };
  }

  return {
    changes,
    create: async (run, first) => createFrom(known(run), linesOf(first)),
    createFrom,
    async append(run, after, added, claim) {
      assertFollows(after, added);
      const lease = claim && held.get(claim);
      if (claim !== undefined && lease === undefined) claimEnded(run);
      const last = added.at(-1);
      if (last === undefined) {
        const { last_seq } = await headOf(run);
        return last_seq === after ? undefined : conflict(`${kind} ${run}`, after, last_seq);
      }
      const lines = linesOf(added);
      const status = statusOf(run, last);
      const isDue = lease === undefined && isOpen(status);
      const append: Append = { id: known(run), after, lines, lastAt: last.at, status, lease, isDue };
      if (await appendSurely(append, claim)) return changes.wrote(run, after + lines.length, isDue);
      const head = await headOf(run);
      if (lease !== undefined && (head.worker !== lease.term || head.epoch !== lease.epoch)) claimEnded(run);
      return conflict(`${kind} ${run}`, after, head.last_seq);
    },
    async read(run, after = 0) {
      const rows = await query<{ seq: number; body: string }>(
        `select seq, body from ${events} where id = $1 and seq > $2 order by seq`,
        [known(run), after],
      );
      if (rows.length === 0) await headOf(run);
      return rows.map(({ body }, index) => parse(run, body, after + 1 + index));
    },
    async first(run) {
      const [row] = await query<{ body: string }>(`select body from ${events} where id = $1 and seq = 1`, [
        known(run),
      ]);
      return row === undefined ? notFound(run) : parse(run, row.body, 1);
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
    claim: claimRun,
    async size(run) {
      const [row] = await query<{ bytes: string | null }>(
        `select sum(octet_length(body) + 1)::text as bytes from ${events} where id = $1`,
        [known(run)],
      );
      return Number(row?.bytes ?? notFound(run));
    },
    async remove(run, after) {
      const claim = await claimRun(run);
      const lease = held.get(claim);
      try {
        const gone = await query(
          `delete from ${heads} where id = $1 and last_seq = $2 and worker = $3 and epoch = $4::bigint returning id`,
          [run, after, lease?.term ?? null, lease?.epoch ?? null],
        );
        if (gone.length === 0) conflict(`${kind} ${run}`, after, (await headOf(run)).last_seq);
      } finally {
        await claim.release();
      }
    },
    watch: (run, changed) => changes.watch(run, changed),
    close() {
      isClosed = true;
      changes.close();
    },
  };
}

/** A claim is tried again if another process ends a lease or takes the run at the same moment. */
const MOST_TRIES = 5;

/** The lines as a file would have them, without newlines. */
function linesOf(events: readonly Entry[]): string[] {
  return toLines(events).trimEnd().split('\n');
}

/** A driver whose claim is lost must not wait for a database that cannot be reached. */
async function unlessLost<T>(work: Promise<T>, claim: Claim | undefined, run: string): Promise<T> {
  if (claim === undefined) return work;
  const { lost } = claim;
  let forget = () => {};
  const ended = new Promise<never>((_, reject) => {
    const stop = () => {
      try {
        claimEnded(run);
      } catch (error) {
        reject(error);
      }
    };
    if (lost.aborted) return stop();
    lost.addEventListener('abort', stop, { once: true });
    forget = () => lost.removeEventListener('abort', stop);
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, ended]);
  } finally {
    forget();
  }
}
