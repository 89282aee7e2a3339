import { describe, it } from 'vitest';
import { blobCases, keyCases } from '../../src/store/conformance/blobs.ts';
import { dispatcherCases } from '../../src/store/conformance/dispatcher.ts';
import { journalCases } from '../../src/store/conformance/journal.ts';
import { openPostgresStore, type PostgresStore } from '../../src/store/postgres/store.ts';
import { openTestStore } from './database.ts';

describe('a store in PostgreSQL', () => {
  const open = () => openTestStore();
  for (const { name, run } of [...journalCases(open), ...blobCases(open), ...keyCases(open)]) it(name, run);

  const dispatching = async () => {
    // Short, so that what a killed process took is found soon.
    const store = await openTestStore({ lease: 1_500 });
    const more: PostgresStore[] = [];
    return {
      ...store,
      async reopen() {
        const another = await openPostgresStore(store.options);
        more.push(another);
        return another;
      },
      async [Symbol.asyncDispose]() {
        await Promise.all(more.map((another) => another.close()));
        await store[Symbol.asyncDispose]();
      },
    };
  };
  for (const { name, run } of dispatcherCases(dispatching)) it(name, run);
});
