import type { Clock } from '../model/clock.ts';
import { DandoriError } from '../model/error.ts';
import type { Event, Outcome } from '../model/event.ts';
import { blobsOf } from '../model/event-kinds.ts';
import { parseJson } from '../model/json.ts';
import { fold } from '../run/state/apply.ts';
import {
  allConversations,
  allRuns,
  type Blobs,
  type ConversationJournal,
  type Journal,
  type Keys,
  type RunSummary,
} from '../store/index.ts';

export interface PruneOptions {
  /** Milliseconds since the last event of a run. Younger runs stay. */
  readonly olderThan: number;
  /** Keeps failed and exhausted runs for inspection. */
  readonly keepFailed?: boolean;
  /** Reports what would be removed, and removes nothing. */
  readonly dryRun?: boolean;
}

export interface Pruned {
  /** Newest first. */
  readonly runs: readonly PrunedRun[];
  readonly blobs: { readonly count: number; readonly bytes: number };
  /** Idempotency keys that were removed. */
  readonly keys: number;
  /** Bytes of the removed runs and blobs together. */
  readonly bytes: number;
  /**
   * Runs that could not be removed. While one is damaged, no blob is removed, because the blobs that it uses
   * are unknown.
   */
  readonly left: readonly LeftRun[];
  readonly dryRun: boolean;
}

interface PrunedRun {
  readonly run: string;
  readonly outcome: Outcome;
  readonly lastAt: number;
  readonly bytes: number;
}

interface LeftRun {
  readonly run: string;
  readonly reason: 'damaged' | 'driven';
  readonly message: string;
}

interface PruneParts {
  readonly journal: Journal;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly keys?: Keys;
  /** Their messages stay, with their files. */
  readonly conversations?: Pick<ConversationJournal, 'list' | 'read'>;
  /** Whether the conversation still needs the report of the run's end. */
  readonly isAwaited?: (run: string, conversation: string) => Promise<boolean>;
}
/**
 * A driver stores a blob before it writes the event. A young blob may belong to an event that is not written
 * yet.
 */
const BLOB_REST = 3_600_000;
const KEY_REST = 86_400_000;

/**
 * Removes runs that ended long ago, then the blobs that no run uses.
 *
 * P1  A run is removed only if it has ended, was fully readable, and was neither claimed nor written to
 *     since.
 * P2  Blobs are removed after the journals. A crash in between leaves unused blobs, which the next prune
 *     removes. It never leaves a run without its blobs.
 * P3  A run of a conversation is removed only after the conversation has the report of its end. The messages
 *     stay, with their files.
 * P4  A key is removed with its run. The key of a message or a conversation is removed when it is old. A key
 *     younger than a day stays, because the client may still retry its request.
 */
export async function pruneRuns(
  { olderThan, keepFailed = false, dryRun = false }: PruneOptions,
  parts: PruneParts,
): Promise<Pruned> {
  if (!(olderThan >= 0)) {
    throw new DandoriError('usage', `olderThan takes milliseconds from 0, not ${String(olderThan)}.`, {
      fix: 'Give the time since the last event: 30 days are 2_592_000_000.',
    });
  }
  const now = parts.clock.now();
  const { isAwaited = async () => false } = parts;
  const pruning: Pruning = { before: now - olderThan, keepFailed, dryRun, left: new Map(), isAwaited };
  const runs: PrunedRun[] = [];
  for await (const summary of allRuns(parts.journal)) {
    const gone = await pruneRun(summary, pruning, parts.journal);
    if (gone !== undefined) runs.push(gone);
  }
  const gone = new Set(runs.map(({ run }) => run));
  const blobs = await pruneBlobs(now - BLOB_REST, { ...pruning, gone }, parts);
  const keys = await pruneKeys(Math.min(pruning.before, now - KEY_REST), { dryRun, gone }, parts);
  const bytes = runs.reduce((sum, run) => sum + run.bytes, blobs.bytes);
  return { runs, blobs, keys, bytes, left: [...pruning.left.values()], dryRun };
}

interface Pruning {
  readonly before: number;
  readonly keepFailed: boolean;
  readonly dryRun: boolean;
  readonly left: Map<string, LeftRun>;
  readonly isAwaited: NonNullable<PruneParts['isAwaited']>;
}

