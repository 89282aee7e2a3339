import type { Diagnostic } from '../domain/diagnostic.ts';
import type { Estimate } from '../domain/estimate.ts';
import type { Task } from '../domain/task.ts';
import type { Tool } from '../domain/tool.ts';
import { type Arrangement, UNKNOWN_MS } from './arrangement.ts';
import { dollars } from './dollars.ts';
import { makespan } from './makespan.ts';
import { backoff } from './monitor.ts';
import { laneOf } from './state.ts';
import { isStep } from './step.ts';

/** What is left to spend, how often a task may be tried, and how many at once. */
export interface Budget {
  readonly ms: number;
  readonly cost: number | undefined;
  readonly timeout: number;
  readonly attempts: number;
  /** Milliseconds before the second attempt. */
  readonly backoff?: number;
  readonly concurrency?: number;
  readonly servers?: Readonly<Record<string, number>>;
}

interface Surroundings {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly budget?: Budget;
  readonly expectedMs?: (operation: string) => number | undefined;
}

export function estimateOf(
  planned: readonly Task[],
  arrangement: Arrangement,
  surroundings: Surroundings,
): Estimate {
  const { tools, budget, expectedMs } = surroundings;
  // A step is no call. Where its tasks are not known yet, neither is what they will take.
  const tasks = planned.filter((task) => !isStep(task));
  const open = openParts(planned);
  const effectOf = (task: Task) => tools.get(task.operation)?.effect ?? 'write';
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const operationOf = (id: string) => byId.get(id)?.operation ?? '';
  const attempts = budget?.attempts ?? 1;
  const cost = costOf(tasks, tools);
  const expected = (id: string) => (byId.has(id) ? (expectedMs?.(operationOf(id)) ?? UNKNOWN_MS) : 0);
  const isTimed = open.length === 0 && tasks.every(({ operation }) => expectedMs?.(operation) !== undefined);
  const pauses = pausesBetween(attempts, budget?.backoff ?? 0);
  const worst = (id: string) =>
    byId.has(id) ? (byId.get(id)?.timeout ?? budget?.timeout ?? 0) * attempts + pauses : 0;
  const timeIf = (takes: (id: string) => number) =>
    makespan(arrangement, {
      takes,
      laneOf: (id) => laneOf(operationOf(id), budget?.servers),
      concurrency: budget?.concurrency,
      servers: budget?.servers,
    });
  return {
    calls: tasks.length,
    reads: tasks.filter((task) => effectOf(task) === 'read').length,
    writes: tasks.filter((task) => effectOf(task) !== 'read').length,
    ...(open.length > 0 && { open }),
    irreversible: tasks.filter((task) => effectOf(task) === 'destructive').map(({ id }) => id),
    criticalPath: longestPath(arrangement, expected),
    expectedMs: isTimed ? timeIf(expected) : undefined,
    worstMs: budget && open.length === 0 ? timeIf(worst) : undefined,
    cost,
    worstCost: dollars(cost * attempts),
  };
}

function openParts(planned: readonly Task[]): string[] {
  const filled = new Set(planned.map(({ step }) => step));
  return planned.filter((task) => isStep(task) && !filled.has(task.id)).map(({ id }) => id);
}

function pausesBetween(attempts: number, first: number): number {
  let sum = 0;
  for (let attempt = 1; attempt < attempts; attempt++) sum += backoff(first, attempt);
  return sum;
}

/**
 * What the run surely cannot afford, so that nothing is started: the prices of its calls, each made once. How long a call
 * takes nobody knows before, so that time is a reason to warn and never to refuse; the run ends when its time is up.
 */
export function overBudget(tasks: readonly Task[], { tools, budget }: Surroundings): Diagnostic[] {
  if (budget?.cost === undefined) return [];
  const cost = costOf(tasks, tools);
  return cost > budget.cost ? [dear(`the plan costs $${cost}`, budget.cost)] : [];
}

/** A warning where it will not be done in time, by what its tools took so far. */
export function mayBeLate(
  tasks: readonly Task[],
  arrangement: Arrangement,
  { budget, expectedMs }: Surroundings,
): Diagnostic[] {
  if (budget === undefined || !tasks.every(({ operation }) => expectedMs?.(operation) !== undefined))
    return [];
  // The rank of the first task of the longest path is the time of the whole of it.
  const ms = arrangement.tasks.reduce((longest, { rank = 0 }) => Math.max(longest, rank), 0);
  return ms > budget.ms ? [late(`the plan takes about ${seconds(ms)}`, budget)] : [];
}

/** A warning for whoever looks at a plan before it runs. */
export function worstCase({ expectedMs, worstMs, worstCost }: Estimate, budget: Budget): Diagnostic[] {
  const found: Diagnostic[] = [];
  const isLateAnyway = expectedMs !== undefined && expectedMs > budget.ms;
  if (!isLateAnyway && worstMs !== undefined && worstMs > budget.ms)
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

function longestPath({ order, tasks, groups }: Arrangement, takes: (id: string) => number): string[] {
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
  return ids.reverse();
}
