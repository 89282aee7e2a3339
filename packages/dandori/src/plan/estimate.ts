import type { Diagnostic, Estimate } from '../model/plan.ts';
import { backoff } from '../model/settings.ts';
import { isStep, type Task } from '../model/task.ts';
import { dollars, shortPath } from '../model/text.ts';
import { laneOf, type Tool } from '../model/tool.ts';
import { type Queued, ReadyQueue } from './ready-queue.ts';
import { type Schedule, UNKNOWN_MS } from './schedule.ts';

/** The remaining budget, the attempts per task, and the concurrency. */
export interface Budget {
  readonly ms: number;
  readonly cost: number | undefined;
  readonly timeoutMs: number;
  readonly attempts: number;
  /** Milliseconds before the second attempt. */
  readonly backoff?: number;
  readonly concurrency?: number;
  readonly servers?: Readonly<Record<string, number>>;
}

interface EstimateContext {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly budget?: Budget;
  readonly expectedMs?: (operation: string) => number | undefined;
}

export function estimateOf(
  planned: readonly Task[],
  schedule: Schedule,
  { tools, budget, expectedMs }: EstimateContext,
): Estimate {
  // A step is not a call. If its tasks are not known yet, neither is their cost.
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
    byId.has(id) ? (byId.get(id)?.timeoutMs ?? budget?.timeoutMs ?? 0) * attempts + pauses : 0;
  const timeIf = (takes: (id: string) => number) =>
    makespan(schedule, {
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
    criticalPath: longestPath(schedule, expected),
    expectedMs: isTimed ? timeIf(expected) : undefined,
    worstMs: budget && open.length === 0 ? timeIf(worst) : undefined,
    cost,
    worstCost: dollars(cost * attempts),
  };
}

/** For the approval of one call: a plan of 400 calls may ask 400 times, so a question must not name all of them. */
export function withShortLists(estimate: Estimate): Estimate {
  const { open, irreversible, criticalPath } = estimate;
  return {
    ...estimate,
    ...(open && { open: shortPath(open) }),
    irreversible: shortPath(irreversible),
    criticalPath: shortPath(criticalPath),
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
 * What the run certainly cannot afford: the prices of its calls, each made once. Then nothing is started. The
 * duration of a call is not known in advance, so time is only a warning; the run ends when its time is up.
 */
export function overBudget(tasks: readonly Task[], { tools, budget }: EstimateContext): Diagnostic[] {
  if (budget?.cost === undefined) return [];
  const cost = costOf(tasks, tools);
  return cost > budget.cost ? [dear(`the plan costs $${cost}`, budget.cost)] : [];
}

/** A warning if the plan will not finish in time, based on the past durations of its tools. */
export function mayBeLate(
  tasks: readonly Task[],
  schedule: Schedule,
  { budget, expectedMs }: EstimateContext,
): Diagnostic[] {
  if (budget === undefined || !tasks.every(({ operation }) => expectedMs?.(operation) !== undefined))
    return [];
  // The rank of the first task on the longest path is the duration of the whole path.
  const ms = schedule.tasks.reduce((longest, { rank = 0 }) => Math.max(longest, rank), 0);
  return ms > budget.ms ? [late(`the plan takes about ${seconds(ms)}`, budget)] : [];
}

/** A warning for the user who checks a plan before it runs. */
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

function longestPath({ order, tasks, groups }: Schedule, takes: (id: string) => number): string[] {
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
  // All members of a group come before the tasks that wait for it, so its latest end is computed once.
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

interface Scheduling {
  /** Milliseconds of a task. */
  readonly takes: (id: string) => number;
  readonly laneOf: (id: string) => string;
  /** The concurrency limits, in total and per server. Without a number there is no limit. */
  readonly concurrency?: number;
  readonly servers?: Readonly<Record<string, number>>;
}

/** Simulates the scheduler: how long a plan takes if each task takes as long as given. */
function makespan(schedule: Schedule, scheduling: Scheduling): number {
  const { takes, laneOf, concurrency = Number.POSITIVE_INFINITY, servers = {} } = scheduling;
  const waiting = createWaiting(schedule);
  const order = new Map(schedule.tasks.map(({ id, rank = 0 }, index) => [id, { rank, order: index }]));
  const ready = new ReadyQueue<string>();
  // The task that ends first has the highest rank here.
  const running = new ReadyQueue<string>();
  const runningIn = new Map<string, number>();
  const endOf = new Map<string, number>();
  const hasRoom = (lane: string) => (runningIn.get(lane) ?? 0) < (servers[lane] ?? Number.POSITIVE_INFINITY);
  const enter = (id: string) => ready.add(id, { lane: laneOf(id), rank: 0, order: 0, ...order.get(id) });
  let now = 0;

  const start = () => {
    const started: Queued<string>[] = [];
    for (const entry of ready.inOrder(hasRoom)) {
      if (running.size >= concurrency) break;
      const { item: id, lane } = entry;
      runningIn.set(lane, (runningIn.get(lane) ?? 0) + 1);
      endOf.set(id, now + takes(id));
      running.add(id, { lane: '', rank: -(endOf.get(id) ?? now), order: 0 });
      started.push(entry);
    }
    for (const entry of started) ready.delete(entry);
  };

  waiting.free.forEach(enter);
  for (start(); running.size > 0; start()) {
    const next = running.first();
    if (next === undefined) break;
    running.delete(next);
    const { item: id } = next;
    now = endOf.get(id) ?? now;
    runningIn.set(laneOf(id), (runningIn.get(laneOf(id)) ?? 1) - 1);
    waiting.ended(id).forEach(enter);
  }
  return now;
}

interface Waiting {
  readonly free: readonly string[];
  /** Tasks that have nothing left to wait for now that this one has ended. */
  ended(id: string): string[];
}

/** Each task and each group counts what it still waits for. */
function createWaiting({ tasks, groups }: Schedule): Waiting {
  const unmet = new Map<string | number, number>();
  const dependents = new Map<string, (string | number)[]>();
  const behind: string[][] = groups.map(() => []);
  const add = (earlier: string, later: string | number) => {
    const known = dependents.get(earlier);
    if (known === undefined) dependents.set(earlier, [later]);
    else known.push(later);
  };
  // A task of another plan is already running. Its remaining time is unknown.
  const own = new Set(tasks.map(({ id }) => id));
  groups.forEach((all, number) => {
    const members = all.filter((id) => own.has(id));
    unmet.set(number, members.length);
    for (const id of members) add(id, number);
  });
  for (const { id, needs = [], waits = [], waitsForGroups = [] } of tasks) {
    const earlier = [...needs, ...waits].filter((one) => own.has(one));
    const gates = waitsForGroups.filter((number) => unmet.get(number) !== 0);
    unmet.set(id, earlier.length + gates.length);
    for (const one of earlier) add(one, id);
    for (const number of gates) behind[number]?.push(id);
  }
  const isFree = (one: string | number) => {
    const left = (unmet.get(one) ?? 0) - 1;
    unmet.set(one, left);
    return left === 0;
  };
  return {
    free: tasks.filter(({ id }) => unmet.get(id) === 0).map(({ id }) => id),
    ended: (id) =>
      (dependents.get(id) ?? [])
        .filter(isFree)
        .flatMap((one) => (typeof one === 'string' ? [one] : (behind[one] ?? []).filter(isFree))),
  };
}
