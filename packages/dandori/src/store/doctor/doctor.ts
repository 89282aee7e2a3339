import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConversationEvent } from '../../model/conversation.ts';
import type { Event } from '../../model/event.ts';
import { blobsOf } from '../../model/event-kinds.ts';
import type { Examined, Finding } from '../../model/finding.ts';
import { isRunId } from '../files/journal.ts';
import { lockHolder } from '../files/lock.ts';
import { CONVERSATIONS, type Entry, RUNS } from '../journal.ts';
import { examineJournal, type Lawful } from './journal-file.ts';
import { repairFinding } from './repair.ts';

export interface DoctorOptions {
  /** Only this run and what it uses. */
  readonly run?: string;
  /**
   * True cuts torn tails and removes locks of dead processes, and nothing else. A function is asked about
   * every other repair; those two are made without asking.
   */
  readonly repair?: boolean | ((finding: Finding) => Promise<boolean>);
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A partial file must be this old before it counts as left by a crash: a process may still be writing it. */
const LEFTOVER_AGE = 3_600_000;
const LONGEST_WRITE = 2_000;

/** The laws of each kind of journal, passed in because the doctor itself knows only files. */
export interface Laws {
  readonly ofRun: Lawful<Event>['breaches'];
  readonly ofConversation: Lawful<ConversationEvent>['breaches'];
}

/** The folders of the store. A part is undefined if it is not kept in files. */
interface Places {
  readonly runs: string | undefined;
  readonly conversations: string | undefined;
  readonly blobs: string | undefined;
}

/** Examines everything that is stored in files. Changes nothing except for the requested repairs. */
export async function examineStore(
  places: Places,
  { laws, ...options }: DoctorOptions & { readonly laws: Laws },
): Promise<Examined> {
  const findings: Finding[] = [];
  const used = new Map<string, BlobUse>();
  const runs = await examineFolder(places.runs, {
    findings,
    options,
    lawful: { form: RUNS, breaches: laws.ofRun },
  });
  for (const event of runs.events) noteBlobUses(event, used);
  // A conversation does not belong to a single run.
  const lawful = { form: CONVERSATIONS, breaches: laws.ofConversation };
  const talks =
    options.run === undefined
      ? await examineFolder(places.conversations, { findings, options, lawful })
      : NOTHING;
  const blobs =
    places.blobs === undefined ? 0 : await examineBlobs(places.blobs, { used, findings, options });
  const unseen = (['runs', 'conversations', 'blobs'] as const).filter((part) => places[part] === undefined);
  const repaired: Finding[] = [];
  for (const finding of findings) repaired.push(await treat(finding, options.repair));
  return {
    ...(places.runs !== undefined && { store: places.runs }),
    runs: runs.count,
    conversations: talks.count,
    events: runs.events.length + talks.events.length,
    blobs,
    ...(unseen.length > 0 && { unseen }),
    findings: repaired,
  };
}

interface Folder<E extends Entry> {
  readonly count: number;
  readonly events: readonly E[];
}

const NOTHING: Folder<never> = { count: 0, events: [] };

interface Search<E extends Entry> {
  readonly findings: Finding[];
  readonly options: DoctorOptions;
  readonly lawful: Lawful<E>;
}

/** Examines the journals of a folder, and the locks and partial files beside them. */
async function examineFolder<E extends Entry>(
  directory: string | undefined,
  { findings, options, lawful }: Search<E>,
): Promise<Folder<E>> {
  if (directory === undefined) return NOTHING;
  const names = await namesIn(directory, findings);
  const ids = names.filter(isJournalFile).map((name) => name.slice(0, -ENDING.length));
  const chosen = options.run === undefined ? ids : ids.filter((id) => id === options.run);
  const events: E[] = [];
  for (const id of chosen.sort()) {
    const file = join(directory, `${id}${ENDING}`);
    for (const event of await examineFile({ file, id }, lawful, findings)) events.push(event);
    await examineRights({ file, [lawful.form.owner]: id }, findings);
  }
  for (const name of names) {
    const id = chosen.find((one) => name.startsWith(`${one}.`));
    const about = { file: join(directory, name), ...(id && { [lawful.form.owner]: id }) };
    if (options.run === undefined || id !== undefined) findings.push(...(await besides(about, options.now)));
  }
  return { count: chosen.length, events };
}

const ENDING = '.jsonl';

function isJournalFile(name: string): boolean {
  return name.endsWith(ENDING) && isRunId(name.slice(0, -ENDING.length));
}

async function treat(finding: Finding, repair: DoctorOptions['repair'] = false): Promise<Finding> {
  if (finding.repair === undefined || repair === false) return finding;
  const isWanted = finding.repair === 'safe' || (repair !== true && (await repair(finding)));
  return isWanted ? { ...finding, isRepaired: await repairFinding(finding) } : finding;
}

async function namesIn(directory: string, findings: Finding[]): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') findings.push({ kind: 'unreadable', file: directory, detail: message });
    return [];
  }
}

