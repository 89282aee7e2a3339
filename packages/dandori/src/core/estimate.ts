import type { Diagnostic } from '../domain/diagnostic.ts';
import type { Task } from '../domain/task.ts';
import type { Tool } from '../domain/tool.ts';
import { type Arrangement, UNKNOWN_MS } from './arrangement.ts';
import { dollars } from './dollars.ts';

/** What a plan will take, before it is run. */
export interface Estimate {
  readonly calls: number;
  readonly reads: number;
  readonly writes: number;
  /** Tasks that cannot be undone. */
  readonly irreversible: readonly string[];
  /** The longest path, by expected time. */
  readonly criticalPath: readonly string[];
  /** Milliseconds of that path; undefined where some tool on it has never been timed. */
  readonly expectedMs: number | undefined;
  /** Milliseconds if every attempt on the worst path took its whole time-out. */
  readonly worstMs: number | undefined;
  /** US dollars of the tools' own prices: once each, and if every call is tried as often as it may be. */
  readonly cost: number;
  readonly worstCost: number;
}

/** What is left to spend, and how often a task may be tried. */
export interface Budget {
  readonly ms: number;
  readonly cost: number | undefined;
  readonly timeout: number;
  readonly attempts: number;
}

interface Surroundings {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly budget?: Budget;
  readonly expectedMs?: (operation: string) => number | undefined;
}

export function estimateOf(
  tasks: readonly Task[],
  arrangement: Arrangement,
  surroundings: Surroundings,
): Estimate {
  const { tools, budget, expectedMs } = surroundings;
  const effectOf = (task: Task) => tools.get(task.operation)?.effect ?? 'write';
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const operationOf = (id: string) => byId.get(id)?.operation ?? '';
  const attempts = budget?.attempts ?? 1;
  const cost = costOf(tasks, tools);
  const path = longestPath(arrangement, (id) => expectedMs?.(operationOf(id)) ?? UNKNOWN_MS);
  const isTimed = path.ids.every((id) => expectedMs?.(operationOf(id)) !== undefined);
  const worst =
    budget && longestPath(arrangement, (id) => (byId.get(id)?.timeout ?? budget.timeout) * attempts);
  return {
    calls: tasks.length,
    reads: tasks.filter((task) => effectOf(task) === 'read').length,
    writes: tasks.filter((task) => effectOf(task) !== 'read').length,
    irreversible: tasks.filter((task) => effectOf(task) === 'destructive').map(({ id }) => id),
    criticalPath: path.ids,
    expectedMs: isTimed ? path.ms : undefined,
    worstMs: worst?.ms,
    cost,
    worstCost: dollars(cost * attempts),
  };
}

/** What the run surely cannot afford, so that nothing is started. What may be too much is told by `worstCase`. */
export function overBudget(
  tasks: readonly Task[],
  arrangement: Arrangement,
  { tools, budget, expectedMs }: Surroundings,
): Diagnostic[] {
  if (budget === undefined) return [];
  const found: Diagnostic[] = [];
  const isTimed = tasks.every(({ operation }) => expectedMs?.(operation) !== undefined);
  // The rank of the first task of the longest path is the time of the whole of it.
  const ms = isTimed ? arrangement.tasks.reduce((longest, { rank = 0 }) => Math.max(longest, rank), 0) : 0;
  if (ms > budget.ms) found.push(late(`the plan takes about ${seconds(ms)}`, budget));
  const cost = budget.cost === undefined ? 0 : costOf(tasks, tools);
  if (budget.cost !== undefined && cost > budget.cost)
    found.push(dear(`the plan costs $${cost}`, budget.cost));
  return found;
}

/** A warning for whoever looks at a plan before it runs. */
export function worstCase({ worstMs, worstCost }: Estimate, budget: Budget): Diagnostic[] {
  const found: Diagnostic[] = [];
  if (worstMs !== undefined && worstMs > budget.ms)
    found.push(late(`the plan may take up to ${seconds(worstMs)}`, budget));
  if (budget.cost !== undefined && worstCost > budget.cost)
    found.push(dear(`the plan may cost up to $${worstCost}`, budget.cost));
  return found;
}

function late(what: string, { ms }: Budget): Diagnostic {
  const hint = 'make a shorter plan, or raise execution.max_time';
  return { code: 'over-budget', message: `${what}, and ${seconds(ms)} are left`, hint };
}

function dear(what: string, left: number): Diagnostic {
  const hint = 'make a cheaper plan, or raise execution.max_cost';
  return { code: 'over-budget', message: `${what}, and $${left} are left`, hint };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

function costOf(tasks: readonly Task[], tools: ReadonlyMap<string, Tool>): number {
  return dollars(tasks.reduce((sum, { operation }) => sum + (tools.get(operation)?.cost ?? 0), 0));
}

function longestPath(
  { order, tasks, groups }: Arrangement,
  takes: (id: string) => number,
): { ids: string[]; ms: number } {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const ends = new Map<string, { ms: number; before: string | undefined }>();
  const latest = (ids: Iterable<string>): string | undefined => {
    let best: string | undefined;
    for (const id of ids) {
      if (ends.has(id) && (best === undefined || (ends.get(id)?.ms ?? 0) > (ends.get(best)?.ms ?? 0)))
        best = id;
    }
    return best;
  };
  // The members of a group all come before those who wait for it, so its latest is looked for only once.
  const latestOf = new Map<number, string | undefined>();
  for (const id of order) {
    const task = byId.get(id);
    const gates = (task?.waitsForGroups ?? []).map((number) => {
      if (!latestOf.has(number)) latestOf.set(number, latest(groups[number] ?? []));
      return latestOf.get(number);
    });
    const before = latest([
      ...(task?.needs ?? []),
      ...(task?.waits ?? []),
      ...gates.filter((gate) => gate !== undefined),
    ]);
    ends.set(id, { ms: takes(id) + (before === undefined ? 0 : (ends.get(before)?.ms ?? 0)), before });
  }
  const ids: string[] = [];
  for (let at = latest(order); at !== undefined; at = ends.get(at)?.before) ids.push(at);
  return { ids: ids.reverse(), ms: ends.get(ids.at(-1) ?? '')?.ms ?? 0 };
}
