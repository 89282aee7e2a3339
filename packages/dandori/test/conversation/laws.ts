import { join } from 'node:path';
import { expect } from 'vitest';
import { brokenConversationLaws } from '../../src/conversation/laws.ts';
import type { ConversationEvent } from '../../src/model/conversation.ts';
import { createJsonlJournalOf } from '../../src/store/files/journal.ts';
import { CONVERSATIONS } from '../../src/store/journal.ts';

/** Every conversation of a folder, as it stands on the disk, keeps the laws. */
export async function theseHold(folder: string): Promise<ConversationEvent[][]> {
  const directory = join(folder, '.dandori', 'runs', 'conversations');
  const journal = createJsonlJournalOf(CONVERSATIONS, directory);
  const summaries = await journal.list();
  expect(summaries.length).toBeGreaterThan(0);
  const all = await Promise.all(summaries.map(({ conversation }) => journal.read(conversation)));
  for (const events of all) expect(brokenConversationLaws(events)).toEqual([]);
  return all;
}
