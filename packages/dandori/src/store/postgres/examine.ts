import type { Sql } from 'postgres';
import type { Event } from '../../model/event.ts';
import type { Examined, Finding } from '../../model/finding.ts';
import { type BlobUse, type DoctorOptions, detailOfBlob, type Laws, noteBlobUses } from '../doctor/doctor.ts';
import { examineJournal, type Lawful } from '../doctor/journal-file.ts';
import { isRunId } from '../files/journal.ts';
import { CONVERSATIONS, type Entry, type Form, RUNS } from '../journal.ts';
import { type Query, queryOf } from './query.ts';

interface Place {
  readonly sql: Sql;
  readonly schema: string;
  /** The address of the database and its schema, without user and password. */
  readonly address: string;
}

/** Journals that are read at a time. */
const READ_AT_ONCE = 50;
/** A lease that ended longer ago, in milliseconds, has no worker that would take over. */
const LONG_ENDED = 60_000;

interface Head {
  readonly id: string;
  readonly last_seq: number;
  readonly status: string;
  readonly body: string | null;
}

/** Examines every row of a store as `examineStore` examines its files. Changes nothing but leases, if asked to. */
export async function examineTables(
  { sql, schema, address }: Place,
  { laws, run, repair = false }: DoctorOptions & { readonly laws: Laws },
): Promise<Examined> {
  const query = queryOf(sql);
  if (
    run !== undefined &&
    (!isRunId(run) || (await headsAfter(query, `${schema}.run`, { run })).length === 0)
  )
    RUNS.notFound(run);
  const findings: Finding[] = [];
  const used = new Map<string, BlobUse>();
  const runs = await examineJournals<Event>(query, `${schema}.run`, {
    run,
    findings,
    lawful: { form: RUNS, breaches: laws.ofRun },
    summarise: RUNS.summarise,
    onEvent: (event) => noteBlobUses(event, used),
  });
  // A conversation does not belong to a single run.
  const talks =
    run === undefined
      ? await examineJournals(query, `${schema}.conversation`, {
          findings,
          lawful: { form: CONVERSATIONS, breaches: laws.ofConversation },
          summarise: CONVERSATIONS.summarise,
        })
      : { count: 0, events: 0 };
  const blobs = await examineBlobs(query, schema, { used, findings, isWhole: run === undefined });
  const stale = await staleLeases(query, schema, run);
  if (repair !== false && stale.length > 0) await giveBack(query, schema, stale);
  findings.push(...stale.map((finding) => ({ ...finding, ...(repair !== false && { isRepaired: true }) })));
  return {
    store: address,
    runs: runs.count,
    conversations: talks.count,
    events: runs.events + talks.events,
    blobs,
    findings,
  };
}

interface Search<E extends Entry> {
  readonly run?: string | undefined;
  readonly findings: Finding[];
  readonly lawful: Lawful<E>;
  readonly summarise: Form<E, unknown>['summarise'];
  readonly onEvent?: (event: E) => void;
}

async function examineJournals<E extends Entry>(
  query: Query,
  table: string,
  { run, findings, lawful, summarise, onEvent }: Search<E>,
): Promise<{ count: number; events: number }> {
  let count = 0;
  let events = 0;
  for (let after = ''; ; ) {
    const rows = await headsAfter(query, table, { after, run });
    const heads = Map.groupBy(rows, ({ id }) => id);
    for (const [id, lines] of heads) {
      const place = { file: `${table}_events, ${id}`, id };
      // Rows without their newlines are the lines of a file.
      const text = lines.map(({ body }) => (body === null ? '' : `${body}\n`)).join('');
      const examined = examineJournal(Buffer.from(text), place, lawful);
      const about = { file: `${table}s, ${id}`, [lawful.form.owner]: id };
      findings.push(...examined.findings, ...headFindings(lines[0], examined, { about, summarise }));
      for (const event of examined.events) onEvent?.(event);
      count++;
      events += examined.events.length;
      after = id;
    }
    if (heads.size < READ_AT_ONCE) return { count, events };
  }
}

function headsAfter(
  query: Query,
  table: string,
  { after = '', run }: { readonly after?: string; readonly run?: string | undefined },
): Promise<Head[]> {
  return query<Head>(
    `select h.id, h.last_seq, h.status, e.body from (
       select id, last_seq, status from ${table}s
       where id > $1::text collate "C" and ($2::text is null or id = $2) order by id limit ${READ_AT_ONCE}
     ) h left join ${table}_events e on e.id = h.id order by h.id, e.seq`,
    [after, run ?? null],
  );
}

