import type { Diagnostic } from '../model/plan.ts';
import type { Task } from '../model/task.ts';
import type { Tool } from '../model/tool.ts';
import type { Edges } from './graph.ts';

interface DeadOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Tasks whose results the answer uses, if the answer was written together with the plan. */
  readonly answerUses?: ReadonlySet<string>;
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
  const answer = answerUses ?? new Set(tasks.slice(lastUsed(tasks, used) + 1).map(({ id }) => id));
  return tasks
    .filter(
      ({ id, operation, expect }) =>
        !used.has(id) && !answer.has(id) && expect === undefined && tools.get(operation)?.effect === 'read',
    )
    .map(({ id }) => ({
      code: 'dead-step',
      task: id,
      message: `nothing uses the result of "${id}", which only reads`,
      hint: 'remove it, or use its result',
    }));
}

function lastUsed(tasks: readonly Task[], used: ReadonlySet<string>): number {
  return tasks.findLastIndex(({ id }) => used.has(id));
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
  if (!tasks.some(({ after = [] }) => after.length > 0)) return { warnings: [], notes: [] };
  const reads = new Set(
    tasks.filter(({ operation }) => tools.get(operation)?.effect === 'read').map(({ id }) => id),
  );
  const beforeWrites = leadingToWrites(edges, reads);
  const expects = new Set(tasks.filter(({ expect }) => expect !== undefined).map(({ id }) => id));
  const warnings: Diagnostic[] = [];
  const notes: string[] = [];
  for (const { id, after = [] } of tasks) {
    const needs = edges.get(id);
    after.forEach((target, index) => {
      const areReads = reads.has(id) && reads.has(target);
      const isGate = expects.has(target) || beforeWrites.has(id);
      if (needs?.get(target)?.why !== 'after' || !areReads || isGate) return;
      const message = `"${id}" waits for "${target}", although both only read and it does not use its result`;
      if (dropsNeedless === true) {
        needs.delete(target);
        notes.push(`${message}: the wait is dropped`);
      } else warnings.push({ code: 'needless-after', task: id, path: ['after', index], message });
    });
  }
  return { warnings, notes };
}

/** Every task that a write depends on, directly or not. */
function leadingToWrites(edges: Edges, reads: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  const open = [...edges.keys()].filter((id) => !reads.has(id));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const id of edges.get(next)?.keys() ?? []) {
      if (found.has(id)) continue;
      found.add(id);
      open.push(id);
    }
  }
  return found;
}
