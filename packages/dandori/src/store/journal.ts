import * as z from 'zod';
import {
  type ConversationEvent,
  conversationEnvelopeSchema,
  conversationFactSchema,
} from '../model/conversation.ts';
import { DandoriError, runNotFound } from '../model/error.ts';
import { type Event, envelopeSchema, factSchema, outcome, UNFINISHED } from '../model/event.ts';
import { isAtEnd } from '../model/event-kinds.ts';

/** The fields of every event, in every kind of journal. */
export interface Entry {
  readonly type: string;
  readonly seq: number;
  readonly at: number;
}

/**
 * The status of a run. A summary says `waiting` or `paused` only if the last event says so. Any other run
 * without an end is `open`.
 */
export const runStatus = z.enum([...outcome.options, ...UNFINISHED, 'damaged']);
export type RunStatus = z.infer<typeof runStatus>;

const at = z.number().describe('Milliseconds since 1970');

/** A run in a list, read from the ends of its journal. */
export const runSummarySchema = z.object({
  run: z.string(),
  goal: z.string(),
  userId: z.string().optional().describe('The user on whose behalf it runs'),
  conversation: z.string().optional().describe('The conversation that owns it'),
  parent: z.string().optional().describe('The run whose sub-goal it is'),
  startedAt: at,
  lastAt: at,
  lastSeq: z.number().int(),
  status: runStatus,
});
export type RunSummary = Readonly<z.infer<typeof runSummarySchema>>;

/** A conversation in a list. */
export const conversationSummarySchema = z.object({
  conversation: z.string(),
  title: z.string().describe('The beginning of its first message'),
  userId: z.string().optional().describe('The user whose conversation it is'),
  startedAt: at,
  lastAt: at,
  isDamaged: z.boolean(),
});
export type ConversationSummary = Readonly<z.infer<typeof conversationSummarySchema>>;

/** The part of a line that a crash left. Readers skip it, and the next append cuts it off. */
export interface TornTail {
  readonly run: string;
  readonly bytes: number;
}

/**
 * The right to drive a run. It ends with `release`, with the process that holds it, or when it is lost. It is lost if
 * the holder could not renew it in time; another process may hold it soon.
 */
export interface Claim {
  /** Aborts when the claim is lost. The holder stops its calls and stands down. */
  readonly lost: AbortSignal;
  /** The seq of the last event when the claim was made, if the store knows it without reading. */
  readonly last?: number | undefined;
  /** Without `parked`, the driver failed and the run must be driven again. */
  release(parked?: Parked): Promise<void>;
}

/** How a driver leaves a run. A store with a dispatcher of its own wakes the run at that time. */
export interface Parked {
  /** The last event that the driver knew. If later ones exist, the run is due at once. */
  readonly seen: number;
  /** Undefined if only a write can continue the run. */
  readonly wakeAt: number | undefined;
}

/** For a store whose claims end only with `release` or with the process. */
export const NEVER_LOST: AbortSignal = new AbortController().signal;

/** Which runs or conversations to list. Each option narrows the list. */
export interface ListOptions {
  /** At most this many. */
  readonly limit?: number;
  /** Only ids before this one: the next page. */
  readonly before?: string;
  /** Only runs with one of these statuses. A conversation has no status. */
  readonly status?: readonly RunStatus[];
  /** Only those of this user. */
  readonly userId?: string;
}

/**
 * Stores runs or conversations. Every implementation passes one suite (`store/conformance`).
 *
 * J1  `create` is atomic: a run exists with all its first events or not at all.
 * J2  `append` is compare-and-append: it succeeds only if the last event has seq `after`. Otherwise it throws
 *     `journal-conflict` and writes nothing. The events are numbered on from `after`; anything else is a bug.
 * J3  When `create` or `append` resolves, the events survive a crash of the machine. If it throws anything
 *     but a conflict, the caller cannot know whether they do, and must read the run again. A crash leaves all
 *     events of an append or none: a decision without its plan would be another decision.
 * J4  `read` returns every event in order of seq. It skips a torn tail (a crash during a write). Any other
 *     damage throws `journal-damaged` with line and offset. Other runs are not affected.
 * J5  At most one claim on a run is held at a time; the claim of a process that died is free. If the claim says which
 *     event is the last, that was so when the claim was made.
 * J6  `remove` is compare-and-remove: it deletes a run only if its last event has seq `after` and no driver
 *     has claimed it. Otherwise it changes nothing. An append to a deleted run throws.
 * J7  A driver appends with its claim. If the claim has ended, the append throws `run-driven-elsewhere` and
 *     writes nothing, so a driver that is late cannot write. Commands append without a claim.
 * J8  What the holder of the claim reads survives a crash of the machine, also if its writer died before it could be
 *     told so. A driver that finds the end of a run reports it without another append.
 */
