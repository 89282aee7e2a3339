import { messageOf } from '../model/error.ts';
import type { CheckedTask } from '../model/event.ts';
import type { JsonObject } from '../model/json.ts';
import { readsResultOf } from '../model/own-tools.ts';
import type { Access, Diagnostic, Estimate } from '../model/plan.ts';
import type { Mode, OrderRule } from '../model/settings.ts';
import { isStep, TASK_ID, type Task } from '../model/task.ts';
import { nearest } from '../model/text.ts';
import { type SchemaCheck, type Tool, withinOneLimit } from '../model/tool.ts';
import { type Work, weigh } from '../model/work-budget.ts';
import { checkArguments } from './check-arguments.ts';
import { type Budget, estimateOf, mayBeLate, overBudget } from './estimate.ts';
import {
  AFTER,
  type Edges,
  inheritNeeds,
  type Need,
  type OpenSteps,
  orderEdges,
  sort,
  withSteps,
} from './graph.ts';
import type { Group } from './hazards.ts';
import { AddedTasks, type KnownTasks } from './known-tasks.ts';
import { expressionProblem } from './refs.ts';
import { type Schedule, scheduleTasks } from './schedule.ts';
import { missingIn } from './schema/path.ts';
import { deadSteps, dropNeedless } from './warnings.ts';

/** The context in which a plan is compiled. */
export interface CompileContext {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly check: SchemaCheck;
  /** Caches tasks that passed their checks. They are not checked again. */
  readonly checked?: CheckedTasks | undefined;
  readonly mode: Mode;
  readonly order: readonly OrderRule[];
  /** The most tasks that this plan may have. */
  readonly maxTasks: number;
  /** The most steps. Default: the limit of tasks. */
  readonly maxSteps?: number;
  /** Succeeded tasks of the run's earlier plans: id → operation. */
  readonly done: KnownTasks;
  /** Unfinished tasks of earlier plans. This plan counts as written after them. */
  readonly open?: readonly Task[];
  /** Unfinished steps of earlier plans, and what they wait for. */
  readonly steps?: OpenSteps;
  /** Servers whose tools are missing, with the reason. Tells a misspelt name from a server that is down. */
  readonly missing: ReadonlyMap<string, string>;
  /** The time and money that the run has left. Without it, neither is checked. */
  readonly budget?: Budget;
  /** True for plans of the model: an `after` that no Ref and no effect needs is dropped. */
  readonly dropsNeedless?: boolean;
  /** Tasks whose results the answer uses, if the answer was written together with the plan. */
  readonly answerUses?: ReadonlySet<string>;
  /** How long calls of this tool have taken so far. */
  readonly expectedMs?: (operation: string) => number | undefined;
}

export type Compiled =
  | {
      ok: true;
      tasks: CheckedTask[];
      groups: Group[];
      /** What the tasks access, if it depends on arguments that an answer may change. */
      accesses?: Access[];
      /** Warnings, which do not reject the plan. */
      warnings: Diagnostic[];
      notes: string[];
      /** Computed on request: the run itself does not need it. */
      estimate: () => Estimate;
      reasonsOf: Schedule['reasonsOf'];
    }
  | { ok: false; diagnostics: Diagnostic[] };

/** More diagnostics do not help, and finding suggestions for 10,000 misspelt names takes minutes. */
const MAX_DIAGNOSTICS = 100;

/** Checks a whole plan before its first effect and reports all problems at once. */
export function compile(tasks: readonly Task[], context: CompileContext): Compiled {
  if (tasks.length === 0) {
    return {
      ok: false,
      diagnostics: [{ code: 'empty-plan', message: 'the plan has no tasks', hint: 'add at least one task' }],
    };
  }
  const { done, open = [] } = context;
  const operations = new AddedTasks(done);
  for (const { id, operation } of open) operations.set(id, operation);
  const doubled = checkIds(tasks, operations);
  const diagnostics = [...checkSize(tasks, context), ...doubled].slice(0, MAX_DIAGNOSTICS);
  const isFull = () => diagnostics.length >= MAX_DIAGNOSTICS;
  const add = (found: Iterable<Diagnostic>) => {
    if (isFull()) return;
    for (const diagnostic of found) {
      diagnostics.push(diagnostic);
      if (isFull()) return;
    }
  };
  const warnings: Diagnostic[] = [];
  const edges: Edges = new Map();
  const expected: Work = { left: MOST_EXPECTED };
  const checking = {
    ...context,
    check: withinOneLimit(context.check),
    expected,
    operations,
    warnings,
  };
  const repeated = new Set(doubled.map(({ index }) => index));
  for (const [index, task] of tasks.entries()) {
    if (isFull()) break;
    const known = repeated.has(index) ? undefined : stillRight(task, checking);
    if (known !== undefined) {
      edges.set(task.id, new Map(known.needs));
      warnings.push(...known.warnings);
      continue;
    }
    const [errors, warned] = [diagnostics.length, warnings.length];
    const needs = new Map<string, Need>();
    const here = (found: Iterable<Diagnostic>) => (repeated.has(index) ? placed(found, index) : found);
    add(here(checkOperation(task, context)));
    add(here(checkExpect(task, checking)));
    add(here(checkArguments(task, checking, needs)));
    add(here(checkReading(task, checking, needs)));
    if (task.after !== undefined) add(here(checkAfter(task, operations, needs)));
    edges.set(task.id, needs);
    if (diagnostics.length === errors)
      context.checked?.set(task, found(task, { needs, warnings: warnings.slice(warned), checking }));
  }
  // If two tasks share an id, the graph is wrong, and its diagnostics would only confuse.
  const isClear = !doubled.some(({ code }) => code === 'duplicate-id');
  if (isClear) add(orderEdges(tasks, { edges, rules: context.order, done, open }));
  const { steps } = context;
  const hasSteps = (steps?.size ?? 0) > 0 || tasks.some(({ step }) => step !== undefined);
  if (hasSteps && isClear) inheritNeeds(tasks, edges, steps);
  const { order, cycle } = sort(hasSteps ? withSteps(edges, tasks, steps) : edges);
  if (isClear) add(cycleProblem(cycle));
  if (diagnostics.length > 0) return { ok: false, diagnostics };
  const own = hasSteps ? order.filter((id) => edges.has(id)) : order;
  return accepted(tasks, { edges, order: own, warnings }, context);
}

