import { join } from 'node:path';
import { createFileBlobs } from './adapters/blobs/files.ts';
import { createMemoryBlobs } from './adapters/blobs/memory.ts';
import { CONVERSATIONS } from './adapters/journal/form.ts';
import { createJsonlJournal, createJsonlJournalOf } from './adapters/journal/jsonl.ts';
import { createMemoryJournal, createMemoryJournalOf } from './adapters/journal/memory.ts';
import { createFileKeys } from './adapters/keys/files.ts';
import { createMemoryKeys } from './adapters/keys/memory.ts';
import type { Config } from './config/config.ts';
import type { ConversationParts } from './engine/conversation.ts';
import type { Parts } from './engine/parts.ts';
import type { ConversationJournal, Journal, TornTail } from './ports/journal.ts';
import type { Keys } from './ports/keys.ts';

/** What is there in place of what the configuration says. */
interface Given {
  readonly journal?: Journal;
  readonly conversations?: ConversationJournal;
  readonly onTorn?: (tail: TornTail) => void;
}

type Store = Pick<Parts, 'journal' | 'blobs'> &
  Pick<ConversationParts, 'conversations'> & { readonly directory?: string; readonly keys: Keys };

/** Where runs, conversations and large results are kept. */
export function openStore({ planning, directory }: Config, options: Given): Store {
  const { journal, onTorn, conversations = createMemoryJournalOf(CONVERSATIONS) } = options;
  if (journal !== undefined)
    return { journal, conversations, blobs: createMemoryBlobs(), keys: createMemoryKeys() };
  if (planning.history.storageType === 'memory')
    return {
      journal: createMemoryJournal(),
      conversations,
      blobs: createMemoryBlobs(),
      keys: createMemoryKeys(),
    };
  return {
    journal: createJsonlJournal(directory, { onTorn }),
    conversations:
      options.conversations ?? createJsonlJournalOf(CONVERSATIONS, join(directory, 'conversations')),
    blobs: createFileBlobs(join(directory, 'blobs')),
    keys: createFileKeys(join(directory, 'keys')),
    directory,
  };
}