export interface Journal<E extends Entry = Event, Summary = RunSummary> {
  create(run: string, events: readonly E[]): Promise<void>;
  append(run: string, after: number, events: readonly E[], claim?: Claim): Promise<void>;
  /** Throws `run-not-found`. `after` skips the events that the reader already has. */
  read(run: string, after?: number): Promise<E[]>;
  /** The first event, without reading the rest. Throws `run-not-found`. */
  first(run: string): Promise<E>;
  /**
   * The user whose run it is, if the store knows it without reading the first event. Throws `run-not-found`.
   */
  readonly owner?: ((run: string) => Promise<string | undefined>) | undefined;
  /** Newest first. */
  list(options?: ListOptions): Promise<Summary[]>;
  /** Throws `run-driven-elsewhere` if another driver holds the claim. */
  claim(run: string): Promise<Claim>;
  /** Whether a process that is alive holds the claim. */
  isClaimed?(run: string): Promise<boolean>;
  size(run: string): Promise<number>;
  /** Throws `run-driven-elsewhere` if it is claimed, and `journal-conflict` if later events exist. */
  remove(run: string, after: number): Promise<void>;
  /**
   * Calls back after any process creates the run or appends to it. Passes the seq of the last event if it is
   * known without reading. May call too often, but never too rarely. Never throws: a run that does not exist
   * yet can be watched.
   */
  watch(run: string, changed: (last?: number) => void): () => void;
}

/** Summaries per page. A list of a million at once would take too much memory. */
const PAGE = 500;

interface Listing<T> {
  list(page: { limit: number; before?: string }): Promise<readonly T[]>;
  idOf(item: T): string;
  /** The page begins after this id. */
  readonly before?: string | undefined;
  readonly pageSize?: number;
}

/** Every run or conversation, newest first. Reads the next page only when it is needed. */
export async function* listAll<T>({ list, idOf, before, pageSize = PAGE }: Listing<T>): AsyncGenerator<T> {
  for (let from = before; ; ) {
    const page = await list({ limit: pageSize, ...(from !== undefined && { before: from }) });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    from = idOf(last);
  }
}

/** Every run of a journal, newest first. */
export function allRuns(journal: Pick<Journal, 'list'>): AsyncGenerator<RunSummary> {
  return listAll({ list: (page) => journal.list(page), idOf: ({ run }: RunSummary) => run });
}

/** Conversations are stored like runs, but without claims: every participant may write. */
export type ConversationJournal = Journal<ConversationEvent, ConversationSummary>;

/** Every conversation, newest first. */
export function allConversations(
  journal: Pick<ConversationJournal, 'list'>,
): AsyncGenerator<ConversationSummary> {
  const idOf = ({ conversation }: ConversationSummary) => conversation;
  return listAll({ list: (page) => journal.list(page), idOf });
}

/** From the store if it knows, otherwise from the first event. */
export async function ownerOf<E extends Event | ConversationEvent>(
  journal: Pick<Journal<E, unknown>, 'owner' | 'first'>,
  id: string,
): Promise<string | undefined> {
  if (journal.owner !== undefined) return journal.owner(id);
  const { type, data }: Event | ConversationEvent = await journal.first(id);
  return type === 'run_started' || type === 'conversation_started' ? data.userId : undefined;
}

/** A failure here is a bug of ours, never bad input: a journal with a gap could not be read again. */
export function assertFollows(after: number, events: readonly Entry[]): void {
  let next = after;
  for (const { seq } of events) {
    if (seq !== ++next)
      throw new Error(`An event with seq ${seq} was about to be written where ${next} must come.`);
  }
}

