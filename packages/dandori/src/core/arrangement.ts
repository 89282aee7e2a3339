import type { CheckedTask } from '../domain/event.ts';
import type { Task } from '../domain/task.ts';
import type { Tool } from '../domain/tool.ts';
import { describeNeed, type Edges, type Reason } from './edges.ts';
import { type Access, type Group, hazards } from './hazards.ts';
import { refsIn } from './inject.ts';

/** Up to here a list of ids is shorter in the journal than a group and its number. */
const SMALL_GROUP = 8;
/** What a call takes where nobody has seen one yet. All that matters is that it is the same for all. */
export const UNKNOWN_MS = 1000;

export interface Arrangement {
  readonly tasks: CheckedTask[];
  readonly groups: Group[];
  /** Why a task waits. Made when it is asked for: thousands may wait for the same thousands. */
  readonly reasonsOf: (id: string) => Reason[];
  /** Ids such that everything comes after what it waits for. */
  readonly order: readonly string[];
}

interface Surroundings {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly done: ReadonlyMap<string, string>;
  readonly expectedMs?: (operation: string) => number | undefined;
}

interface Needs {
  readonly edges: Edges;
  readonly order: readonly string[];
}

/** What waits for what: by need, and by what they do to the same things. */
export function arrange(
  tasks: readonly Task[],
  { edges, order }: Needs,
  { tools, done, expectedMs }: Surroundings,
): Arrangement {
  const positions = new Map<string, number>();
  for (const [position, { id }] of tasks.entries()) positions.set(id, position);
  const accessBy = (id: string) => accessOf(tasks[positions.get(id) ?? -1], id, tools);
  const waits = hazards(order.map(accessBy));
  const groups: Group[] = [];
  const numbers = new Map<Group, number>();
  const checked = tasks.map(({ id, operation }): CheckedTask => {
    const needs = [...(edges.get(id)?.keys() ?? [])].filter((need) => !done.has(need));
    const effect = tools.get(operation)?.effect ?? 'write';
    const all = waits.get(id) ?? [];
    if (all.length === 0) return needs.length > 0 ? { id, effect, needs } : { id, effect };
    const few = all.filter((group) => group.length <= SMALL_GROUP).flat();
    const waited = [...new Set(few)].filter((other) => !needs.includes(other));
    const many = all
      .filter((group) => group.length > SMALL_GROUP)
      .map((group) => numbered(group, groups, numbers));
    return {
      id,
      effect,
      ...(needs.length > 0 && { needs }),
      ...(waited.length > 0 && { waits: waited }),
      ...(many.length > 0 && { waitsForGroups: many }),
    };
  });
  const expected = tasks.map(({ operation }) => expectedMs?.(operation) ?? UNKNOWN_MS);
  rank({ order, checked, groups, positions }, expected);
  return {
    tasks: checked,
    groups,
    reasonsOf: (id) => explain(id, { edges, waits, accessBy }),
    order,
  };
}

function numbered(group: Group, groups: Group[], numbers: Map<Group, number>): number {
  const known = numbers.get(group);
  if (known !== undefined) return known;
  numbers.set(group, groups.length);
  groups.push(group);
  return groups.length - 1;
}

/** What a task touches. Where that depends on a value that is not there yet, it may be anything of the server. */
function accessOf(task: Task | undefined, id: string, tools: ReadonlyMap<string, Tool>): Access {
  const tool = tools.get(task?.operation ?? '');
  if (task === undefined || tool === undefined) return { id, effect: 'write', server: '' };
  const resource = tool.resource === undefined ? undefined : filledIn(tool.resource, task);
  return {
    id,
    effect: tool.effect,
    server: tool.server,
    ...(resource !== undefined && { resource }),
    ...(tool.independent === true && { independent: tool.name }),
  };
}

function filledIn(template: string, { args }: Task): string | undefined {
  let isKnown = true;
  const text = template.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = args[name];
    if (value === undefined || refsIn(value).length > 0) isKnown = false;
    return typeof value === 'string' ? value : JSON.stringify(value ?? null);
  });
  return isKnown ? text : undefined;
}

interface Ranking {
  readonly order: readonly string[];
  readonly checked: readonly CheckedTask[];
  readonly groups: readonly Group[];
  /** Where each task stands in `checked`. */
  readonly positions: ReadonlyMap<string, number>;
}

/** From the last to the first: a task is as urgent as the longest path behind it. */
function rank({ order, checked, groups, positions }: Ranking, expected: readonly number[]): void {
  const behind = new Float64Array(checked.length);
  const behindGroup = groups.map(() => 0);
  const memberships = membershipsIn(groups);
  for (let place = order.length - 1; place >= 0; place--) {
    const id = order[place] ?? '';
    const position = positions.get(id) ?? -1;
    const task = checked[position];
    if (task === undefined) continue;
    const throughGroups = (memberships.get(id) ?? []).map((number) => behindGroup[number] ?? 0);
    const own = (expected[position] ?? 0) + Math.max(behind[position] ?? 0, ...throughGroups);
    task.rank = own;
    const raise = (before: string) => {
      const at = positions.get(before) ?? -1;
      if (own > (behind[at] ?? own)) behind[at] = own;
    };
    task.needs?.forEach(raise);
    task.waits?.forEach(raise);
    for (const number of task.waitsForGroups ?? [])
      behindGroup[number] = Math.max(behindGroup[number] ?? 0, own);
  }
}

/** The numbers of the groups that each task is in. */
function membershipsIn(groups: readonly Group[]): Map<string, number[]> {
  const memberships = new Map<string, number[]>();
  for (const [number, group] of groups.entries()) {
    for (const id of group) {
      const known = memberships.get(id);
      if (known === undefined) memberships.set(id, [number]);
      else known.push(number);
    }
  }
  return memberships;
}

interface Explaining {
  readonly edges: Edges;
  readonly waits: ReadonlyMap<string, readonly Group[]>;
  readonly accessBy: (id: string) => Access;
}

function explain(id: string, { edges, waits, accessBy }: Explaining): Reason[] {
  const needs = [...(edges.get(id) ?? [])].map(([task, need]) => ({ task, text: describeNeed(need, task) }));
  const said = new Set(needs.map(({ task }) => task));
  const hazardous = (waits.get(id) ?? []).flat().filter((other) => !said.has(other));
  return [...needs, ...hazardous.map((task) => ({ task, text: conflict(accessBy(id), accessBy(task)) }))];
}

function conflict(later: Access, earlier: Access): string {
  const what = later.resource ?? earlier.resource;
  const where = `${later.server}${what === undefined ? '' : ` (${what})`}`;
  const does = ({ effect }: Access) => (effect === 'read' ? 'reads' : 'writes');
  return `both touch ${where}: ${earlier.id} ${does(earlier)} it first, then ${later.id} ${does(later)} it`;
}
