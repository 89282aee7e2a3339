import { assertNever } from '../model/error.ts';
import type { Diagnostic } from '../model/plan.ts';
import type { OrderRule } from '../model/settings.ts';
import { isStep, type Ref, type Task } from '../model/task.ts';
import type { KnownTasks } from './known-tasks.ts';
import { writeRef } from './refs.ts';

/** From a task to the tasks it waits for. */
export type Graph = ReadonlyMap<string, ReadonlySet<string> | ReadonlyMap<string, unknown>>;

interface Sorted {
  /**
   * The ids in written order, except that the dependencies of a task come before it. Forward references are
   * rare, so this is nearly always the written order. Incomplete if there is a cycle.
   */
  readonly order: string[];
  /** One cycle: each id waits for the next, and the last for the first. Undefined if there is none. */
  readonly cycle: string[] | undefined;
}

export function sort(graph: Graph): Sorted {
  const order: string[] = [];
  const placed = new Set<string>();
  for (const [root, targets] of graph) {
    if (placed.has(root)) continue;
    // The usual case: the task is written after all its dependencies.
    if (isEachPlaced(targets.keys(), { placed, graph })) {
      placed.add(root);
      order.push(root);
      continue;
    }
    const cycle = placeWithTargets(root, { graph, placed, order });
    if (cycle !== undefined) return { order, cycle };
  }
  return { order, cycle: undefined };
}

interface Placing {
  readonly graph: Graph;
  readonly placed: Set<string>;
  readonly order: string[];
}

/**
 * Depth-first search with an explicit stack, because a chain of 100,000 tasks would overflow the call stack.
 * Returns the cycle that it finds, if any.
 */
function placeWithTargets(root: string, { graph, placed, order }: Placing): string[] | undefined {
  const path: { id: string; targets: Iterator<string> }[] = [];
  const onPath = new Set<string>();
  const enter = (id: string) => {
    path.push({ id, targets: (graph.get(id) ?? new Set<string>()).keys() });
    onPath.add(id);
  };
  enter(root);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const { value: target, done } = top.targets.next();
    if (done === true) {
      path.pop();
      onPath.delete(top.id);
      placed.add(top.id);
      order.push(top.id);
    } else if (onPath.has(target)) {
      return path.slice(path.findIndex(({ id }) => id === target)).map(({ id }) => id);
    } else if (!placed.has(target) && graph.has(target)) enter(target);
  }
  return undefined;
}

/** A task outside the graph has ended. */
function isEachPlaced(ids: Iterable<string>, { placed, graph }: Omit<Placing, 'order'>): boolean {
  for (const id of ids) if (!placed.has(id) && graph.has(id)) return false;
  return true;
}

/**
 * Why a task waits for another. Only an `after` can sometimes be dropped; a Ref and an order rule cannot.
 */
export type Need =
  | { readonly why: 'ref'; readonly path: readonly (string | number)[]; readonly ref: Ref }
  | { readonly why: 'after' }
  | { readonly why: 'order'; readonly rule: OrderRule };

/** From each task to its dependencies. */
export type Edges = Map<string, Map<string, Need>>;

/** A line of `check --explain`: the task, the task it waits for, and the reason. */
export interface Reason {
  readonly task: string;
  readonly text: string;
}

export const AFTER: Need = { why: 'after' };

export function describeNeed(need: Need, target: string): string {
  switch (need.why) {
    case 'ref':
      return `its args.${need.path.join('.')} uses ${writeRef(need.ref)}`;
    case 'after':
      return `it says after: ${target}`;
    case 'order':
      return `${need.rule.after} comes after ${need.rule.before}`;
    default:
      return assertNever(need);
  }
}

/** An unfinished step of an earlier list. */
interface OpenStep {
  readonly needs: readonly string[];
  /** Its tasks that have not ended. */
  readonly tasks: readonly string[];
  /** The parent step. */
  readonly step?: string | undefined;
}

export type OpenSteps = ReadonlyMap<string, OpenStep>;

const NONE: OpenSteps = new Map();

/**
 * The tasks of a step start no earlier than the step itself could, whenever they were planned. Tasks written
 * after the step rely on everything before it being done.
 */
export function inheritNeeds(tasks: readonly Task[], edges: Edges, open: OpenSteps = NONE): void {
  const stepOf = stepsOf(tasks, open);
  const own = new Map([...edges].map(([id, needs]) => [id, [...needs.keys()]]));
  const needsOf = (step: string) => own.get(step) ?? open.get(step)?.needs ?? [];
  for (const { id } of tasks) {
    const needs = edges.get(id);
    for (const step of above(id, stepOf)) {
      for (const need of needsOf(step)) {
        const isInside = need === step || above(need, stepOf).has(step);
        if (need !== id && !isInside && needs?.has(need) === false) needs.set(need, AFTER);
      }
    }
  }
}

