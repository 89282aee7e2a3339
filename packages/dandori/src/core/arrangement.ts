import type { CheckedTask } from '../domain/event.ts';
import type { Task } from '../domain/task.ts';
import type { Tool } from '../domain/tool.ts';
import { describeNeed, type Edges, type Reason } from './edges.ts';
import { type Access, type Group, hazards } from './hazards.ts';
import { refsIn } from './inject.ts';
import { isStep } from './step.ts';

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
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const accesses = order.map((id) => accessOf(byId.get(id), id, tools));
  const waits = hazards(accesses);
  const groups: Group[] = [];
  const numbers = new Map<Group, number>();
  const effects = new Map(accesses.map((access) => [access.id, access]));
  const checked = tasks.map(({ id }): CheckedTask => {
    const needs = [...(edges.get(id)?.keys() ?? [])].filter((need) => isAhead(need, done));
    const effect = effects.get(id)?.effect ?? 'write';
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
  const ranks = rank(
    { order, checked, groups },
    (id) => expectedMs?.(byId.get(id)?.operation ?? '') ?? UNKNOWN_MS,
  );
  for (const task of checked) task.rank = ranks.get(task.id) ?? 0;
  return {
    tasks: checked,
    groups,
    reasonsOf: (id) => explain(id, { edges, waits, effects }),
    order,
  };
}

/** A step of an earlier list may have tasks in this one, and is done no sooner than they are. */
function isAhead(id: string, done: ReadonlyMap<string, string>): boolean {
  const operation = done.get(id);
  return operation === undefined || isStep({ operation });
}

function numbered(group: Group, groups: Group[], numbers: Map<Group, number>): number {
  const known = numbers.get(group);
  if (known !== undefined) return known;
  numbers.set(group, groups.length);
  groups.push(group);
  return groups.length - 1;
}

/** What a task touches. Where that depends on a value that is not there yet, it may be anything of the server. */
export function accessOf(task: Task | undefined, id: string, tools: ReadonlyMap<string, Tool>): Access {
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

/** From the last to the first: a task is as urgent as the longest path behind it. */
function rank(
  {
    order,
    checked,
    groups,
  }: { order: readonly string[]; checked: readonly CheckedTask[]; groups: readonly Group[] },
  expected: (id: string) => number,
): Map<string, number> {
  const byId = new Map(checked.map((task) => [task.id, task]));
  const behind = new Map<string, number>();
  const behindGroup = groups.map(() => 0);
  const membership = new Map<string, number[]>();
  groups.forEach((group, number) => {
    for (const id of group) membership.set(id, [...(membership.get(id) ?? []), number]);
  });
  const ranks = new Map<string, number>();
  for (const id of order.toReversed()) {
    const throughGroups = (membership.get(id) ?? []).map((number) => behindGroup[number] ?? 0);
    const own = expected(id) + Math.max(behind.get(id) ?? 0, ...throughGroups);
    ranks.set(id, own);
    const task = byId.get(id);
    for (const before of [...(task?.needs ?? []), ...(task?.waits ?? [])]) {
      behind.set(before, Math.max(behind.get(before) ?? 0, own));
    }
    for (const number of task?.waitsForGroups ?? [])
      behindGroup[number] = Math.max(behindGroup[number] ?? 0, own);
  }
  return ranks;
}

interface Explaining {
  readonly edges: Edges;
  readonly waits: ReadonlyMap<string, readonly Group[]>;
  readonly effects: ReadonlyMap<string, Access>;
}

function explain(id: string, { edges, waits, effects }: Explaining): Reason[] {
  const needs = [...(edges.get(id) ?? [])].map(([task, need]) => ({ task, text: describeNeed(need, task) }));
  const said = new Set(needs.map(({ task }) => task));
  const hazardous = (waits.get(id) ?? []).flat().filter((other) => !said.has(other));
  return [
    ...needs,
    ...hazardous.map((task) => ({ task, text: conflict(effects.get(id), effects.get(task)) })),
  ];
}

function conflict(later: Access | undefined, earlier: Access | undefined): string {
  const what = later?.resource ?? earlier?.resource;
  const where = `${later?.server ?? ''}${what === undefined ? '' : ` (${what})`}`;
  const does = (access: Access | undefined) => (access?.effect === 'read' ? 'reads' : 'writes');
  return `both touch ${where}: ${earlier?.id} ${does(earlier)} it first, then ${later?.id} ${does(later)} it`;
}
