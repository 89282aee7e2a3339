import type { ConversationEvent } from '../domain/conversation.ts';
import type { Event, Outcome } from '../domain/event.ts';

/** What every event has, whatever its journal is about. */
export interface Entry {
  readonly type: string;
  readonly seq: number;
  readonly at: number;
}

/** What a list of runs shows; read from the ends of a journal without reading all of it. */
export interface RunSummary {
  readonly run: string;
  readonly goal: string;
  /** On whose behalf it runs. */
  readonly userId?: string;
  /** The one that owns it. */
  readonly conversation?: string;
  readonly startedAt: number;
  readonly lastAt: number;
  readonly lastSeq: number;
  /**
   * `waiting` where the last that happened is a question, `paused` where it is that, `open` for any other run without
   * an end.
   */
  readonly status: Outcome | 'open' | 'waiting' | 'paused' | 'damaged';
}

/** What a list of conversations shows. */
export interface ConversationSummary {
  readonly conversation: string;
  readonly title: string;
  /** Whose it is. */
  readonly userId?: string;
  readonly startedAt: number;
  readonly lastAt: number;
  readonly isDamaged: boolean;
}

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

/** Conversations are kept like runs. Nobody claims one: whoever takes part may write. */
export type ConversationJournal = Journal<ConversationEvent, ConversationSummary>;
