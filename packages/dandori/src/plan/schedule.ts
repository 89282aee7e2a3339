import type { CheckedTask } from '../model/event.ts';
import type { Access } from '../model/plan.ts';
import { isStep, type Task } from '../model/task.ts';
import type { Tool } from '../model/tool.ts';
import { describeNeed, type Edges, type Reason } from './graph.ts';
import { accessesOf, disturb, filledIn, type Group, hazards, isOpen } from './hazards.ts';
import type { KnownTasks } from './known-tasks.ts';

/** Up to this length, a list of ids is shorter in the journal than a group with its number. */
const SMALL_GROUP = 8;
/** The expected duration of a tool that was never called. It only has to be the same for all such tools. */
export const UNKNOWN_MS = 1000;

export interface Schedule {
  readonly tasks: CheckedTask[];
  readonly groups: Group[];
  /**
   * In the scheduled order. Only for servers where a resource depends on arguments, because an answer may
   * change those.
   */
  readonly accesses: Access[];
  /** Why a task waits. Computed on request, because thousands of tasks may wait for thousands. */
  readonly reasonsOf: (id: string) => Reason[];
  /** The ids in topological order: each comes after what it waits for. */
  readonly order: readonly string[];
}

interface ScheduleContext {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly done: KnownTasks;
  readonly open?: readonly Task[];
  readonly expectedMs?: (operation: string) => number | undefined;
}

interface Needs {
  readonly edges: Edges;
  readonly order: readonly string[];
}

/** Computes which tasks wait for which: by dependencies and by shared resources. */
export function scheduleTasks(
  tasks: readonly Task[],
  { edges, order }: Needs,
  { tools, done, open = [], expectedMs }: ScheduleContext,
): Schedule {
  const positions = new Map<string, number>();
  for (const [position, { id }] of tasks.entries()) positions.set(id, position);
  const written: Access[] = [];
  const accesses: Access[] = [];
  const add = (task: Task) => {
    for (const access of accessesOf(task, tools)) {
      written.push(access);
      accesses.push(filledIn(access, task.args));
    }
  };
  for (const task of open) add(task);
  for (const id of order) {
    const task = tasks[positions.get(id) ?? -1];
    if (task !== undefined) add(task);
  }
  const waits = hazards(accesses);
  const groups: Group[] = [];
  const numbers = new Map<Group, number>();
  const checked = tasks.map(({ id, operation }): CheckedTask => {
    const { effect = 'write', cost = 0 } = tools.get(operation) ?? {};
    const needs: string[] = [];
    for (const need of edges.get(id)?.keys() ?? NONE) if (isAhead(need, done)) needs.push(need);
    // The copy has no room to grow. It is kept as long as the run, and the room would be larger than the task.
    const task: CheckedTask = needs.length > 0 ? { id, effect, needs: needs.slice() } : { id, effect };
    const waited = waits.get(id) ?? NONE;
    if (waited.length > 0) addWaits(task, waited, { groups, numbers });
    // `rank` fills it in, when what comes after is known.
    task.rank = 0;
    if (cost > 0) task.cost = cost;
    return task;
  });
  rank(tasks, { order, checked, groups, positions }, expectedMs);
  let touched: Map<string, Access[]> | undefined;
  return {
    tasks: checked,
    groups,
    accesses: mayChange(written),
    reasonsOf: (id) => {
      touched ??= Map.groupBy(accesses, (access) => access.id);
      return explain(id, { edges, waits, touched });
    },
    order,
  };
}

const NONE: readonly never[] = [];

interface Numbering {
  readonly groups: Group[];
  readonly numbers: Map<Group, number>;
}

function addWaits(task: CheckedTask, waited: readonly Group[], { groups, numbers }: Numbering): void {
  const { needs = [] } = task;
  const few = waited.filter((group) => group.length <= SMALL_GROUP).flat();
  const single = [...new Set(few)].filter((other) => !needs.includes(other));
  const many = waited
    .filter((group) => group.length > SMALL_GROUP)
    .map((group) => numbered(group, groups, numbers));
  if (single.length > 0) task.waits = single;
  if (many.length > 0) task.waitsForGroups = many;
}

/** A step of an earlier list may have tasks in this one. It is done only when they are. */
function isAhead(id: string, done: KnownTasks): boolean {
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

/** The accesses of servers where at least one task accesses a part named by its arguments. */
function mayChange(written: readonly Access[]): Access[] {
  if (!written.some(isOpen)) return [];
  const servers = new Set(written.filter(isOpen).map(({ server }) => server));
  return written.filter(({ server }) => servers.has(server));
}

interface Ranking {
  readonly order: readonly string[];
  readonly checked: readonly CheckedTask[];
  readonly groups: readonly Group[];
  /** The position of each task in `checked`. */
  readonly positions: ReadonlyMap<string, number>;
}

/** From the last task to the first. The rank of a task is the longest path after it. */
function rank(
  tasks: readonly Task[],
  { order, checked, groups, positions }: Ranking,
  expectedMs: ScheduleContext['expectedMs'],
): void {
  const behind = checked.map(() => 0);
  const behindGroup = groups.map(() => 0);
  const memberships = groups.length === 0 ? undefined : membershipsIn(groups);
  const raise = (earlier: string, own: number) => {
    const at = positions.get(earlier);
    if (at !== undefined && own > (behind[at] ?? own)) behind[at] = own;
  };
  for (let place = order.length - 1; place >= 0; place--) {
    const id = order[place] ?? '';
    const position = positions.get(id) ?? -1;
    const task = checked[position];
    if (task === undefined) continue;
    let after = behind[position] ?? 0;
    for (const number of memberships?.get(id) ?? NONE) after = Math.max(after, behindGroup[number] ?? 0);
    const own = after + (expectedMs?.(tasks[position]?.operation ?? '') ?? UNKNOWN_MS);
    task.rank = own;
    for (const earlier of task.needs ?? NONE) raise(earlier, own);
    for (const earlier of task.waits ?? NONE) raise(earlier, own);
    for (const number of task.waitsForGroups ?? NONE)
      behindGroup[number] = Math.max(behindGroup[number] ?? 0, own);
  }
}

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
  readonly touched: ReadonlyMap<string, readonly Access[]>;
}

function explain(id: string, { edges, waits, touched }: Explaining): Reason[] {
  const needs = [...(edges.get(id) ?? [])].map(([task, need]) => ({ task, text: describeNeed(need, task) }));
  const said = new Set(needs.map(({ task }) => task));
  const hazardous = (waits.get(id) ?? []).flat().filter((other) => !said.has(other));
  const own = touched.get(id) ?? [];
  return [...needs, ...hazardous.map((task) => ({ task, text: conflict(own, touched.get(task) ?? []) }))];
}

function conflict(all: readonly Access[], before: readonly Access[]): string {
  const later = all.find((one) => before.some((other) => disturb(one, other))) ?? all[0];
  const earlier = before.find(({ server }) => server === later?.server) ?? before[0];
  const what = later?.resource ?? earlier?.resource;
  const where = `${later?.server ?? ''}${what === undefined ? '' : ` (${what})`}`;
  const does = (access: Access | undefined) => (access?.effect === 'read' ? 'reads' : 'writes');
  return `both touch ${where}: ${earlier?.id} ${does(earlier)} it first, then ${later?.id} ${does(later)} it`;
}
