import type { Diagnostic } from '../domain/diagnostic.ts';
import type { OrderRule } from '../domain/settings.ts';
import type { Task } from '../domain/task.ts';
import type { Edges } from './edges.ts';

interface Ordering {
  /** Edges are added here where the written order already keeps a rule and only the graph does not say so. */
  readonly edges: Edges;
  readonly rules: readonly OrderRule[];
  readonly done: ReadonlyMap<string, string>;
}

/** Order rules are enforced: a rule that the plan keeps becomes an edge, one that it breaks a diagnostic. */
export function orderEdges(tasks: readonly Task[], { edges, rules, done }: Ordering): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const rule of rules) {
    const alreadyDone = [...done.values()].includes(rule.before);
    const isInPlan = tasks.some(({ operation }) => operation === rule.before);
    let latest: string | undefined;
    for (const task of tasks) {
      if (task.operation === rule.before) latest = task.id;
      if (task.operation !== rule.after) continue;
      if (latest !== undefined) addEdge(edges, task.id, { to: latest, rule });
      else if (!alreadyDone) diagnostics.push(broken(task, rule, isInPlan));
    }
  }
  return diagnostics;
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
