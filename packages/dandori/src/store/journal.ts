import * as z from 'zod';
import {
  type ConversationEvent,
  conversationEnvelopeSchema,
  conversationFactSchema,
} from '../model/conversation.ts';
import { DandoriError } from '../model/error.ts';
import { type Event, envelopeSchema, factSchema, outcome } from '../model/event.ts';

/** What every event has, whatever its journal is about. */
export interface Entry {
  readonly type: string;
  readonly seq: number;
  readonly at: number;
}

/** How a run stands. A summary says `waiting` or `paused` only if that is the last event; any other run without an end is `open`. */
export const runStatus = z.enum([...outcome.options, 'open', 'waiting', 'paused', 'damaged']);

const at = z.number().describe('Milliseconds since 1970');

/** A run in a list; read from the ends of a journal without reading all of it. */
export const runSummarySchema = z.object({
  run: z.string(),
  goal: z.string(),
  userId: z.string().optional().describe('The user on whose behalf it runs'),
  conversation: z.string().optional().describe('The conversation that owns it'),
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

/** What a crash left of a line that it interrupted. It is left out, and cut off by the next append. */
export interface TornTail {
  readonly run: string;
  readonly bytes: number;
}

/** The right to drive a run. It ends with `release`, or with the process that holds it. */
export interface Claim {
  release(): Promise<void>;
}

/**
 * Where runs are kept, or conversations. One suite (`testing/journal-cases`) holds for every implementation.
 *
 * J1  `create` is atomic: a run exists with all its first events or not at all.
 * J2  `append` is compare-and-append: it succeeds only if the last event has seq `after`, else it throws
 *     `journal-conflict` and writes nothing. The events are numbered on from `after`; anything else is a bug.
 * J3  When `create` or `append` resolves, the events survive a crash of the machine. When it throws anything but a
 *     conflict, nobody may assume that they do or do not, and the run must be read again. A crash leaves all events of
 *     an append or none: a decision without the plan that came with it would be another decision.
 * J4  `read` gives every event in order of seq. A torn tail (a crash during a write) is left out; any other damage
 *     throws `journal-damaged` with line and offset. No other run suffers.
 * J5  At most one claim on a run is held at a time; the claim of a process that died is free.
 * J6  `remove` is compare-and-remove: a run whose last event has seq `after`, and that nobody has claimed, is gone whole;
 *     any other is left as it is. Who appends to a run that is gone is told so.
 */
export interface Journal<E extends Entry = Event, Summary = RunSummary> {
  create(run: string, events: readonly E[]): Promise<void>;
  append(run: string, after: number, events: readonly E[]): Promise<void>;
  /** Throws `run-not-found`. `after` leaves out what the reader already has. */
  read(run: string, after?: number): Promise<E[]>;
  /** Newest first. */
  list(options?: { limit?: number; before?: string }): Promise<Summary[]>;
  /** Throws `run-driven-elsewhere` where another driver is at work. */
  claim(run: string): Promise<Claim>;
  /** Bytes that the run takes up. */
  size(run: string): Promise<number>;
  /** Throws `run-driven-elsewhere` where it is claimed, and `journal-conflict` where somebody wrote behind `after`. */
  remove(run: string, after: number): Promise<void>;
  /**
   * Calls back when anybody has appended to the run, with the seq of the last event where that is known without
   * reading. May call too often, never too rarely.
   */
  watch(run: string, changed: (last?: number) => void): () => void;
}

/** Summaries that are listed at a time: a list of a million would be large by itself. */
const PAGE = 500;

interface Listing<T> {
  list(page: { limit: number; before?: string }): Promise<readonly T[]>;
  idOf(item: T): string;
  /** Begins after this one. */
  readonly before?: string | undefined;
  readonly pageSize?: number;
}

/** Every run or conversation, newest first. Reads a page only when the one before it is used up. */
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

/** Conversations are kept like runs. Nobody claims one: whoever takes part may write. */
export type ConversationJournal = Journal<ConversationEvent, ConversationSummary>;

/** A bug of ours, never bad input: a journal with a gap could not be read again. */
export function assertFollows(after: number, events: readonly Entry[]): void {
  for (const [index, { seq }] of events.entries()) {
    if (seq !== after + 1 + index)
      throw new Error(`An event with seq ${seq} was to be written where ${after + 1 + index} must come.`);
  }
}

/** `name`: the run, or the conversation. */
export function conflict(name: string, after: number, last: number): never {
  throw new DandoriError(
    'journal-conflict',
    `The ${name} is at event ${last}, not ${after}: somebody else wrote to it.`,
  );
}

export function drivenElsewhere(run: string, by: string, claimFile?: string): never {
  const ifGone = claimFile === undefined ? '' : ` If that process is gone for good, delete ${claimFile}.`;
  throw new DandoriError('run-driven-elsewhere', `The run ${run} is being driven by ${by}.`, {
    fix: `Watch it with \`dandori log ${run} --follow\`, or stop it with \`dandori cancel ${run}\`.${ifGone}`,
  });
}

/** What a journal is about: the shape of its events, and how one is named and listed. */
export interface Form<E extends Entry, Summary> {
  /** The member of the envelope that says to what an event belongs. */
  readonly owner: 'run' | 'conversation';
  /** The type of the first event. */
  readonly beginning: string;
  readonly envelope: z.ZodType<Omit<Entry, 'type'> & Readonly<Record<string, unknown>>>;
  readonly fact: z.ZodType<Pick<Entry, 'type'>>;
  readonly summarise: (id: string, first: E | undefined, last: E | undefined) => Summary;
  readonly notFound: (id: string) => never;
}

export const RUNS: Form<Event, RunSummary> = {
  owner: 'run',
  beginning: 'run_started',
  envelope: envelopeSchema,
  fact: factSchema,
  summarise,
  notFound(run) {
    throw new DandoriError('run-not-found', `There is no run "${run}".`, {
      fix: '`dandori runs` lists the runs.',
    });
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

/** A run in one line, from its first and its last event. */
export function summarise(run: string, first: Event | undefined, last: Event | undefined): RunSummary {
  if (first?.type !== 'run_started' || last === undefined) {
    return { run, goal: '', startedAt: 0, lastAt: 0, lastSeq: 0, status: 'damaged' };
  }
  return {
    run,
    goal: first.data.goal,
    ...(first.data.userId !== undefined && { userId: first.data.userId }),
    ...(first.data.conversation !== undefined && { conversation: first.data.conversation }),
    startedAt: first.at,
    lastAt: last.at,
    lastSeq: last.seq,
    status: statusOf(last),
  };
}

function statusOf(last: Event): RunSummary['status'] {
  if (last.type === 'run_finished' || last.type === 'run_rated') return last.data.outcome;
  if (last.type === 'run_paused') return 'paused';
  // A call was given up that waited for a person; the question has stayed.
  const isUnanswered =
    last.type === 'hold_ended' || (last.type === 'task_in_doubt' && last.data.cause === 'unanswered');
  return last.type === 'question_asked' || isUnanswered ? 'waiting' : 'open';
}
