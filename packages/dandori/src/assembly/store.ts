import { createStoreKey } from '../adapters/keys/files.ts';
import {
  createFileStore,
  createMemoryStore,
  foldersOf,
  STORE_PARTS,
  type Store,
} from '../adapters/store/store.ts';
import type { Config } from '../config/config.ts';
import { DandoriError } from '../domain/error.ts';
import type { Parts } from '../engine/parts.ts';
import type { TornTail } from '../ports/journal.ts';

interface StoreOptions extends Partial<Store> {
  readonly store?: Partial<Store>;
  readonly onTorn?: (tail: TornTail) => void;
}

/** The store that is given, whole, or the one that the configuration asks for. */
export function openStore(
  { planning, directory }: Config,
  options: StoreOptions,
): Store & Pick<Parts, 'storeKey'> {
  const given = givenStore(options);
  if (given === undefined && planning.history.storageType === 'memory') return createMemoryStore();
  const store = given ?? createFileStore(directory, { onTorn: options.onTorn });
  // A journal of the caller's own may outlive the process, and so must the key.
  return { ...store, storeKey: createStoreKey(foldersOf(store).journal ?? directory) };
}

/** A part may be given by its own name too, as long as the others are. */
function givenStore({ store, ...options }: StoreOptions): Store | undefined {
  const parts: Partial<Store> = { ...store };
  const all = STORE_PARTS.map((part) => [part, options[part] ?? parts[part]] as const);
  const missing = all.filter(([, part]) => (part ?? undefined) === undefined).map(([name]) => name);
  if (missing.length === 0) return Object.fromEntries(all) as unknown as Store;
  if (missing.length === STORE_PARTS.length && store === undefined) return undefined;
  const has = STORE_PARTS.filter((part) => !missing.includes(part));
  throw new DandoriError(
    'store-incomplete',
    `The store has ${has.join(', ') || 'no parts'} and lacks ${missing.join(', ')}: what it keeps would be lost in part.`,
    {
      fix: 'Give all four as `store`, such as { ...createFileStore(folder), journal }, or none. What need not be kept is in createMemoryStore().',
    },
  );
}
