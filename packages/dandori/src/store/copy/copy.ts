import type { ConversationEvent } from '../../model/conversation.ts';
import { DandoriError } from '../../model/error.ts';
import { type BlobHandle, type Event, isUnfinished } from '../../model/event.ts';
import { blobsOf } from '../../model/event-kinds.ts';
import { parseJson } from '../../model/json.ts';
import type { StandingApproval } from '../../model/question.ts';
import { holdsMark } from '../../model/redact.ts';
import { alteredBlob, type Blobs } from '../blobs.ts';
import { type ConversationSummary, type Entry, type Journal, listAll, type RunSummary } from '../journal.ts';

/** A journal whose lines can be copied. */
export interface CopiedJournal<E extends Entry, Summary> extends Journal<E, Summary> {
  /** A line per event, without newlines. A file may have several in one line. */
  lines(run: string): Promise<string[]>;
  /** Creates a run from lines of another store. */
  createFrom(run: string, lines: readonly string[]): Promise<void>;
}

/** A request key as it is stored: its name is only known as a hash. */
export interface StoredKey {
  readonly hash: string;
  readonly value: string;
  /** When it was stored, in milliseconds since 1970. */
  readonly at: number;
}

export interface CopiedStore {
  /** Tells two stores apart. */
  readonly address: string;
  readonly runs: CopiedJournal<Event, RunSummary>;
  readonly conversations: CopiedJournal<ConversationEvent, ConversationSummary>;
  readonly blobs: Blobs;
  readonly keys: {
    all(): AsyncIterable<StoredKey>;
    /** Stores the key unless its name is taken, and returns the stored value. */
    hold(key: StoredKey): Promise<string>;
  };
  readonly approvals: {
    all(): Promise<readonly StandingApproval[]>;
    add(approval: Omit<StandingApproval, 'id'>): Promise<string>;
  };
  /** The key by which the journals name secrets. */
  readonly secrets: {
    read(): Promise<string | undefined>;
    /** Stores the key unless there is one, and returns the stored one. */
    hold(key: string): Promise<string>;
  };
  close(): Promise<void>;
}

/**
 * Why a run or a conversation was not copied.
 * - `driven`: a process drives it.
 * - `damaged`: its journal or one of its results cannot be read.
 * - `differs`: the other store has another run of this name, or the two went on in different ways.
 * - `secrets`: it has not ended and contains secrets, which the other store names by another key.
 */
type NotCopied = 'driven' | 'damaged' | 'differs' | 'secrets';

interface LeftBehind {
  /** The run or conversation. */
  readonly id: string;
  readonly reason: NotCopied;
  readonly message: string;
}

export interface Copied {
  readonly runs: Counts;
  readonly conversations: Counts;
  /** Stored results that were written. */
  readonly blobs: number;
  readonly keys: Counts;
  readonly approvals: number;
  /** Bytes of the journals that were written. */
  readonly bytes: number;
  /** Runs that have not ended and are now in both stores. Only one of them may be used. */
  readonly unfinished: number;
  readonly left: readonly LeftBehind[];
}

/** `same`: the other store already had it. */
interface Counts {
  readonly copied: number;
  readonly same: number;
}

