import { type JsonObject, stringifyJson } from '../model/json.ts';
import { OWN_SERVER } from '../model/own-tools.ts';
import type { Access } from '../model/plan.ts';
import { isSubGoal, toolsForGoal } from '../model/sub-goal.ts';
import type { Task } from '../model/task.ts';
import { isWorse, type Tool } from '../model/tool.ts';
import { refsIn, replacePlaceholders } from './fill-refs.ts';

/** Earlier tasks that must all have ended. All tasks that wait for the group share the list. */
export type Group = readonly string[];

/**
 * For each task that waits, the groups of earlier tasks that must end before it starts. With them, running in parallel
 * gives the same results as running in written order. It works like a processor: reads overlap. A write waits
 * for the earlier reads and writes of its resource and of the whole server. An access to the whole server
 * waits for all of its parts.
 *
 * H1  Two accesses keep their written order if one of them writes and they use the same resource, or one of
 *     them uses the whole server. Two independent writes of one resource are exempt. A task may access
 *     several servers, with one access per server.
 * H2  Waiting for the last group is enough, because each of its members waited for the group before.
 * H3  The work is linear in the number of accesses, because groups are shared instead of copied.
 */
export function hazards(accesses: readonly Access[]): Map<string, Group[]> {
  const waits = new Map<string, Group[]>();
  // Reads wait for nothing but writes.
  if (accesses.every(({ effect }) => effect === 'read')) return waits;
  const servers = new Map<string, ServerTrack>();
  for (const access of accesses) {
    const track = servers.get(access.server) ?? newServer();
    servers.set(access.server, track);
    const groups =
      access.resource === undefined ? whole(track, access) : part(track, access, access.resource);
    const all = groups.filter((group) => group.length > 0);
    if (all.length > 0) waits.set(access.id, [...(waits.get(access.id) ?? []), ...all]);
  }
  return waits;
}

type Kind = 'read' | 'alone' | 'parts' | `independent:${string}`;

/** Accesses of one kind that may overlap. `alone` never has two members. */
interface Epoch {
  /** Independent writes have one kind per name. */
  readonly kind: Kind;
  readonly members: string[];
  /** What every member waits for. */
  readonly before: readonly Group[];
  /** Another access waits for the present members, so no member can be added. */
  isClosed: boolean;
}

interface ServerTrack {
  /** Accesses of the whole server. Writes of its parts are grouped here as `parts`. */
  epoch: Epoch;
  /** The last write of the whole server. */
  barrier: Epoch;
  /** Reads of parts since then. They conflict only with a write of the whole server. */
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
  // An epoch that others wait for was replaced at once, so this one is open.
  const joins = last !== undefined && last.kind === kind && kind !== 'alone';
  const epoch = joins ? last : newEpoch(kind, last === undefined ? [] : [sealed(last)]);
  track.parts.set(resource, epoch);
  epoch.members.push(access.id);
  return [...around, ...epoch.before];
}

/**
 * A write of a part waits for reads and writes of the whole server. Writes of other parts are independent.
 */
function amongParts(track: ServerTrack, id: string): readonly Group[] {
  if (track.epoch.kind !== 'parts') track.epoch = newEpoch('parts', [sealed(track.epoch)]);
  track.epoch.members.push(id);
  return track.epoch.before;
}

/** An access that waits for a group must know all its members, so the group is closed. */
function sealed(epoch: Epoch): Group {
  epoch.isClosed = true;
  return epoch.members;
}

type Tools = ReadonlyMap<string, Tool>;

/**
 * What a call of the task accesses with any arguments: a resource still contains its placeholders. A service
 * method also accesses what the tools it calls access. There is one access per server.
 */
export function accessesOf(
  { id, operation, args = {} }: Pick<Task, 'id' | 'operation'> & Partial<Pick<Task, 'args'>>,
  tools: Tools,
): Access[] {
  if (isSubGoal(operation, tools)) return byGoal(id, args, tools);
  const tool = tools.get(operation);
  if (tool === undefined) return [{ id, effect: 'write', server: '' }];
  const { effect, server, resource, independent, name } = tool;
  const own: Access = { id, effect, server };
  if (resource !== undefined) own.resource = resource;
  if (independent === true) own.independent = name;
  return tool.calls === undefined ? [own] : byServer([own, ...calledBy(tool, id, tools)]);
}

/** A sub-goal may call any of its tools with any arguments. */
function byGoal(id: string, args: JsonObject, tools: Tools): Access[] {
  const called = toolsForGoal(args, tools).flatMap((name) => tools.get(name) ?? []);
  return byServer([
    { id, effect: 'read', server: OWN_SERVER },
    ...called.map(({ effect, server }): Access => ({ id, effect, server })),
  ]);
}

/** The arguments of these calls are unknown, so each may access anything on its server. */
function calledBy(tool: Tool, id: string, tools: Tools): Access[] {
  const seen = new Set(tool.calls);
  // The loop also visits the calls that it adds at the end.
  for (const name of seen) for (const next of tools.get(name)?.calls ?? []) seen.add(next);
  return [...seen].map((name) => {
    const { effect = tool.effect, server = name.split('.')[0] ?? name } = tools.get(name) ?? {};
    return { id, effect, server };
  });
}

function byServer(accesses: readonly Access[]): Access[] {
  const found = new Map<string, Access>();
  for (const access of accesses) {
    const { id, effect, server } = access;
    const known = found.get(server);
    if (known === undefined) found.set(server, access);
    else found.set(server, { id, server, effect: isWorse(effect, known.effect) ? effect : known.effect });
  }
  return [...found.values()];
}

/**
 * The accesses with these arguments. If a value is not known yet, the task may access anything on the server.
 */
export function filledIn(access: Access, args: JsonObject): Access {
  if (!isOpen(access)) return access;
  let isKnown = true;
  const resource =
    access.resource &&
    replacePlaceholders(access.resource, (name) => {
      const value = Object.hasOwn(args, name) ? args[name] : undefined;
      if (value === undefined || refsIn(value).length > 0) isKnown = false;
      return typeof value === 'string' ? asPart(value) : stringifyJson(value ?? null);
    });
  const { resource: _, ...whole } = access;
  return isKnown && resource !== undefined ? { ...whole, resource } : whole;
}

/**
 * Normalizes a path: `./a//b/../c` is `a/c`. If two paths get the same name by mistake, their calls only
 * wait.
 */
function asPart(text: string): string {
  if (!/[\\/]/.test(text)) return text;
  const parts: string[] = [];
  for (const part of text.split(/[\\/]+/)) {
    const isUp = part === '..' && parts.length > 0 && parts.at(-1) !== '..' && parts.at(-1) !== '';
    if (isUp) parts.pop();
    else if (part !== '.' && (part !== '' || parts.length === 0)) parts.push(part);
  }
  return parts.join('/');
}

/** Whether the accessed resource depends on the arguments. */
export function isOpen({ resource }: Access): boolean {
  return resource?.includes('{') === true;
}

/** Whether the order of two accesses matters: H1 of `hazards`, for one pair. */
export function disturb(a: Access, b: Access): boolean {
  if (a.server !== b.server || (a.effect === 'read' && b.effect === 'read')) return false;
  const isSame = a.resource === b.resource;
  if (!isSame && a.resource !== undefined && b.resource !== undefined) return false;
  const areIndependent = a.independent !== undefined && a.independent === b.independent;
  return !(isSame && areIndependent && a.effect !== 'read' && b.effect !== 'read');
}
