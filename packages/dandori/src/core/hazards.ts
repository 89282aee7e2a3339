import type { Effect } from '../domain/effect.ts';

export interface Access {
  readonly id: string;
  readonly effect: Effect;
  /** What it touches; by default the whole server. */
  readonly resource: string;
}

/**
 * For each task, the earlier tasks that must have ended before it starts, so that running in parallel gives what
 * running in written order would give: a read waits for the last write of its resource, a write for that write and
 * for every read since. Waiting for the last write is enough, as that one waited for those before it.
 */
export function hazards(accesses: readonly Access[]): Map<string, string[]> {
  const resources = new Map<string, { lastWrite: string | undefined; reads: string[] }>();
  const waits = new Map<string, string[]>();
  for (const { id, effect, resource } of accesses) {
    const seen = resources.get(resource) ?? { lastWrite: undefined, reads: [] };
    resources.set(resource, seen);
    const write = seen.lastWrite === undefined ? [] : [seen.lastWrite];
    if (effect === 'read') {
      waits.set(id, write);
      seen.reads.push(id);
    } else {
      waits.set(id, seen.reads.length > 0 ? [...seen.reads] : write);
      seen.lastWrite = id;
      seen.reads = [];
    }
  }
  return waits;
}