/** Lists and leases go by the head row. It must say what the last event says. */
function headFindings<E extends Entry>(
  head: Head | undefined,
  { events, findings }: { readonly events: readonly E[]; readonly findings: readonly Finding[] },
  { about, summarise }: { readonly about: Pick<Finding, 'file'>; readonly summarise: Search<E>['summarise'] },
): Finding[] {
  const last = events.at(-1);
  if (head === undefined || last === undefined || findings.length > 0) return [];
  if (head.last_seq > last.seq) {
    const detail = `events ${last.seq + 1} to ${head.last_seq} are missing at its end`;
    return [{ kind: 'missing-line', ...about, detail }];
  }
  const { status = '-' } = summarise(head.id, events[0], last) as { readonly status?: string };
  if (head.last_seq === last.seq && head.status === status) return [];
  const detail = `it says event ${head.last_seq}, ${head.status}; the events say ${last.seq}, ${status}`;
  return [{ kind: 'wrong-head', ...about, detail }];
}

interface BlobSearch {
  readonly used: ReadonlyMap<string, BlobUse>;
  readonly findings: Finding[];
  /** False if only one run is examined. */
  readonly isWhole: boolean;
}

/** The database hashes the results, so that none has to be sent. */
async function examineBlobs(
  query: Query,
  schema: string,
  { used, findings, isWhole }: BlobSearch,
): Promise<number> {
  const there = new Set<string>();
  for (let after = ''; ; ) {
    const rows = await query<{ sha256: string; is_same: boolean | null }>(
      `select b.sha256, (
         select encode(sha256(string_agg(c.data, ''::bytea order by c.part)), 'hex') = b.sha256
         from ${schema}.blob_chunks c where c.upload = b.upload
       ) as is_same
       from ${schema}.blobs b where b.sha256 > $1 and ($2::text is null or b.sha256 = any(string_to_array($2, ' ')))
       order by b.sha256 limit ${READ_AT_ONCE}`,
      [after, isWhole ? null : [...used.keys()].join(' ')],
    );
    for (const { sha256, is_same } of rows) {
      there.add(sha256);
      after = sha256;
      if (is_same === true) continue;
      const use = used.get(sha256);
      const detail = detailOfBlob(use);
      const about = { file: `${schema}.blobs, ${sha256}`, ...(use && { run: use.run }) };
      findings.push({ kind: 'damaged-blob', ...about, detail });
    }
    if (rows.length < READ_AT_ONCE) break;
  }
  for (const [sha256, { run, task }] of used)
    if (!there.has(sha256))
      findings.push({
        kind: 'missing-blob',
        file: `${schema}.blobs, ${sha256}`,
        run,
        detail: detailOfBlob({ run, task }),
      });
  return there.size;
}

/** Any worker takes such a run within a second. So if it lasts, no worker is left. */
async function staleLeases(query: Query, schema: string, run: string | undefined): Promise<Finding[]> {
  const rows = await query<{ id: string; name: string | null }>(
    `select h.id, w.name from ${schema}.runs h left join ${schema}.workers w on w.id = h.worker
     where h.worker is not null and ($1::text is null or h.id = $1) and h.parent is null
       and (w.id is null or w.until < clock_timestamp() - ${LONG_ENDED} * interval '1 ms') order by h.id`,
    [run ?? null],
  );
  return rows.map(({ id, name }) => ({
    kind: 'stale-lock',
    file: `${schema}.runs, ${id}`,
    run: id,
    detail: `it was held by ${name ?? 'no process'}`,
    repair: 'safe',
  }));
}

/** As a worker would find it: without a lease, and due. */
async function giveBack(query: Query, schema: string, stale: readonly Finding[]): Promise<void> {
  await query(
    `update ${schema}.runs h set worker = null, wakes = wakes + 1, wake_at = clock_timestamp()
     where id = any(string_to_array($1, ' ')) and not exists (
       select from ${schema}.workers w where w.id = h.worker and w.until > clock_timestamp()
     )`,
    [stale.map(({ run }) => run).join(' ')],
  );
}
