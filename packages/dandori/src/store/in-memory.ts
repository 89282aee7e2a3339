import type { Event } from '../model/event.ts';
import { stringifyJson } from '../model/json.ts';
import { type Blobs, handleOf, type Keys, missingBlob } from './blobs.ts';
import {
  alreadyExists,
  assertFollows,
  type Claim,
  claimEnded,
  conflict,
  drivenElsewhere,
  type Entry,
  type Form,
  isListed,
  type Journal,
  NEVER_LOST,
  RUNS,
  type RunSummary,
} from './journal.ts';

/** For tests and for runs that need not outlive the process. */
export function createMemoryJournal(): Journal {
  return createMemoryJournalOf<Event, RunSummary>(RUNS);
}

export function createMemoryJournalOf<E extends Entry, Summary>({
  owner,
  summarise,
  notFound,
}: Form<E, Summary>): Journal<E, Summary> {
  const runs = new Map<string, E[]>();
  const claims = new Map<string, Claim>();
  const watchers = new Map<string, Set<(last?: number) => void>>();
  const eventsOf = (run: string): E[] => runs.get(run) ?? notFound(run);
  const tell = (run: string) => {
    for (const changed of watchers.get(run) ?? []) queueMicrotask(() => changed(runs.get(run)?.length));
  };
  return {
    async create(run, events) {
      if (runs.has(run)) alreadyExists(owner, run);
      runs.set(run, [...events]);
      tell(run);
    },
    async append(run, after, events, claim) {
      assertFollows(after, events);
      const present = eventsOf(run);
      if (claim !== undefined && claims.get(run) !== claim) claimEnded(run);
      if (present.length !== after) conflict(`${owner} ${run}`, after, present.length);
      // Not spread: 200,000 arguments overflow the stack.
      for (const event of events) present.push(event);
      tell(run);
    },
    async read(run, after = 0) {
      return eventsOf(run).slice(after);
    },
    async first(run) {
      return eventsOf(run)[0] ?? notFound(run);
    },
    async list({ limit = Number.POSITIVE_INFINITY, before, ...which } = {}) {
      const names = [...runs.keys()].sort().reverse();
      const older = names.filter((name) => before === undefined || name < before);
      const all = older.map((name) => summarise(name, eventsOf(name)[0], eventsOf(name).at(-1)));
      return all.filter((summary) => isListed(summary, which)).slice(0, limit);
    },
    async claim(run) {
      const last = eventsOf(run).length;
      if (claims.has(run)) drivenElsewhere(run, 'this process');
      const claim: Claim = {
        lost: NEVER_LOST,
        last,
        async release() {
          if (claims.get(run) === claim) claims.delete(run);
        },
      };
      claims.set(run, claim);
      return claim;
    },
    async isClaimed(run) {
      return claims.has(run);
    },
    async size(run) {
      return eventsOf(run).reduce((sum, event) => sum + Buffer.byteLength(stringifyJson(event)) + 1, 0);
    },
    async remove(run, after) {
      const { length } = eventsOf(run);
      if (claims.has(run)) drivenElsewhere(run, 'this process');
      if (length !== after) conflict(`${owner} ${run}`, after, length);
      runs.delete(run);
    },
    watch(run, changed) {
      const listeners = watchers.get(run) ?? new Set();
      watchers.set(run, listeners.add(changed));
      return () => {
        listeners.delete(changed);
        if (listeners.size === 0 && watchers.get(run) === listeners) watchers.delete(run);
      };
    },
  };
}

export function createMemoryBlobs(now: () => number = Date.now): Blobs {
  const kept = new Map<string, { text: string; bytes: number; at: number }>();
  return {
    async put(parts) {
      const text = [...parts].join('');
      const handle = handleOf([text]);
      kept.set(handle.sha256, { text, bytes: handle.bytes, at: now() });
      return handle;
    },
    async get({ sha256 }) {
      const blob = kept.get(sha256);
      if (blob === undefined) throw missingBlob(sha256);
      return blob.text;
    },
    async putBefore(time) {
      const old = [...kept].filter(([, { at }]) => at < time);
      return old.map(([sha256, { bytes }]) => ({ sha256, bytes }));
    },
    async remove({ sha256 }, before) {
      const isOld = (kept.get(sha256)?.at ?? before) < before;
      return isOld && kept.delete(sha256);
    },
    sweep: async () => [],
  };
}

export function createMemoryKeys(): Keys {
  const held = new Map<string, { readonly value: string; readonly at: number }>();
  return {
    async hold(name, value) {
      const first = held.get(name) ?? { value, at: Date.now() };
      held.set(name, first);
      return first.value;
    },
    async *heldBefore(time) {
      for (const [name, { value, at }] of held)
        if (at < time) yield { value, remove: async () => void held.delete(name) };
    },
  };
}