/** A step ends when its tasks have ended, so it waits for them as for its dependencies. */
export function withSteps(edges: Edges, tasks: readonly Task[], open: OpenSteps = NONE): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [id, needs] of edges) graph.set(id, new Set(needs.keys()));
  for (const [id, step] of open) if (!graph.has(id)) graph.set(id, new Set([...step.needs, ...step.tasks]));
  // A failed step is open again if it gets a new task.
  for (const [id, step] of stepsOf(tasks, NONE)) graph.set(step, (graph.get(step) ?? new Set()).add(id));
  return graph;
}

/** The step of each task. A task that names something other than a step belongs to none. */
function stepsOf(tasks: readonly Task[], open: OpenSteps): Map<string, string> {
  const calls = new Set(tasks.filter((task) => !isStep(task)).map(({ id }) => id));
  const found = new Map<string, string>();
  for (const [id, { step }] of open) if (step !== undefined) found.set(id, step);
  for (const { id, step } of tasks) if (step !== undefined && !calls.has(step)) found.set(id, step);
  return found;
}

/** All steps that contain a task, innermost first. Stops if steps contain each other. */
function above(id: string, stepOf: ReadonlyMap<string, string>): Set<string> {
  const found = new Set<string>();
  for (let step = stepOf.get(id); step !== undefined && !found.has(step); step = stepOf.get(step))
    found.add(step);
  return found;
}

interface Ordering {
  /**
   * An edge is added for each rule that the plan follows, so that dropping an `after` later cannot break the
   * rule.
   */
  readonly edges: Edges;
  readonly rules: readonly OrderRule[];
  readonly done: KnownTasks;
  readonly open: readonly Task[];
}

/**
 * Enforces order rules. If the plan follows a rule, the rule becomes an edge; otherwise a diagnostic. A task
 * follows a rule if it depends on the earlier task, directly or not, or is written after it.
 */
export function orderEdges(tasks: readonly Task[], { edges, rules, done, open }: Ordering): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const rule of rules) {
    if (!tasks.some(({ operation }) => operation === rule.after)) continue;
    const needed = neededBy(tasks, edges, rule.before);
    const alreadyDone = [...done.values()].includes(rule.before);
    const isInPlan = tasks.some(({ operation }) => operation === rule.before);
    let latest = alreadyDone ? undefined : open.find(({ operation }) => operation === rule.before)?.id;
    for (const task of tasks) {
      if (task.operation === rule.before) latest = task.id;
      if (task.operation !== rule.after) continue;
      const earlier = needed.get(task.id) ?? latest;
      if (earlier !== undefined) addEdge(edges, task.id, { to: earlier, rule });
      else if (!alreadyDone) diagnostics.push(broken(task, rule, isInPlan));
    }
  }
  return diagnostics;
}

/** For each task that depends on this operation, directly or not, one task with the operation. */
function neededBy(tasks: readonly Task[], edges: Edges, operation: string): Map<string, string> {
  const dependents = new Map<string, string[]>();
  for (const [id, needs] of edges) {
    for (const need of needs.keys()) {
      const known = dependents.get(need);
      if (known === undefined) dependents.set(need, [id]);
      else known.push(id);
    }
  }
  const found = new Map<string, string>();
  const reached = tasks.filter((task) => task.operation === operation).map(({ id }) => ({ id, from: id }));
  for (let next = reached.pop(); next !== undefined; next = reached.pop()) {
    for (const id of dependents.get(next.id) ?? []) {
      if (found.has(id)) continue;
      found.set(id, next.from);
      reached.push({ id, from: next.from });
    }
  }
  return found;
}

function addEdge(edges: Edges, from: string, { to, rule }: { to: string; rule: OrderRule }): void {
  const needs = edges.get(from) ?? new Map();
  edges.set(from, needs);
  const known = needs.get(to);
  if (known === undefined || known.why === 'after') needs.set(to, { why: 'order', rule });
}

function broken(task: Task, rule: OrderRule, comesLater: boolean): Diagnostic {
  return {
    code: 'order-rule',
    task: task.id,
    path: ['operation'],
    message: `${rule.after} may only be called after ${rule.before}`,
    hint: `${comesLater ? 'move' : 'add a task with'} ${rule.before} before "${task.id}"`,
  };
}