async function examineFile<E extends Entry>(
  place: { file: string; id: string },
  lawful: Lawful<E>,
  findings: Finding[],
): Promise<readonly E[]> {
  const { file, id } = place;
  try {
    let examined = examineJournal(await readFile(file), place, lawful);
    // A line that looks torn may still be being written.
    for (let waited = 0; isBeingWritten(examined.findings, file) && waited < LONGEST_WRITE; waited += 20) {
      await sleep(20);
      examined = examineJournal(await readFile(file), place, lawful);
    }
    findings.push(...examined.findings);
    return examined.events;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code !== 'ENOENT')
      findings.push({ kind: 'unreadable', file, [lawful.form.owner]: id, detail: message });
    return [];
  }
}

function isBeingWritten(findings: readonly Finding[], file: string): boolean {
  const isOpen = findings.some(({ kind }) => kind === 'torn-tail' || kind === 'lost-newline');
  return isOpen && lockHolder(`${file}.lock`)?.isHeld === true;
}

/** The file that a finding is about, and the run or conversation that owns it. */
type About = Pick<Finding, 'file' | 'run' | 'conversation'>;

async function examineRights(about: About, findings: Finding[]): Promise<void> {
  // Windows keeps permissions in access lists, which `mode` does not show.
  if (process.platform === 'win32') return;
  const mode = (await stat(about.file).catch(() => undefined))?.mode ?? 0;
  if ((mode & 0o077) === 0) return;
  const rights = (mode & 0o777).toString(8).padStart(3, '0');
  const what = (mode & 0o022) === 0 ? 'read' : 'change';
  const detail = `other users can ${what} it (its mode is ${rights}, and should be 600)`;
  findings.push({ kind: 'permissions', ...about, detail, repair: 'ask' });
}

/** Finds locks and partial files by their names. */
async function besides(about: About, now: number): Promise<Finding[]> {
  const { file } = about;
  if (/\.tmp$/.test(file)) return leftover(about, now);
  if (!/\.(driver|lock|steal)(\.\d+\.[0-9a-f]{8})?$/.test(file)) return [];
  const holder = lockHolder(file);
  if (holder === undefined) return [];
  const { by, isHeld, isHere } = holder;
  const who = by.pid === 0 ? 'no process' : `process ${by.pid} on ${by.host}`;
  if (!isHeld) return [{ kind: 'stale-lock', ...about, detail: `it was held by ${who}`, repair: 'safe' }];
  return isHere ? [] : [{ kind: 'foreign-lock', ...about, detail: `it is held by ${who}` }];
}

async function leftover(about: About, now: number): Promise<Finding[]> {
  const found = await stat(about.file).catch(() => undefined);
  if (found === undefined || found.mtimeMs > now - LEFTOVER_AGE) return [];
  const detail = `it was last written ${new Date(found.mtimeMs).toISOString()}`;
  return [{ kind: 'leftover', ...about, bytes: found.size, detail, repair: 'ask' }];
}

/** A run and a task that refer to a blob. */
export interface BlobUse {
  readonly run: string;
  readonly task: string;
}

export function noteBlobUses(event: Event, used: Map<string, BlobUse>): void {
  const task = 'task' in event.data ? event.data.task : '';
  for (const { sha256 } of blobsOf(event)) used.set(sha256, { run: event.run, task });
}

interface BlobSearch {
  readonly used: ReadonlyMap<string, BlobUse>;
  readonly findings: Finding[];
  readonly options: DoctorOptions;
}

async function examineBlobs(directory: string, { used, findings, options }: BlobSearch): Promise<number> {
  const there = new Set<string>();
  const unseen: Finding[] = [];
  const folders = await namesIn(directory, unseen);
  for (const folder of folders.filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const name of await namesIn(join(directory, folder), unseen)) {
      const file = join(directory, folder, name);
      const [, sha256 = '', rest = ''] = /^([0-9a-f]{64})\.json(.*)$/.exec(name) ?? [];
      const use = used.get(sha256);
      const about = { file, ...(use && { run: use.run }) };
      if (options.run !== undefined && use === undefined) continue;
      if (rest !== '') findings.push(...(await besides(about, options.now)));
      if (sha256 === '' || rest !== '') continue;
      there.add(sha256);
      findings.push(...(await blobFindings(file, sha256, use)));
      await examineRights(about, findings);
    }
  }
  findings.push(...unseen);
  for (const [sha256, { run, task }] of used) {
    const file = join(directory, sha256.slice(0, 2), `${sha256}.json`);
    const isHidden = unseen.some((finding) => file.startsWith(finding.file));
    if (there.has(sha256) || isHidden) continue;
    findings.push({ kind: 'missing-blob', file, run, detail: detailOfBlob({ run, task }) });
  }
  return there.size;
}

export function detailOfBlob(use: BlobUse | undefined): string {
  return use === undefined ? 'no readable run uses it' : `it is the result of ${use.task}`;
}

async function blobFindings(file: string, sha256: string, use: BlobUse | undefined): Promise<Finding[]> {
  const about = { file, ...(use && { run: use.run }) };
  const whose = detailOfBlob(use);
  try {
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    return hash.digest('hex') === sha256 ? [] : [{ kind: 'damaged-blob', ...about, detail: whose }];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? [] : [{ kind: 'unreadable', ...about, detail: message }];
  }
}