async function pruneRun(
  { run, status, lastAt }: RunSummary,
  { before, keepFailed, dryRun, left, isAwaited }: Pruning,
  journal: Journal,
): Promise<PrunedRun | undefined> {
  if (status === 'open' || status === 'waiting' || (status !== 'damaged' && lastAt > before))
    return undefined;
  try {
    const events = await journal.read(run);
    const last = events.at(-1);
    if (last === undefined || status === 'damaged')
      throw new DandoriError('journal-damaged', `The run ${run} has no beginning or no end.`);
    const outcome = fold(events)?.end?.outcome;
    if (outcome === undefined || last.at > before) return undefined;
    if (keepFailed && (outcome === 'failed' || outcome === 'exhausted')) return undefined;
    const conversation = conversationOf(events);
    if (conversation !== undefined && (await isAwaited(run, conversation))) return undefined;
    const bytes = await journal.size(run);
    if (!dryRun) await journal.remove(run, last.seq);
    return { run, outcome, lastAt: last.at, bytes };
  } catch (error) {
    leave(run, error, left);
    return undefined;
  }
}

function conversationOf([first]: readonly Event[]): string | undefined {
  return first?.type === 'run_started' ? first.data.conversation : undefined;
}

/**
 * Another process may have removed the run, or written to it, in the meantime. Neither counts as a failure.
 */
function leave(run: string, error: unknown, left: Map<string, LeftRun>): void {
  if (!(error instanceof DandoriError)) throw error;
  const { code, message } = error;
  if (code === 'run-not-found' || code === 'journal-conflict') return;
  if (code === 'run-driven-elsewhere') left.set(run, { run, reason: 'driven', message });
  else if (code === 'journal-damaged' || code === 'file-unreadable')
    left.set(run, { run, reason: 'damaged', message });
  else throw error;
}

async function pruneKeys(
  before: number,
  { dryRun, gone }: { dryRun: boolean; gone: ReadonlySet<string> },
  { journal, keys }: { journal: Journal; keys?: Keys },
): Promise<number> {
  let count = 0;
  for await (const { value, remove } of keys?.heldBefore(before) ?? []) {
    const { run } = parseJson(value) as { run?: string };
    if (run !== undefined && !gone.has(run) && (await isThere(run, journal))) continue;
    count++;
    if (!dryRun) await remove();
  }
  return count;
}

/** A damaged run also counts as existing. */
async function isThere(run: string, journal: Journal): Promise<boolean> {
  try {
    await journal.size(run);
    return true;
  } catch (error) {
    if (!(error instanceof DandoriError)) throw error;
    return error.code !== 'run-not-found';
  }
}

async function pruneBlobs(
  before: number,
  { dryRun, left, gone }: Pruning & { gone: ReadonlySet<string> },
  { blobs, ...journals }: Pick<PruneParts, 'journal' | 'blobs' | 'conversations'>,
): Promise<Pruned['blobs']> {
  const old = await blobs.putBefore(before);
  // Old blobs are listed before the journals are read. A run that starts to use one meanwhile stores it
  // again, which makes it young.
  let used = old.length === 0 ? undefined : await usedBlobs(journals, { gone, left });
  const isUsed = async (sha256: string) => {
    used ??= await usedBlobs(journals, { gone, left });
    return used.has(sha256);
  };
  const isDamaged = () => [...left.values()].some(({ reason }) => reason === 'damaged');
  const swept = dryRun || isDamaged() ? [] : await blobs.sweep(before, isUsed);
  let count = 0;
  let bytes = swept.reduce((sum, one) => sum + one.bytes, 0);
  for (const blob of isDamaged() ? [] : old) {
    if ((await isUsed(blob.sha256)) || !(dryRun || (await blobs.remove(blob, before)))) continue;
    count++;
    bytes += blob.bytes;
  }
  return { count, bytes };
}

async function usedBlobs(
  { journal, conversations }: Pick<PruneParts, 'journal' | 'conversations'>,
  { gone, left }: { gone: ReadonlySet<string>; left: Map<string, LeftRun> },
): Promise<Set<string>> {
  const used = new Set<string>();
  const look = async (id: string, from: Pick<Journal | ConversationJournal, 'read'>) => {
    try {
      for (const event of await from.read(id)) for (const { sha256 } of blobsOf(event)) used.add(sha256);
    } catch (error) {
      leave(id, error, left);
    }
  };
  for await (const { run } of allRuns(journal)) if (!gone.has(run)) await look(run, journal);
  if (conversations !== undefined)
    for await (const { conversation } of allConversations(conversations))
      await look(conversation, conversations);
  return used;
}
