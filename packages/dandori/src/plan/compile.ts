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
import { type CheckedTasks, keepFindings, stillRight } from './checked-tasks.ts';
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
import { deadSteps, dropNeedless, MOST_WARNINGS } from './warnings.ts';

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
  readonly answerUses?: ReadonlySet<string> | undefined;
  /** How long calls of this tool have taken so far. */
  readonly expectedMs?: (operation: string) => number | undefined;
}

export type Compiled =
  | {
      ok: true;
      /** In written order. */
      tasks: CheckedTask[];
      groups: Group[];
      /** What the tasks access, if it depends on arguments that an answer may change. */
      accesses?: Access[] | undefined;
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
const NONE: readonly never[] = [];

/** Why the plan cannot be accepted. */
class Problems {
  readonly found: Diagnostic[];
  readonly #taskIndex: number | undefined;

  /** `taskIndex`: the position of the task that is checked, if its id does not identify it. */
  constructor(found: Diagnostic[] = [], taskIndex?: number) {
    this.found = found;
    this.#taskIndex = taskIndex;
  }

  /** Adds to the same list. Each problem names the position of its task, because another task has the same id. */
  ofTaskAt(index: number): Problems {
    return new Problems(this.found, index);
  }

  get isFull(): boolean {
    return this.found.length >= MAX_DIAGNOSTICS;
  }

  add(diagnostic: Diagnostic): void {
    if (this.isFull) return;
    this.found.push(this.#taskIndex === undefined ? diagnostic : { ...diagnostic, index: this.#taskIndex });
  }

  addAll(diagnostics: readonly Diagnostic[]): void {
    for (const diagnostic of diagnostics) this.add(diagnostic);
  }
}

/** What the checks of all tasks share. */
interface Checking extends CompileContext {
  readonly operations: KnownTasks;
  readonly warnings: Diagnostic[];
  readonly problems: Problems;
  readonly expected: Work;
}

/** Checks a whole plan before its first effect and reports all problems at once. */
export function compile(tasks: readonly Task[], context: CompileContext): Compiled {
  if (tasks.length === 0) {
    return {
      ok: false,
      diagnostics: [{ code: 'empty-plan', message: 'the plan has no tasks', hint: 'add at least one task' }],
    };
  }
  const { done, open = NONE } = context;
  const operations = new AddedTasks(done);
  for (const { id, operation } of open) operations.set(id, operation);
  const problems = new Problems();
  checkSize(tasks, context, problems);
  const repeated = checkIds(tasks, operations, problems);
  const warnings: Diagnostic[] = [];
  const edges: Edges = new Map();
  const checking: Checking = {
    ...context,
    check: withinOneLimit(context.check),
    expected: { left: MOST_EXPECTED },
    operations,
    warnings,
    problems,
  };
  for (const [index, task] of tasks.entries()) {
    if (problems.isFull) break;
    if (repeated?.has(index) === true) {
      edges.set(task.id, checkTask(task, { ...checking, problems: problems.ofTaskAt(index) }));
      continue;
    }
    const known = stillRight(task, checking);
    if (known === undefined) edges.set(task.id, checkTask(task, checking));
    else {
      edges.set(task.id, new Map(known.needs.map(({ id, need }) => [id, need])));
      warnings.push(...known.warnings);
    }
  }
  // If two tasks share an id, the graph is wrong, and its diagnostics would only confuse.
  const isClear = repeated === undefined;
  if (isClear) problems.addAll(orderEdges(tasks, { edges, rules: context.order, done, open }));
  const { steps } = context;
  const hasSteps = (steps?.size ?? 0) > 0 || tasks.some(({ step }) => step !== undefined);
  if (hasSteps && isClear) inheritNeeds(tasks, edges, steps);
  const { order, cycle } = sort(hasSteps ? withSteps(edges, tasks, steps) : edges);
  if (isClear && cycle !== undefined) problems.add(cycleProblem(cycle));
  if (problems.found.length > 0) return { ok: false, diagnostics: problems.found };
  const own = hasSteps ? order.filter((id) => edges.has(id)) : order;
  return accepted(tasks, { edges, order: own, warnings }, context);
}

/** What the task depends on. */
function checkTask(task: Task, checking: Checking): Map<string, Need> {
  const { problems, warnings } = checking;
  const [errors, warned] = [problems.found.length, warnings.length];
  const needs = new Map<string, Need>();
  checkOperation(task, checking);
  checkExpect(task, checking);
  problems.addAll(checkArguments(task, checking, needs));
  checkReading(task, checking, needs);
  checkAfter(task, checking, needs);
  if (problems.found.length === errors)
    keepFindings(
      task,
      { needs, warnings: warnings.length > warned ? warnings.slice(warned) : NONE },
      checking,
    );
  return needs;
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
    accesses: schedule.accesses.length > 0 ? schedule.accesses : undefined,
    warnings: [...warnings, ...dead, ...loosened.warnings, ...late].slice(0, MOST_WARNINGS),
    notes: loosened.notes,
    estimate: () => estimateOf(tasks, schedule, context),
    reasonsOf: schedule.reasonsOf,
  };
}

/** Steps are counted separately, because a plan of steps only must leave room for their tasks. */
function checkSize(
  planned: readonly Task[],
  { maxTasks, maxSteps = maxTasks }: CompileContext,
  problems: Problems,
): void {
  if (planned.length <= maxTasks && planned.length <= maxSteps) return;
  const steps = planned.filter(isStep).length;
  checkCount('tasks', { count: planned.length - steps, most: maxTasks }, problems);
  checkCount('steps', { count: steps, most: maxSteps }, problems);
}

function checkCount(
  what: string,
  { count, most }: { readonly count: number; readonly most: number },
  problems: Problems,
): void {
  if (count <= most) return;
  const message = `the plan has ${count} ${what}, and ${most} are allowed`;
  problems.add({
    code: 'too-many-tasks',
    message,
    hint: `make fewer ${what}, or raise planning.max_subtasks`,
  });
}

/**
 * Adds the tasks of the plan to the operations that Refs can name. Returns the places of tasks whose id another
 * task has. Undefined if there are none.
 */
function checkIds(
  tasks: readonly Task[],
  operations: AddedTasks,
  problems: Problems,
): ReadonlySet<number> | undefined {
  let repeated: Set<number> | undefined;
  for (const [index, { id, operation }] of tasks.entries()) {
    if (!TASK_ID.test(id)) {
      const message = `"${id}" cannot be an id`;
      const hint = 'an id begins with a letter and holds letters, digits, _ and -';
      problems.add({ code: 'invalid-id', task: id, path: ['id'], message, hint });
    }
    if (operations.has(id)) {
      const message = `there are two tasks with the id "${id}"`;
      const hint = 'give each task its own id';
      problems.add({ code: 'duplicate-id', task: id, index, path: ['id'], message, hint });
      repeated ??= new Set();
      repeated.add(index);
    }
    operations.set(id, operation);
  }
  return repeated;
}

function checkOperation({ id, operation }: Task, { tools, missing, problems }: Checking): void {
  if (tools.has(operation)) return;
  const at = { task: id, path: ['operation'] };
  const server = operation.split('.')[0] ?? '';
  const reason = missing.get(server);
  if (reason !== undefined) {
    const message =
      reason === ''
        ? `"${operation}" is not there: the server "${server}" is not available`
        : `"${operation}" is not there: the server "${server}" is not available (${reason})`;
    problems.add({ code: 'unknown-operation', ...at, message });
    return;
  }
  const suggestion = nearest(operation, tools.keys());
  const hint = suggestion === undefined ? '`dandori tools` lists them all' : `did you mean "${suggestion}"?`;
  problems.add({ code: 'unknown-operation', ...at, message: `there is no tool "${operation}"`, hint });
}

function checkExpect({ id, operation, expect }: Task, checking: Checking): void {
  if (expect === undefined) return;
  const { tools, warnings, problems } = checking;
  const at = { task: id, path: ['expect'] };
  const problem = typeof expect === 'string' ? queryProblem(expect) : schemaProblem(expect, checking);
  if (problem !== undefined) problems.add({ code: 'invalid-expect', ...at, message: problem });
  if (problem !== undefined || typeof expect !== 'string') return;
  const schema = tools.get(operation)?.outputSchema;
  const missing = schema === undefined ? undefined : missingIn(schema, expect);
  if (missing === undefined) return;
  const message = `\`expect\` uses what ${operation} never returns: ${missing.message}`;
  const found: Diagnostic = { code: 'unknown-field', ...at, message, ...didYouMean(missing.suggestion) };
  if (missing.isSought) problems.add(found);
  else warnings.push(found);
}

function queryProblem(expect: string): string | undefined {
  const problem = expressionProblem(expect);
  return problem === undefined ? undefined : `\`expect\` is not a JMESPath expression: ${problem}`;
}

function schemaProblem(schema: JsonObject, { check, expected }: Checking): string | undefined {
  const size = sizeProblem(schema, expected);
  if (size !== undefined) return `\`expect\`: ${size}`;
  const problem = check.problem?.(schema);
  return problem === undefined ? undefined : `\`expect\` is not a JSON Schema: ${problem}`;
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
function checkReading(task: Task, { tools, operations, problems }: Checking, needs: Map<string, Need>): void {
  const target = readsResultOf(task, tools);
  if (target === undefined || needs.has(target)) return;
  const { id } = task;
  const at = { task: id, path: ['args', 'task'] };
  if (target === id) {
    problems.add({ code: 'self-reference', ...at, message: `"${id}" reads its own result` });
  } else if (operations.has(target)) {
    needs.set(target, { why: 'ref', path: ['task'], ref: { task: target, path: '' } });
  } else {
    const message = `"${id}" reads the result of "${target}", and no such task has succeeded`;
    const hint = didYouMean(nearest(target, operations.keys()));
    problems.add({ code: 'dangling-ref', ...at, message, ...hint });
  }
}

function checkAfter(
  { id, after = [] }: Task,
  { operations, problems }: Checking,
  needs: Map<string, Need>,
): void {
  for (let index = 0; index < after.length && !problems.isFull; index++) {
    const target = after[index] ?? '';
    const path = ['after', index];
    if (target === id)
      problems.add({ code: 'self-reference', task: id, path, message: `"${id}" waits for itself` });
    // If a Ref names the same task, the dependency is already reported, or needed anyway.
    else if (needs.has(target)) continue;
    else if (operations.has(target)) needs.set(target, AFTER);
    else {
      const message = `"${id}" waits for "${target}", which is not in the plan`;
      const hint = didYouMean(nearest(target, operations.keys()));
      problems.add({ code: 'unknown-after', task: id, path, message, ...hint });
    }
  }
}

function didYouMean(suggestion: string | undefined): { hint?: string } {
  return suggestion === undefined ? {} : { hint: `did you mean "${suggestion}"?` };
}

function cycleProblem(cycle: readonly string[]): Diagnostic {
  const [first = ''] = cycle;
  const message = `these tasks wait for each other: ${[...cycle, first].join(' → ')}`;
  return { code: 'cycle', task: first, message, hint: 'remove one of these references' };
}