export interface CopyOptions {
  /** Only this run, with its results and its request key. */
  readonly run?: string | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Runs at the same time. */
const AT_ONCE = 4;
/** The latest valid Date: a cutoff that every stored time is before. */
const ALWAYS = 8.64e15;

/**
 * Copies runs and conversations from one store to another.
 *
 * C1  Every line is checked before it is copied. A database has a row for each event of a line. A copy there and back
 *     has the same bytes.
 * C2  A run is there with all its results or not at all: the results come first.
 * C3  It can be interrupted and repeated. What is there already is compared, not written again. If the run has
 *     gone on since it was copied, the copy is replaced. If the copy has gone on, it stays.
 * C4  A run that has not ended is claimed while it is copied. A run that is driven, in either store, is left.
 */
export async function copyStore(
  from: CopiedStore,
  to: CopiedStore,
  { run, onProgress }: CopyOptions = {},
): Promise<Copied> {
  if (from.address === to.address)
    throw new DandoriError('usage', 'Both names are the same store.', {
      fix: 'Name the store to copy from, then the one to copy to.',
    });
  const key = await from.secrets.read();
  const isSameKey = key === undefined || (await to.secrets.hold(key)) === key;
  const present = new Map((await to.blobs.putBefore(ALWAYS)).map(({ sha256, bytes }) => [sha256, bytes]));
  const left: LeftBehind[] = [];
  const runs = { copied: 0, same: 0 };
  const conversations = { copied: 0, same: 0 };
  let bytes = 0;
  let blobs = 0;
  let unfinished = 0;

  async function copyBlob(blob: BlobHandle): Promise<void> {
    if (present.get(blob.sha256) === blob.bytes) return;
    const text = await from.blobs.get(blob);
    assertSame(blob, await to.blobs.put([text]));
    present.set(blob.sha256, blob.bytes);
    blobs++;
  }

  async function copyRun({ run: id, status }: Pick<RunSummary, 'run' | 'status'>): Promise<void> {
    const isOpen = isUnfinished(status);
    const claim = isOpen ? await from.runs.claim(id) : undefined;
    try {
      const events = await from.runs.read(id);
      if (isOpen && !isSameKey && holdsMark(events))
        throw new LeftError(
          'secrets',
          `The run ${id} contains secrets, and the other store has another key.`,
        );
      for (const blob of events.flatMap(blobsOf)) await copyBlob(blob);
      count(runs, await copyLines(id, events.length, { from: from.runs, to: to.runs }));
      if (isOpen) unfinished++;
    } finally {
      await claim?.release();
    }
  }

  async function copyConversation(id: string): Promise<void> {
    const events = await from.conversations.read(id);
    const { conversations: source } = from;
    for (const blob of events.flatMap(blobsOf)) await copyBlob(blob).catch(ifLost);
    count(conversations, await copyLines(id, events.length, { from: source, to: to.conversations }));
  }

  function count(counts: { copied: number; same: number }, written: number): void {
    if (written === 0) counts.same++;
    else counts.copied++;
    bytes += written;
  }

  async function unlessLeft(id: string, copying: Promise<void>): Promise<void> {
    try {
      await copying;
    } catch (error) {
      left.push(leftBehind(id, error));
    }
  }

  const wanted = run === undefined ? await collect(from.runs, 'run') : [await summaryOf(from.runs, run)];
  const talks = run === undefined ? await collect(from.conversations, 'conversation') : [];
  const jobs = [
    // The oldest first, as they came.
    ...wanted.reverse().map((one) => () => unlessLeft(one.run, copyRun(one))),
    ...talks.reverse().map((one) => () => unlessLeft(one.conversation, copyConversation(one.conversation))),
  ];
  await inParallel(jobs, (done) => onProgress?.(done, jobs.length));
  const keys = await copyKeys(from, to, { run, left: new Set(left.map(({ id }) => id)) });
  const given = run === undefined ? await from.approvals.all() : [];
  for (const { id: _, ...approval } of given) await to.approvals.add(approval);
  return { runs, conversations, blobs, keys, approvals: given.length, bytes, unfinished, left };
}

/** The messages of a conversation are worth copying without a file that the store has lost. */
function ifLost(error: unknown): void {
  if (!(error instanceof DandoriError && error.code === 'blob-damaged')) throw error;
}

/** Returns how many bytes were written; 0 if they were there. */
async function copyLines<E extends Entry, Summary>(
  id: string,
  count: number,
  { from, to }: Record<'from' | 'to', CopiedJournal<E, Summary>>,
): Promise<number> {
  // Lines behind those that were checked are a torn tail, or came later.
  const lines = (await from.lines(id)).slice(0, count);
  const present = await linesThere(to, id);
  const shared = Math.min(lines.length, present.length);
  if (lines.slice(0, shared).some((line, index) => line !== present[index]))
    throw new LeftError('differs', `The other store has another ${id}, or it went on there in another way.`);
  if (present.length >= lines.length) return 0;
  if (present.length > 0) await to.remove(id, present.length);
  await to.createFrom(id, lines);
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

async function linesThere<E extends Entry, Summary>(
  journal: CopiedJournal<E, Summary>,
  id: string,
): Promise<readonly string[]> {
  try {
    // Checks every line, and says where the first damaged one is.
    const { length } = await journal.read(id);
    return (await journal.lines(id)).slice(0, length);
  } catch (error) {
    const isMissing =
      error instanceof DandoriError &&
      (error.code === 'run-not-found' || error.code === 'conversation-not-found');
    if (isMissing) return [];
    throw error;
  }
}

/**
 * Request keys of runs that were not copied are not copied either. Otherwise a repeated request would start the run
 * in the other store.
 */
async function copyKeys(
  from: CopiedStore,
  to: CopiedStore,
  { run, left }: { run: string | undefined; left: ReadonlySet<string> },
): Promise<Counts> {
  const counts = { copied: 0, same: 0 };
  const known = new Map<string, string>();
  for await (const key of to.keys.all()) known.set(key.hash, key.value);
  for await (const key of from.keys.all()) {
    const of = parseJson(key.value) as { readonly run?: string; readonly conversation?: string };
    if (run !== undefined && of.run !== run) continue;
    if (left.has(of.run ?? '') || left.has(of.conversation ?? '')) continue;
    if (known.has(key.hash)) counts.same++;
    else {
      await to.keys.hold(key);
      counts.copied++;
    }
  }
  return counts;
}

async function collect<E extends Entry, Name extends string, Summary extends Readonly<Record<Name, string>>>(
  journal: Journal<E, Summary>,
  name: Name,
): Promise<Summary[]> {
  const all: Summary[] = [];
  for await (const one of listAll({
    list: (page) => journal.list(page),
    idOf: (item: Summary) => item[name],
  }))
    all.push(one);
  return all;
}

async function summaryOf(journal: Journal, run: string): Promise<Pick<RunSummary, 'run' | 'status'>> {
  await journal.size(run);
  // No character of an id sorts before a hyphen, so this page begins with the run itself.
  const [found] = await journal.list({ before: `${run}-`, limit: 1 });
  return found?.run === run ? found : { run, status: 'open' };
}

async function inParallel(
  jobs: readonly (() => Promise<void>)[],
  onDone: (done: number) => void,
): Promise<void> {
  let next = 0;
  let done = 0;
  const work = async () => {
    for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
      await job();
      onDone(++done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function assertSame(wanted: BlobHandle, written: BlobHandle): void {
  if (wanted.sha256 !== written.sha256) throw alteredBlob(wanted.sha256);
}

class LeftError extends Error {
  readonly reason: NotCopied;
  constructor(reason: NotCopied, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Rethrows what concerns the store as a whole. */
function leftBehind(id: string, error: unknown): LeftBehind {
  if (error instanceof LeftError) return { id, reason: error.reason, message: error.message };
  if (!(error instanceof DandoriError)) throw error;
  const { code, message } = error;
  if (code === 'run-driven-elsewhere') return { id, reason: 'driven', message };
  if (code === 'journal-damaged' || code === 'blob-damaged') return { id, reason: 'damaged', message };
  // It was written to or removed in the meantime.
  if (code === 'journal-conflict' || code === 'run-exists') return { id, reason: 'differs', message };
  if (code === 'run-not-found') return { id, reason: 'damaged', message };
  throw error;
}
