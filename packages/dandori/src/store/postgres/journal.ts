import type { Sql } from 'postgres';
import { isUnfinished } from '../../model/event.ts';
import type { CopiedJournal } from '../copy/copy.ts';
import { toLines } from '../files/line.ts';
import {
  alreadyExists,
  assertFollows,
  type Claim,
  claimEnded,
  conflict,
  type Entry,
  type Form,
} from '../journal.ts';
import { type Append, createAppends } from './appends.ts';
import { type Changes, createChanges } from './changes.ts';
import { createClaims } from './claims.ts';
import { DUE, type DueRow, type Write, wakeOf } from './engine.ts';
import { createJournalRows } from './journal-rows.ts';
import type { Leases } from './leases.ts';
import { type Args, asUnreachable, isUnreachable, queryOf } from './query.ts';

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

/** How long an append is tried again if the database cannot be reached, in milliseconds. */
const PATIENCE = 20_000;
const AGAIN = 200;

/** Events in a table, with a head row per run that every append moves. */
export function createPostgresJournal<E extends Entry, Summary>(
  form: Form<E, Summary>,
  { sql, schema, write, leases, self, grace }: JournalOptions,
): PostgresJournal<E, Summary> {
  const { owner: kind, summarise } = form;
  const heads = `${schema}.${kind}s`;
  const events = `${schema}.${kind}_events`;
  const isRuns = kind === 'run';
  const appends = createAppends(sql, { heads, events, write: isRuns ? write : undefined });
  const changes = createChanges({ sql, schema, kind, self });
  const query = queryOf(sql);
  const isOpen = (status: string) => isRuns && isUnfinished(status);

  /** A statement that may make runs due. It returns `DUE`, or for conversations nothing. */
  const queryDue = (text: string, args: Args): Promise<unknown> =>
    isRuns ? write<DueRow>(`${text} returning ${DUE}`, args, wakeOf).catch(asUnreachable) : query(text, args);

  const rows = createJournalRows(form, { query, schema, heads, events });
  const { known, parse, headOf, bodyOf } = rows;
  const claims = createClaims({ schema, heads, isRuns, grace, leases, query, queryDue, headOf });

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
    return (await bodyOf(id, after + lines.length)) === lines.at(-1);
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
    if (made.length === 0) alreadyExists(kind, run);
    changes.wrote(run, lines.length);
  }

  return {
    changes,
    create: async (run, first) => createFrom(known(run), linesOf(first)),
    createFrom,
    async append(run, after, added, claim) {
      assertFollows(after, added);
      const lease = claim && claims.leaseOf(claim);
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
    read: rows.read,
    first: rows.first,
    owner: rows.owner,
    lines: rows.lines,
    list: rows.list,
    size: rows.size,
    claim: async (run) => claims.claim(known(run)),
    async remove(run, after) {
      const claim = await claims.claim(known(run));
      const lease = claims.leaseOf(claim);
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
      claims.close();
      changes.close();
    },
  };
}

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