/** `name`: "run ID" or "conversation ID". */
export function conflict(name: string, after: number, last: number): never {
  throw new DandoriError(
    'journal-conflict',
    `The ${name} is at event ${last}, not ${after}: another process wrote to it.`,
  );
}

/** Thrown by an append whose claim has ended (J7). */
export function claimEnded(run: string): never {
  throw new DandoriError('run-driven-elsewhere', `This driver no longer holds the run ${run}; it stops.`);
}

/** Whether a summary belongs in the list. For stores that cannot ask a database. */
export function isListed(summary: unknown, { status, userId }: ListOptions): boolean {
  const of = summary as { readonly status?: RunStatus; readonly userId?: string };
  const hasStatus = status === undefined || (of.status !== undefined && status.includes(of.status));
  return hasStatus && (userId === undefined || of.userId === userId);
}

export function drivenElsewhere(run: string, by: string, claimFile?: string): never {
  const ifGone = claimFile === undefined ? '' : ` If that process is gone for good, delete ${claimFile}.`;
  throw new DandoriError('run-driven-elsewhere', `The run ${run} is already running in ${by}.`, {
    fix: `Watch it with \`dandori log ${run} --follow\`, or stop it with \`dandori cancel ${run}\`.${ifGone}`,
  });
}

/** What a journal contains: the shape of its events, and how its entries are named and listed. */
export interface Form<E extends Entry, Summary> {
  /** The member of the envelope that names the run or conversation of an event. */
  readonly owner: 'run' | 'conversation';
  /** The type of the first event. */
  readonly beginning: string;
  readonly envelope: z.ZodType<Omit<Entry, 'type'> & Readonly<Record<string, unknown>>>;
  readonly fact: z.ZodType<Pick<Entry, 'type'>>;
  readonly summarise: (id: string, first: E | undefined, last: E | undefined) => Summary;
  readonly notFound: (id: string) => never;
}

/** For `create`, which never overwrites. */
export function alreadyExists(owner: string, id: string): never {
  throw new DandoriError('run-exists', `The ${owner} ${id} already exists.`);
}

export const RUNS: Form<Event, RunSummary> = {
  owner: 'run',
  beginning: 'run_started',
  envelope: envelopeSchema,
  fact: factSchema,
  summarise,
  notFound(run) {
    throw runNotFound(run);
  },
};

export const CONVERSATIONS: Form<ConversationEvent, ConversationSummary> = {
  owner: 'conversation',
  beginning: 'conversation_started',
  envelope: conversationEnvelopeSchema,
  fact: conversationFactSchema,
  summarise(conversation, first, last) {
    if (first?.type !== 'conversation_started' || last === undefined)
      return { conversation, title: '', startedAt: 0, lastAt: 0, isDamaged: true };
    const { title, userId } = first.data;
    const owner = userId === undefined ? {} : { userId };
    return { conversation, title, ...owner, startedAt: first.at, lastAt: last.at, isDamaged: false };
  },
  notFound(conversation) {
    throw new DandoriError('conversation-not-found', `There is no conversation "${conversation}".`, {
      fix: '`dandori chat --list` lists the conversations.',
    });
  },
};

export function summarise(run: string, first: Event | undefined, last: Event | undefined): RunSummary {
  if (first?.type !== 'run_started' || last === undefined) {
    return { run, goal: '', startedAt: 0, lastAt: 0, lastSeq: 0, status: 'damaged' };
  }
  return {
    run,
    goal: first.data.goal,
    ...(first.data.userId !== undefined && { userId: first.data.userId }),
    ...(first.data.conversation !== undefined && { conversation: first.data.conversation }),
    ...(first.data.parent !== undefined && { parent: first.data.parent.run }),
    startedAt: first.at,
    lastAt: last.at,
    lastSeq: last.seq,
    status: statusOf(last),
  };
}

function statusOf(last: Event): RunSummary['status'] {
  if (isAtEnd(last)) return last.data.outcome;
  if (last.type === 'run_paused') return 'paused';
  // A call that waited for a person was given up, but its question is still open.
  const isUnanswered =
    last.type === 'hold_ended' || (last.type === 'task_in_doubt' && last.data.cause === 'unanswered');
  return last.type === 'question_asked' || isUnanswered ? 'waiting' : 'open';
}
