import {
  assertFollows,
  type Claim,
  CONVERSATIONS,
  claimEnded,
  conflict,
  createMemoryStore,
  DandoriError,
  drivenElsewhere,
  type Entry,
  type Form,
  isListed,
  type Journal,
  journalCases,
  NEVER_LOST,
  RUNS,
  type Store,
} from 'dandori/store';

/** A journal of your own. This one has a table of lines; a database would have the same. */
function createTable<E extends Entry, Summary>(form: Form<E, Summary>): Journal<E, Summary> {
  const { owner, summarise, notFound } = form;
  const table = new Map<string, E[]>();
  const claims = new Map<string, Claim>();
  const watchers = new Set<(id: string) => void>();
  const rows = (id: string) => table.get(id) ?? notFound(id);
  const tell = (id: string) => queueMicrotask(() => watchers.forEach((changed) => void changed(id)));
  return {
    async create(id, events) {
      if (table.has(id)) throw new DandoriError('run-exists', `The ${owner} ${id} already exists.`);
      table.set(id, [...events]);
      tell(id);
    },
    async append(id, after, events, claim) {
      assertFollows(after, events);
      const { length } = rows(id);
      if (claim !== undefined && claims.get(id) !== claim) claimEnded(id);
      if (length !== after) conflict(`${owner} ${id}`, after, length);
      table.set(id, [...rows(id), ...events]);
      tell(id);
    },
    read: async (id, after = 0) => rows(id).slice(after),
    first: async (id) => rows(id)[0] ?? notFound(id),
    async list({ limit = Number.POSITIVE_INFINITY, before, ...which } = {}) {
      const ids = [...table.keys()].filter((id) => before === undefined || id < before);
      const newestFirst = ids.sort().reverse();
      return newestFirst
        .map((id) => summarise(id, rows(id)[0], rows(id).at(-1)))
        .filter((summary) => isListed(summary, which))
        .slice(0, limit);
    },
    async claim(id) {
      const last = rows(id).length;
      if (claims.has(id)) drivenElsewhere(id, 'this process');
      const claim: Claim = {
        lost: NEVER_LOST,
        last,
        release: async () => void (claims.get(id) === claim && claims.delete(id)),
      };
      claims.set(id, claim);
      return claim;
    },
    size: async (id) => JSON.stringify(rows(id)).length,
    async remove(id, after) {
      const { length } = rows(id);
      if (claims.has(id)) drivenElsewhere(id, 'this process');
      if (length !== after) conflict(`${owner} ${id}`, after, length);
      table.delete(id);
    },
    watch(id, changed) {
      const told = (written: string) => (written === id ? changed() : undefined);
      watchers.add(told);
      return () => void watchers.delete(told);
    },
  };
}

/** For `openDandori({ store })`. */
export const store: Store = {
  ...createMemoryStore(),
  journal: createTable(RUNS),
  conversations: createTable(CONVERSATIONS),
};

/** Every journal must pass these cases. They need no test framework. */
const open = async () => ({ journal: createTable(RUNS), [Symbol.asyncDispose]: async () => {} });
let passed = 0;
for (const { name, run } of journalCases(open)) {
  await run().catch((error: unknown) => {
    throw new Error(name, { cause: error });
  });
  passed++;
}
console.log(`${passed} cases passed`);