/** The findings of tasks that are valid on their own, in any list. */
export type CheckedTasks = WeakMap<Task, RightTask>;

interface RightTask {
  readonly mode: Mode;
  readonly needs: ReadonlyMap<string, Need>;
  readonly warnings: readonly Diagnostic[];
  /** Its tool, and the tools of the tasks it depends on. */
  readonly tools: readonly {
    readonly task: string;
    readonly operation: string;
    readonly tool: Tool | undefined;
  }[];
}

type Checking = CompileContext & { readonly operations: KnownTasks };

function found(
  { id, operation }: Task,
  { needs, warnings, checking }: { checking: Checking } & Pick<RightTask, 'needs' | 'warnings'>,
): RightTask {
  const { mode, tools, operations } = checking;
  const used = [[id, operation], ...[...needs.keys()].map((need) => [need, operations.get(need) ?? ''])];
  return {
    mode,
    needs: new Map(needs),
    warnings,
    tools: used.map(([task = '', name = '']) => ({ task, operation: name, tool: tools.get(name) })),
  };
}

/** Undefined if the task was not checked before, or if something that it was checked against has changed. */
function stillRight(task: Task, { checked, mode, tools, operations }: Checking): RightTask | undefined {
  const known = checked?.get(task);
  const isRight = known?.tools.every(
    ({ task: id, operation, tool }) => operations.get(id) === operation && tools.get(operation) === tool,
  );
  return isRight === true && known?.mode === mode ? known : undefined;
}

/** An id alone would point to the first task with this id. */
function* placed(found: Iterable<Diagnostic>, index: number): Generator<Diagnostic> {
  for (const diagnostic of found) yield { ...diagnostic, index };
}

/** For a plan without mistakes: computes the dependencies and the estimate. */
function accepted(
  tasks: readonly Task[],
  { edges, order, warnings }: { edges: Edges; order: readonly string[]; warnings: Diagnostic[] },
  context: CompileContext,
): Compiled {
  const tooMuch = overBudget(tasks, context);
  if (tooMuch.length > 0) return { ok: false, diagnostics: tooMuch };
  const dead = deadSteps(tasks, edges, context);
  const loosened = dropNeedless(tasks, edges, context);
  const schedule = scheduleTasks(tasks, { edges, order }, context);
  const late = mayBeLate(tasks, schedule, context);
  return {
    ok: true,
    tasks: schedule.tasks,
    groups: schedule.groups,
    ...(schedule.accesses.length > 0 && { accesses: schedule.accesses }),
    warnings: [...warnings, ...dead, ...loosened.warnings, ...late].slice(0, MAX_DIAGNOSTICS),
    notes: loosened.notes,
    estimate: () => estimateOf(tasks, schedule, context),
    reasonsOf: schedule.reasonsOf,
  };
}

/** Steps are counted separately, because a plan of steps only must leave room for their tasks. */
function checkSize(
  planned: readonly Task[],
  { maxTasks, maxSteps = maxTasks }: CompileContext,
): Diagnostic[] {
  const steps = planned.filter(isStep).length;
  const tasks = planned.length - steps;
  return [...checkCount('tasks', tasks, maxTasks), ...checkCount('steps', steps, maxSteps)];
}

function checkCount(what: string, count: number, most: number): Diagnostic[] {
  if (count <= most) return [];
  const message = `the plan has ${count} ${what}, and ${most} are allowed`;
  return [{ code: 'too-many-tasks', message, hint: `make fewer ${what}, or raise planning.max_subtasks` }];
}

