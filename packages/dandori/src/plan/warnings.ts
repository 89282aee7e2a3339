import type { Diagnostic } from '../model/plan.ts';
import type { Task } from '../model/task.ts';
import type { Tool } from '../model/tool.ts';
import type { Edges } from './graph.ts';

/** The most warnings of a plan. */
export const MOST_WARNINGS = 100;
const NONE: readonly never[] = [];

interface DeadOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Tasks whose results the answer uses, if the answer was written together with the plan. */
  readonly answerUses?: ReadonlySet<string> | undefined;
}

/**
 * Reads whose result no task uses. A read with an expectation counts as used, because it checks something. If
 * the answer is not written yet, it is assumed to use the last tasks of the plan. A user who asks for the
 * weather in three cities gets three such tasks.
 */
export function deadSteps(
  tasks: readonly Task[],
  edges: Edges,
  { tools, answerUses }: DeadOptions,
): Diagnostic[] {
  const used = new Set<string>();
  for (const needs of edges.values()) for (const id of needs.keys()) used.add(id);
  const end = answerUses === undefined ? tasks.findLastIndex(({ id }) => used.has(id)) + 1 : tasks.length;
  const found: Diagnostic[] = [];
  for (const { id, operation, expect } of tasks.slice(0, end)) {
    if (used.has(id) || answerUses?.has(id) === true || expect !== undefined) continue;
    if (tools.get(operation)?.effect !== 'read') continue;
    const message = `nothing uses the result of "${id}", which only reads`;
    found.push({ code: 'dead-step', task: id, message, hint: 'remove it, or use its result' });
  }
  return found;
}

interface NeedlessOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly dropsNeedless?: boolean;
}

/**
 * Models often write `after` between reads, which would serialize calls that could run in parallel. Between
 * two reads an `after` only costs time, unless it is a gate: the first may fail its expectation, and a write
 * may depend on the second. An `after` that is no gate is dropped from the model's plans. In a user's plan it
 * is only a warning.
 */
export function dropNeedless(
  tasks: readonly Task[],
  edges: Edges,
  { tools, dropsNeedless }: NeedlessOptions,
): { warnings: Diagnostic[]; notes: string[] } {
  if (!tasks.some(({ after = NONE }) => after.length > 0)) return { warnings: [], notes: [] };
  const reads = new Set<string>();
  const expects = new Set<string>();
  for (const { id, operation, expect } of tasks) {
    if (tools.get(operation)?.effect === 'read') reads.add(id);
    if (expect !== undefined) expects.add(id);
  }
  const beforeWrites = leadingToWrites(edges, reads);
  const warnings: Diagnostic[] = [];
  const notes: string[] = [];
  for (const { id, after = NONE } of tasks) {
    if (warnings.length >= MOST_WARNINGS) break;
    if (after.length === 0 || !reads.has(id) || beforeWrites.has(id)) continue;
    const needs = edges.get(id);
    for (const [index, target] of after.entries()) {
      if (!reads.has(target) || expects.has(target) || needs?.get(target)?.why !== 'after') continue;
      if (dropsNeedless === true) {
        needs.delete(target);
        notes.push(`${needless(id, target)}: the wait is dropped`);
      } else if (warnings.length < MOST_WARNINGS) {
        const message = needless(id, target);
        warnings.push({ code: 'needless-after', task: id, path: ['after', index], message });
      }
    }
  }
  return { warnings, notes };
}

function needless(id: string, target: string): string {
  return `"${id}" waits for "${target}", although both only read and it does not use its result`;
}

/** Every task that a write depends on, directly or not. */
function leadingToWrites(edges: Edges, reads: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  const open: string[] = [];
  for (const id of edges.keys()) if (!reads.has(id)) open.push(id);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const id of edges.get(next)?.keys() ?? []) {
      if (found.has(id)) continue;
      found.add(id);
      open.push(id);
    }
  }
  return found;
}
