import { join } from 'node:path';
import { createFileBlobs } from '../adapters/blobs/files.ts';
import { createMemoryBlobs } from '../adapters/blobs/memory.ts';
import { CONVERSATIONS } from '../adapters/journal/form.ts';
import { createJsonlJournal, createJsonlJournalOf } from '../adapters/journal/jsonl.ts';
import { createMemoryJournal, createMemoryJournalOf } from '../adapters/journal/memory.ts';
import { createFileKeys, createStoreKey } from '../adapters/keys/files.ts';
import { createMemoryKeys } from '../adapters/keys/memory.ts';
import type { Config } from '../config/config.ts';
import type { ConversationParts } from '../engine/conversation.ts';
import type { Parts } from '../engine/parts.ts';
import type { ConversationJournal, Journal, TornTail } from '../ports/journal.ts';
import type { Keys } from '../ports/keys.ts';

interface StoreOptions {
  readonly journal?: Journal;
  readonly conversations?: ConversationJournal;
  readonly onTorn?: (tail: TornTail) => void;
}

/** Where runs, conversations and large results are kept. */
type Store = Pick<Parts, 'journal' | 'blobs' | 'storeKey'> &
  Pick<ConversationParts, 'conversations'> & { readonly directory?: string; readonly keys: Keys };

export function openStore({ planning, directory }: Config, options: StoreOptions): Store {
  const { journal, onTorn, conversations = createMemoryJournalOf(CONVERSATIONS) } = options;
  const inMemory = { conversations, blobs: createMemoryBlobs(), keys: createMemoryKeys() };
  // A journal of the user's may outlive the process, and so must the key.
  if (journal !== undefined) return { journal, ...inMemory, storeKey: createStoreKey(directory) };
  if (planning.history.storageType === 'memory') return { journal: createMemoryJournal(), ...inMemory };
  return {
    journal: createJsonlJournal(directory, { onTorn }),
    conversations:
      options.conversations ?? createJsonlJournalOf(CONVERSATIONS, join(directory, 'conversations')),
    blobs: createFileBlobs(join(directory, 'blobs')),
    keys: createFileKeys(join(directory, 'keys')),
    storeKey: createStoreKey(directory),
    directory,
  };
}