/** Adds the tasks of the plan to the operations that Refs can name. */
function checkIds(tasks: readonly Task[], operations: AddedTasks): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const [index, { id, operation }] of tasks.entries()) {
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
    if (operations.has(id)) {
      const message = `there are two tasks with the id "${id}"`;
      diagnostics.push({
        code: 'duplicate-id',
        task: id,
        index,
        path: ['id'],
        message,
        hint: 'give each task its own id',
      });
    }
    operations.set(id, operation);
  }
  return diagnostics;
}

function checkOperation({ id, operation }: Task, { tools, missing }: CompileContext): Diagnostic[] {
  if (tools.has(operation)) return [];
  const server = operation.split('.')[0] ?? '';
  const reason = missing.get(server);
  if (reason !== undefined) {
    const message =
      reason === ''
        ? `"${operation}" is not there: the server "${server}" is not available`
        : `"${operation}" is not there: the server "${server}" is not available (${reason})`;
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

function checkExpect(
  { id, operation, expect }: Task,
  {
    tools,
    check,
    warnings,
    expected,
  }: CompileContext & { readonly warnings: Diagnostic[]; readonly expected: Work },
): Diagnostic[] {
  if (expect === undefined) return [];
  if (typeof expect !== 'string') return checkExpectedSchema(id, expect, { check, expected });
  const problem = expressionProblem(expect);
  if (problem !== undefined) {
    const message = `\`expect\` is not a JMESPath expression: ${problem}`;
    return [{ code: 'invalid-expect', task: id, path: ['expect'], message }];
  }
  const schema = tools.get(operation)?.outputSchema;
  const missing = schema === undefined ? undefined : missingIn(schema, expect);
  if (missing === undefined) return [];
  const message = `\`expect\` uses what ${operation} never returns: ${missing.message}`;
  const found: Diagnostic = {
    code: 'unknown-field',
    task: id,
    path: ['expect'],
    message,
    ...didYouMean(missing.suggestion),
  };
  if (missing.isSought) return [found];
  warnings.push(found);
  return [];
}

function checkExpectedSchema(
  id: string,
  schema: JsonObject,
  { check, expected }: { readonly check: SchemaCheck; readonly expected: Work },
): Diagnostic[] {
  const size = sizeProblem(schema, expected);
  const problem = size ?? check.problem?.(schema);
  if (problem === undefined) return [];
  const message = size === undefined ? `\`expect\` is not a JSON Schema: ${problem}` : `\`expect\`: ${size}`;
  return [{ code: 'invalid-expect', task: id, path: ['expect'], message }];
}

/**
 * Limits the total size of the expected schemas. Each is compiled, which is slow, and a plan may have
 * thousands of tasks.
 */
const MOST_EXPECTED = 10_000;

function sizeProblem(schema: JsonObject, expected: Work): string | undefined {
  try {
    weigh(schema, expected, () => 'together with those of the other tasks its schema is too large');
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** A task that reads a result of the same plan waits for it, as with a Ref. */
function checkReading(
  task: Task,
  { tools, operations }: CompileContext & { operations: KnownTasks },
  needs: Map<string, Need>,
): Diagnostic[] {
  const target = readsResultOf(task, tools);
  if (target === undefined || needs.has(target)) return [];
  const path = ['args', 'task'];
  if (target === task.id)
    return [{ code: 'self-reference', task: task.id, path, message: `"${task.id}" reads its own result` }];
  if (operations.has(target)) {
    needs.set(target, { why: 'ref', path: ['task'], ref: { task: target, path: '' } });
    return [];
  }
  const message = `"${task.id}" reads the result of "${target}", and no such task has succeeded`;
  return [
    { code: 'dangling-ref', task: task.id, path, message, ...didYouMean(nearest(target, operations.keys())) },
  ];
}

/** Lazy, because finding suggestions for 10,000 unknown ids takes minutes and at most 100 are reported. */
function* checkAfter(
  { id, after = [] }: Task,
  known: KnownTasks,
  needs: Map<string, Need>,
): Generator<Diagnostic> {
  for (const [index, target] of after.entries()) {
    const path = ['after', index];
    if (target === id) {
      yield { code: 'self-reference', task: id, path, message: `"${id}" waits for itself` };
      continue;
    }
    // If a Ref names the same task, the dependency is already reported, or needed anyway.
    if (needs.has(target)) continue;
    if (known.has(target)) {
      needs.set(target, AFTER);
      continue;
    }
    const message = `"${id}" waits for "${target}", which is not in the plan`;
    yield { code: 'unknown-after', task: id, path, message, ...didYouMean(nearest(target, known.keys())) };
  }
}

function didYouMean(suggestion: string | undefined): { hint?: string } {
  return suggestion === undefined ? {} : { hint: `did you mean "${suggestion}"?` };
}

function cycleProblem(cycle: readonly string[] | undefined): Diagnostic[] {
  const first = cycle?.[0];
  if (cycle === undefined || first === undefined) return [];
  const message = `these tasks wait for each other: ${[...cycle, first].join(' → ')}`;
  return [{ code: 'cycle', task: first, message, hint: 'remove one of these references' }];
}
