import type { Diagnostic } from '../domain/diagnostic.ts';
import type { CheckedTask } from '../domain/event.ts';
import type { Mode } from '../domain/mode.ts';
import type { OrderRule } from '../domain/settings.ts';
import { TASK_ID, type Task } from '../domain/task.ts';
import type { Tool } from '../domain/tool.ts';
import { checkArguments } from './arguments.ts';
import { executionOrder, findCycle } from './graph.ts';
import { hazards } from './hazards.ts';
import { nearest } from './nearest.ts';
import { orderEdges } from './order.ts';
import { expressionProblem } from './reference.ts';
import type { SchemaCheck } from './schema.ts';

/** What a plan is compiled against. */
export interface Surroundings {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly check: SchemaCheck;
  readonly mode: Mode;
  readonly order: readonly OrderRule[];
  /** How many tasks this plan may have. */
  readonly maxTasks: number;
  /** Tasks of earlier plans of the run that have succeeded: id → operation. */
  readonly done: ReadonlyMap<string, string>;
  /** Servers whose tools are missing, with the reason, to tell a misspelt name from a dead server. */
  readonly missing: ReadonlyMap<string, string>;
}

export type Compiled =
  | { ok: true; tasks: CheckedTask[]; notes: string[] }
  | { ok: false; diagnostics: Diagnostic[] };

/** More than these help nobody, and to look for what each of 10,000 misspelt names may mean would take minutes. */
const MAX_DIAGNOSTICS = 100;

/** Checks a plan like a program, before its first effect. All that is wrong is found in one go. */
export function compile(tasks: readonly Task[], surroundings: Surroundings): Compiled {
  if (tasks.length === 0) {
    return {
      ok: false,
      diagnostics: [{ code: 'empty-plan', message: 'the plan has no tasks', hint: 'add at least one task' }],
    };
  }
  const diagnostics = [...checkSize(tasks, surroundings), ...checkIds(tasks, surroundings)];
  const known = new Set([...tasks.map(({ id }) => id), ...surroundings.done.keys()]);
  const graph = new Map<string, string[]>();
  for (const task of tasks) {
    if (diagnostics.length >= MAX_DIAGNOSTICS) break;
    const needs = new Set<string>();
    diagnostics.push(
      ...checkOperation(task, surroundings),
      ...checkExpect(task),
      ...checkAfter(task, known, needs),
      ...checkArguments(task, { ...surroundings, known, needs }),
    );
    graph.set(task.id, [...needs]);
  }
  diagnostics.push(...orderEdges(tasks, { graph, rules: surroundings.order, done: surroundings.done }));
  diagnostics.push(...checkCycle(graph));
  if (diagnostics.length === 0) return accepted(tasks, graph, surroundings);
  return { ok: false, diagnostics: diagnostics.slice(0, MAX_DIAGNOSTICS) };
}

function accepted(
  tasks: readonly Task[],
  graph: ReadonlyMap<string, string[]>,
  { tools, done }: Surroundings,
): Compiled {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const accesses = executionOrder(graph).map((id) => {
    const tool = tools.get(byId.get(id)?.operation ?? '');
    return { id, effect: tool?.effect ?? ('write' as const), resource: tool?.server ?? '' };
  });
  const effects = new Map(accesses.map(({ id, effect }) => [id, effect]));
  const waits = hazards(accesses);
  const checked = tasks.map(({ id }): CheckedTask => {
    const needs = (graph.get(id) ?? []).filter((need) => !done.has(need));
    const needed = new Set(needs);
    const waitsFor = (waits.get(id) ?? []).filter((wait) => !needed.has(wait));
    return {
      id,
      effect: effects.get(id) ?? 'write',
      ...(needs.length > 0 && { needs }),
      ...(waitsFor.length > 0 && { waits: waitsFor }),
    };
  });
  return { ok: true, tasks: checked, notes: [] };
}

function checkSize(tasks: readonly Task[], { maxTasks }: Surroundings): Diagnostic[] {
  if (tasks.length <= maxTasks) return [];
  const message = `the plan has ${tasks.length} tasks, and ${maxTasks} are allowed`;
  return [{ code: 'too-many-tasks', message, hint: 'make fewer tasks, or raise planning.max_subtasks' }];
}

function checkIds(tasks: readonly Task[], { done }: Surroundings): Diagnostic[] {
  const seen = new Set(done.keys());
  const diagnostics: Diagnostic[] = [];
  for (const { id } of tasks) {
    if (!TASK_ID.test(id)) {
      const hint = 'an id begins with a letter and holds letters, digits, _ and -';
      diagnostics.push({
        code: 'invalid-id',
        task: id,
        path: ['id'],
        message: `"${id}" cannot be an id`,
        hint,
      });
    }
    if (seen.has(id)) {
      const message = `there are two tasks with the id "${id}"`;
      diagnostics.push({
        code: 'duplicate-id',
        task: id,
        path: ['id'],
        message,
        hint: 'give each task an id of its own',
      });
    }
    seen.add(id);
  }
  return diagnostics;
}

function checkOperation({ id, operation }: Task, { tools, missing }: Surroundings): Diagnostic[] {
  if (tools.has(operation)) return [];
  const server = operation.split('.')[0] ?? '';
  const reason = missing.get(server);
  if (reason !== undefined) {
    const message = `"${operation}" is not there: the server "${server}" is not available (${reason})`;
    return [{ code: 'unknown-operation', task: id, path: ['operation'], message }];
  }
  const suggestion = nearest(operation, tools.keys());
  return [
    {
      code: 'unknown-operation',
      task: id,
      path: ['operation'],
      message: `there is no tool "${operation}"`,
      hint: suggestion === undefined ? '`dandori tools` lists them all' : `did you mean "${suggestion}"?`,
    },
  ];
}

function checkExpect({ id, expect }: Task): Diagnostic[] {
  const problem = expect === undefined ? undefined : expressionProblem(expect);
  if (problem === undefined) return [];
  const message = `the expected outcome is no JMESPath expression: ${problem}`;
  return [{ code: 'invalid-expect', task: id, path: ['expect'], message }];
}

function checkAfter({ id, after = [] }: Task, known: ReadonlySet<string>, needs: Set<string>): Diagnostic[] {
  return after.flatMap((target, index): Diagnostic[] => {
    const path = ['after', index];
    if (target === id)
      return [{ code: 'self-reference', task: id, path, message: `"${id}" waits for itself` }];
    if (known.has(target)) {
      needs.add(target);
      return [];
    }
    const suggestion = nearest(target, known);
    return [
      {
        code: 'unknown-after',
        task: id,
        path,
        message: `"${id}" waits for "${target}", which is not in the plan`,
        ...(suggestion !== undefined && { hint: `did you mean "${suggestion}"?` }),
      },
    ];
  });
}

function checkCycle(graph: ReadonlyMap<string, string[]>): Diagnostic[] {
  const cycle = findCycle(graph);
  const first = cycle?.[0];
  if (cycle === undefined || first === undefined) return [];
  const message = `these tasks wait for each other: ${[...cycle, first].join(' → ')}`;
  return [{ code: 'cycle', task: first, message, hint: 'take one of these references away' }];
}
