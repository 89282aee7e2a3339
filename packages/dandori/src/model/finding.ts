/**
 * What can be wrong with stored runs and conversations.
 *
 * - `torn-tail`         half a line at the end, as a crash leaves it; nothing that was acknowledged is in it
 * - `trailing-garbage`  something at the end that is not the beginning of the next event
 * - `lost-newline`      the last event is whole and has lost the newline behind it
 * - `damaged-line`      a line that is no event, or whose checksum does not fit
 * - `missing-line`      the events before and behind are there, and some between them are not
 * - `duplicated-line`   an event that stands there twice
 * - `misplaced-line`    an event with the number of an earlier one, and another content
 * - `empty-journal`     a file without a single event
 * - `broken-law`        all lines are whole, and together they tell what cannot have happened
 * - `stale-lock`        a lock of a process that is gone
 * - `foreign-lock`      a lock of a process on another machine, which nobody can look at from here
 * - `leftover`          half a file that a crash left beside the whole ones
 * - `missing-blob`      a run refers to a stored result that is not there
 * - `damaged-blob`      a stored result that is not what its name says
 * - `unreadable`        a file or folder that cannot be read
 * - `permissions`       others may read or change what only the owner should
 */
export type FindingKind =
  | 'torn-tail'
  | 'trailing-garbage'
  | 'lost-newline'
  | 'damaged-line'
  | 'missing-line'
  | 'duplicated-line'
  | 'misplaced-line'
  | 'empty-journal'
  | 'broken-law'
  | 'stale-lock'
  | 'foreign-lock'
  | 'leftover'
  | 'missing-blob'
  | 'damaged-blob'
  | 'unreadable'
  | 'permissions';

export interface Finding {
  readonly kind: FindingKind;
  readonly file: string;
  readonly run?: string;
  /** In place of the run, where it is about the journal of one. */
  readonly conversation?: string;
  /** From 1. */
  readonly line?: number;
  /** Where the line begins in the file, in bytes. */
  readonly offset?: number;
  readonly bytes?: number;
  /** What exactly, in English. */
  readonly detail: string;
  /** `safe` where a repair takes nothing away that counts, `ask` where a person must say so. */
  readonly repair?: 'safe' | 'ask';
  readonly isRepaired?: boolean;
}

export interface Examined {
  readonly runs: number;
  readonly conversations: number;
  /** Of both. */
  readonly events: number;
  readonly blobs: number;
  /** What it could not look at, as that is not in files of Dandori's: nothing is known of it. Absent where it saw all. */
  readonly unseen?: readonly ('runs' | 'conversations' | 'blobs')[];
  readonly findings: readonly Finding[];
}

/** The event with which a law was broken, and how. */
export interface Breach {
  readonly seq: number;
  readonly message: string;
}
