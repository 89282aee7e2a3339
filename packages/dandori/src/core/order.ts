import type { Diagnostic } from '../domain/diagnostic.ts';
import type { OrderRule } from '../domain/settings.ts';
import type { Task } from '../domain/task.ts';
import type { Edges } from './edges.ts';

interface Ordering {
  /** Edges are added here where a rule is kept, so that nothing that is dropped later can break it. */
  readonly edges: Edges;
  readonly rules: readonly OrderRule[];
  readonly done: ReadonlyMap<string, string>;
  readonly open: readonly Task[];
}

/**
 * Order rules are enforced: a rule that the plan keeps becomes an edge, one that it breaks a diagnostic. It is kept
 * where a task needs the earlier one, at whatever distance, and else where it is written behind it.
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

/** For each task that needs one with this operation, directly or through others, one such. */
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
