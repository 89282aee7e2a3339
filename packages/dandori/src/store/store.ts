import { join } from 'node:path';
import type { Examined } from '../model/finding.ts';
import type { Blobs, Keys } from './blobs.ts';
import type { Bus } from './bus.ts';
import type { KeptCounts } from './counts.ts';
import type { Dispatcher } from './dispatcher/dispatcher.ts';
import type { DoctorOptions, Laws } from './doctor/doctor.ts';
import { createFileBlobs } from './files/blobs.ts';
import { createJsonlJournal, createJsonlJournalOf } from './files/journal.ts';
import { createFileKeys } from './files/keys.ts';
import {
  createMemoryBlobs,
  createMemoryJournal,
  createMemoryJournalOf,
  createMemoryKeys,
} from './in-memory.ts';
import { CONVERSATIONS, type ConversationJournal, type Journal, type TornTail } from './journal.ts';
import type { Approvals } from './standing-approvals.ts';

/**
 * Stores runs, conversations, large results and request keys. They belong together: a journal that outlives
 * the process refers to results and conversations that must outlive it too.
 */
export interface Store {
  readonly journal: Journal;
  readonly conversations: ConversationJournal;
  readonly blobs: Blobs;
  readonly keys: Keys;
  /** The approvals that users gave for good. By default they are files beside the runs. */
  readonly approvals?: Approvals;
  /** The key by which the journals name secrets. By default it is a file beside the runs. */
  readonly storeKey?: () => string;
  /** Adds up statistics. By default every journal is read for them. */
  readonly counts?: KeptCounts;
  /** Says which process drives which run. By default the local one: each process drives what it finds. */
  readonly dispatcher?: Dispatcher;
  /** Passes live messages between processes. Without it, live text is seen where the run is driven. */
  readonly bus?: Bus;
  /** Checks what is stored for damage. By default the parts that are stored in files are checked. */
  readonly examine?: (options: DoctorOptions & { readonly laws: Laws }) => Promise<Examined>;
  /** Ends connections. Called by `close` of Dandori. */
  readonly close?: () => Promise<void>;
}

/** The folders of the parts that are stored in files. `dandori doctor` checks only these. */
export type StoreFolders = { readonly [Part in (typeof STORE_PARTS)[number]]?: string };

export const STORE_PARTS = [
  'journal',
  'conversations',
  'blobs',
  'keys',
] as const satisfies readonly (keyof Store)[];

/** Keyed by the part itself, so that a part that the caller replaced or wrapped is not mistaken for ours. */
const folders = new WeakMap<object, string>();

/** Stores everything as files in a folder, as the `dandori` command does. */
export function createFileStore(
  directory: string,
  { onTorn }: { readonly onTorn?: ((tail: TornTail) => void) | undefined } = {},
): Store {
  const inFolder = <T extends object>(folder: string, part: T): T => {
    folders.set(part, folder);
    return part;
  };
  const [conversations, blobs, keys] = ['conversations', 'blobs', 'keys'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  return {
    journal: inFolder(directory, createJsonlJournal(directory, { onTorn })),
    conversations: inFolder(conversations, createJsonlJournalOf(CONVERSATIONS, conversations)),
    blobs: inFolder(blobs, createFileBlobs(blobs)),
    keys: inFolder(keys, createFileKeys(keys)),
  };
}

/** In memory, and lost with the process. For tests and throwaway runs. */
export function createMemoryStore(): Store {
  return {
    journal: createMemoryJournal(),
    conversations: createMemoryJournalOf(CONVERSATIONS),
    blobs: createMemoryBlobs(),
    keys: createMemoryKeys(),
  };
}

export function foldersOf(store: Store): StoreFolders {
  const known = STORE_PARTS.map((part) => [part, folders.get(store[part])] as const);
  return Object.fromEntries(known.filter(([, folder]) => folder !== undefined));
}
