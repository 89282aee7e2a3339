import { describe, it } from 'vitest';
import { blobCases, keyCases } from '../../src/store/conformance/blobs.ts';
import { journalCases } from '../../src/store/conformance/journal.ts';
import { openTestStore } from './database.ts';

describe('a store in PostgreSQL', () => {
  const open = () => openTestStore();
  for (const { name, run } of [...journalCases(open), ...blobCases(open), ...keyCases(open)]) it(name, run);
});
