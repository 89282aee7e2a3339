import type { Task } from '../domain/task.ts';
import { AFTER, type Edges } from './edges.ts';
import type { Graph } from './graph.ts';
import { isStep } from './step.ts';

/** A step of an earlier list that has not ended. */
export interface OpenStep {
  readonly needs: readonly string[];
  /** Its tasks that have not ended. */
  readonly tasks: readonly string[];
  /** The step that it belongs to itself. */
  readonly step?: string | undefined;
}

export type OpenSteps = ReadonlyMap<string, OpenStep>;

const NONE: OpenSteps = new Map();

/**
 * The tasks of a step start no sooner than it could itself, whoever wrote them and when: what stands behind the step
 * counts on everything before it being done.
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

/** A step has ended when its tasks have, so it waits for them like for what it needs. */
export function withSteps(edges: Edges, tasks: readonly Task[], open: OpenSteps = NONE): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [id, needs] of edges) graph.set(id, new Set(needs.keys()));
  for (const [id, step] of open) if (!graph.has(id)) graph.set(id, new Set([...step.needs, ...step.tasks]));
  // One that has failed is open again with a new task.
  for (const [id, step] of stepsOf(tasks, NONE)) graph.set(step, (graph.get(step) ?? new Set()).add(id));
  return graph;
}

/** The step of each task; what names something that is no step belongs to none. */
function stepsOf(tasks: readonly Task[], open: OpenSteps): Map<string, string> {
  const calls = new Set(tasks.filter((task) => !isStep(task)).map(({ id }) => id));
  const found = new Map<string, string>();
  for (const [id, { step }] of open) if (step !== undefined) found.set(id, step);
  for (const { id, step } of tasks) if (step !== undefined && !calls.has(step)) found.set(id, step);
  return found;
}

/** All steps that a task is in, from the nearest on; ends where they are in each other. */
function above(id: string, stepOf: ReadonlyMap<string, string>): Set<string> {
  const found = new Set<string>();
  for (let step = stepOf.get(id); step !== undefined && !found.has(step); step = stepOf.get(step))
    found.add(step);
  return found;
}
