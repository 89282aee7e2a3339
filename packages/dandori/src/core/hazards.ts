import type { Access } from '../domain/access.ts';

/** Earlier tasks that must all have ended. The same list is shared by all that wait for it. */
export type Group = readonly string[];

/**
 * For each task, the groups of earlier tasks that must have ended before it starts, so that running in parallel gives
 * what running in written order would give. Like a processor: reads overlap, a write waits for the earlier reads and
 * writes of its resource, and for those of the whole server, as a whole-server access waits for all of its parts.
 *
 * H1  Two accesses of which one writes, and whose resources are the same or one of which is the whole server, are
 *     ordered as written, except two independent writes of one resource. A task has one access a server, and may
 *     have several.
 * H2  Waiting for the last group is enough: each of its members waited for the group before.
 * H3  The work is linear in the accesses, as groups are shared and not copied.
 */
export function hazards(accesses: readonly Access[]): Map<string, Group[]> {
  const servers = new Map<string, ServerTrack>();
  const waits = new Map<string, Group[]>();
  for (const access of accesses) {
    const track = servers.get(access.server) ?? newServer();
    servers.set(access.server, track);
    const groups =
      access.resource === undefined ? whole(track, access) : part(track, access, access.resource);
    const known = waits.get(access.id);
    const all = groups.filter((group) => group.length > 0);
    waits.set(access.id, known === undefined ? all : [...known, ...all]);
  }
  return waits;
}

type Kind = 'read' | 'alone' | 'parts' | `independent:${string}`;

/** Accesses of one kind that may overlap; `alone` never has two members. */
interface Epoch {
  /** Independent writes have a kind of their own for each name. */
  readonly kind: Kind;
  readonly members: string[];
  /** What every member waits for. */
  readonly before: readonly Group[];
  /** Somebody waits for the members as they are now, so that nobody may join any more. */
  isClosed: boolean;
}

interface ServerTrack {
  /** Accesses of the whole server; writes of its parts stand here together as `parts`. */
  epoch: Epoch;
  /** The last that wrote the whole of it. */
  barrier: Epoch;
  /** Reads of its parts since then: they overlap with everything but a write of the whole. */
  partReads: string[];
  readonly parts: Map<string, Epoch>;
}

function newEpoch(kind: Kind, before: readonly Group[]): Epoch {
  return { kind, members: [], before, isClosed: false };
}

function newServer(): ServerTrack {
  const nothing = newEpoch('alone', []);
  return { epoch: nothing, barrier: nothing, partReads: [], parts: new Map() };
}

function kindOf({ effect, independent }: Access): Kind {
  if (effect === 'read') return 'read';
  return independent === undefined ? 'alone' : `independent:${independent}`;
}

function whole(track: ServerTrack, access: Access): readonly Group[] {
  const kind = kindOf(access);
  if (kind === 'read') {
    if (track.epoch.kind !== 'read') track.epoch = newEpoch('read', [sealed(track.epoch)]);
  } else if (kind === 'alone' || track.epoch.kind !== kind || track.epoch.isClosed) {
    track.epoch = newEpoch(kind, [sealed(track.epoch), track.partReads]);
    track.barrier = track.epoch;
    track.partReads = [];
    track.parts.clear();
  }
  track.epoch.members.push(access.id);
  return track.epoch.before;
}

function part(track: ServerTrack, access: Access, resource: string): readonly Group[] {
  const kind = kindOf(access);
  const around = kind === 'read' ? [sealed(track.barrier)] : amongParts(track, access.id);
  if (kind === 'read') track.partReads.push(access.id);
  const last = track.parts.get(resource);
  // One that somebody waits for has been replaced here at once, so that this one is open.
  const joins = last !== undefined && last.kind === kind && kind !== 'alone';
  const epoch = joins ? last : newEpoch(kind, last === undefined ? [] : [sealed(last)]);
  track.parts.set(resource, epoch);
  epoch.members.push(access.id);
  return [...around, ...epoch.before];
}

/** A write of a part waits for the reads and writes of the whole; other writes of parts are no matter to it here. */
function amongParts(track: ServerTrack, id: string): readonly Group[] {
  if (track.epoch.kind !== 'parts') track.epoch = newEpoch('parts', [sealed(track.epoch)]);
  track.epoch.members.push(id);
  return track.epoch.before;
}

/** Whoever waits for a group must know all of it. */
function sealed(epoch: Epoch): Group {
  epoch.isClosed = true;
  return epoch.members;
}
