import type { FactOf } from '../../model/event.ts';
import { isObject, type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import {
  type Change,
  type Outline,
  outline as outlineShape,
  type Step,
  step as stepShape,
} from '../../model/plan.ts';
import { type Action, isStep, STEP_OPERATION, type Task, task as taskShape } from '../../model/task.ts';
import { renamed } from '../../plan/refs.ts';
import type { RunState, TaskState } from '../state/state.ts';

interface Proposed {
  readonly outline: Outline;
  /** The steps as tasks of the graph, each followed by its own tasks. Tasks without a step come last. */
  readonly tasks: Task[];
}

/**
 * Reads the arguments of `plan.propose`. A string describes what is wrong with them. The tasks of the plan may
 * also be calls beside the operation (`hasCalls`).
 */
export function readProposal(
  { steps = [], tasks = [], ...rest }: JsonObject,
  hasCalls = false,
): Proposed | string {
  const outline = outlineShape.safeParse({
    name: rest.name,
    objective: rest.objective,
    successCriteria: rest.success_criteria,
    constraints: rest.constraints,
    reasoning: rest.reasoning,
  });
  if (!outline.success) return `plan.propose: ${firstIssue(outline.error.issues)}`;
  if (!Array.isArray(steps)) return 'plan.propose: "steps" is a list';
  const read: ReadStep[] = [];
  for (const [index, value] of steps.entries()) {
    const step = readStep(value, index);
    if (typeof step === 'string') return step;
    read.push(step);
  }
  const own = readTasks(tasks, 'plan.propose: tasks');
  if (typeof own === 'string') return own;
  if (read.length + own.length === 0 && !hasCalls)
    return 'plan.propose: a plan has "steps" or "tasks", or calls follow it in the list';
  return {
    outline: { ...outline.data, ...(read.length > 0 && { steps: read.map(({ step }) => step) }) },
    tasks: [...read.flatMap(({ tasks: list }) => list), ...own],
  };
}

interface ReadStep {
  readonly step: Step;
  readonly tasks: readonly Task[];
}

function readStep(value: Json, index: number): ReadStep | string {
  if (!isObject(value)) return `plan.propose: steps[${index}] is not an object`;
  const { tasks = [], ...rest } = value;
  const step = stepShape.safeParse({ id: `s${index + 1}`, ...rest });
  if (!step.success) return `plan.propose: steps[${index}].${firstIssue(step.error.issues)}`;
  const own = readTasks(tasks, `plan.propose: steps[${index}].tasks`);
  if (typeof own === 'string') return own;
  const { id, description, after = [], expected } = step.data;
  const asTask: Task = {
    id,
    operation: STEP_OPERATION,
    args: { purpose: description, ...(expected !== undefined && { expected }) },
    ...(after.length > 0 && { after }),
    description,
  };
  const children = own.map((task) => ({
    ...task,
    ...(after.length > 0 && { after: [...(task.after ?? []), ...after] }),
    step: id,
  }));
  return { step: step.data, tasks: [asTask, ...children] };
}

function readTasks(value: Json, name: string): Task[] | string {
  if (!Array.isArray(value)) return `${name} is a list of actions`;
  const tasks: Task[] = [];
  for (const [index, item] of value.entries()) {
    const read = taskShape.safeParse(item);
    if (!read.success) return `${name}[${index}] is no action: ${firstIssue(read.error.issues)}`;
    tasks.push(read.data);
  }
  return tasks;
}

function firstIssue(issues: readonly { path: readonly PropertyKey[]; message: string }[]): string {
  const { path = [], message = '' } = issues[0] ?? {};
  return `${path.join('.')} ${/received undefined$/.test(message) ? 'is missing' : message}`;
}

/**
 * Applies `plan.revise` to a refused plan, so that the mind need not write a whole new one. An added task
 * whose id already exists replaces that task. Tasks that are not named keep their content and order. A string
 * describes why the revision cannot be read.
 */
export function revised(tasks: readonly Task[], args: JsonObject): Task[] | string {
  const ids = new Set(tasks.map(({ id }) => id));
  const read = readRevision(args);
  if (typeof read === 'string') return read;
  const { replaced, added, removals, places } = read;
  const replacements = [...replaced, ...added.filter(({ id }) => ids.has(id))];
  const unknown = [...replaced.map(({ id }) => id), ...removals].find((id) => !ids.has(id));
  if (unknown !== undefined)
    return `plan.revise: there is no task ${stringifyJson(unknown)} in the plan that was refused`;
  const byId = new Map(replacements.map((task) => [task.id, task]));
  const twice = replacements.find((task) => byId.get(task.id) !== task || removals.includes(task.id));
  if (twice !== undefined) return `plan.revise: it says two things about ${stringifyJson(twice.id)}`;
  const kept = tasks.filter(({ id }) => !removals.includes(id)).map((task) => byId.get(task.id) ?? task);
  return inOrder([...kept, ...added.filter(({ id }) => !ids.has(id))], places);
}

/**
 * Merges several revisions in one decision into one. A value that is not a list is kept, so that the parser
 * reports it.
 */
export function joined([first, ...others]: readonly [Action, ...Action[]]): Action {
  if (others.length === 0) return first;
  const all = [first, ...others].map(({ args }) => args);
  const args: { [key: string]: Json } = {};
  for (const name of new Set(all.flatMap((one) => Object.keys(one)))) {
    const values = all.flatMap((one) => (one[name] === undefined ? [] : [one[name]]));
    const isText = values.every((value) => typeof value === 'string');
    const odd = values.find((value) => !Array.isArray(value));
    args[name] = isText ? values.join('; ') : (odd ?? values.flat());
  }
  return { ...first, args };
}

type PlanChange = Pick<
  FactOf<'plan_revised'>['data'],
  'reason' | 'changes' | 'removes' | 'supersedes' | 'tasks'
>;

/**
 * Applies `plan.revise` to an accepted plan. All tasks that have not begun are written again, so that they
 * are compiled as one plan. Tasks that succeeded keep their result. A task that began and failed gets a
 * successor with a new id. A string describes what cannot be done.
 */
export function changePlan(
  state: RunState,
  args: JsonObject,
  ended: ReadonlySet<string> = new Set(),
): PlanChange | string {
  const read = readRevision(args);
  if (typeof read === 'string') return read;
  const { replaced: replacements, added: additions, removals, places } = read;
  const named = [...replacements.map(({ id }) => id), ...removals];
  const twice = named.find((id, index) => named.indexOf(id) !== index);
  if (twice !== undefined) return `plan.revise: it says two things about ${stringifyJson(twice)}`;
  const left = notBegun(state, ended);
  const revisable = { state, left: new Set(left.map(({ id }) => id)) };
  const problem = named.flatMap((id) => fixed(id, revisable))[0];
  if (problem !== undefined) return problem;
  const removed = new Set(removals);
  const isKept = ({ id, step }: Task): boolean => {
    if (removed.has(id)) return false;
    const above = step === undefined ? undefined : state.tasks.get(step)?.task;
    return above === undefined || !isStep(above) || isKept(above);
  };
  const byId = new Map(replacements.map((task) => [task.id, task]));
  const successors = replacements.filter(({ id }) => hasFailed(id, revisable));
  const list = [
    ...successors.map((task) => inheriting(state, task)),
    ...left.filter(isKept).map((task) => inheriting(state, byId.get(task.id) ?? task)),
    ...additions,
  ];
  const supersedes = [...byId.keys(), ...removals].filter((id) => hasFailed(id, revisable));
  const changes: Change[] = [
    ...replacements.map(({ id }) => ({ kind: 'replace' as const, task: id })),
    ...removals.map((id) => ({ kind: 'remove' as const, task: id })),
    ...additions.map(({ id }) => ({ kind: 'add' as const, task: id })),
    ...(places.length > 0 ? [{ kind: 'reorder' as const }] : []),
  ];
  if (changes.length === 0) return 'plan.revise: it changes nothing';
  return {
    reason:
      typeof args.reason === 'string' && args.reason.trim() !== '' ? args.reason : 'no reason was given',
    changes,
    removes: left.map(({ id }) => id),
    ...(supersedes.length > 0 && { supersedes }),
    tasks: withSuccessors(inOrder(list, places), supersedes, state),
  };
}

/** Tasks of the plan that have not begun, in written order. A step begins when its first task does. */
export function notBegun({ tasks }: RunState, begun: ReadonlySet<string> = new Set()): Task[] {
  const isLeft = (one: TaskState) => isUntouched(one) && !begun.has(one.task.id);
  const begunSteps = new Set<string>();
  for (const one of tasks.values()) {
    if (isLeft(one)) continue;
    let { step } = one.task;
    while (step !== undefined && !begunSteps.has(step)) {
      begunSteps.add(step);
      step = tasks.get(step)?.task.step;
    }
  }
  return [...tasks.values()]
    .filter((one) => isLeft(one) && !begunSteps.has(one.task.id))
    .map(({ task }) => task);
}

/** A step whose tasks are all blocked has failed, but it has not begun. */
function isUntouched({ task, attempts, status, children }: TaskState): boolean {
  if (attempts > 0) return false;
  if (status === 'pending' || status === 'ready' || status === 'blocked') return true;
  return isStep(task) && children.length > 0 && (status === 'expanding' || status === 'failed');
}

interface Revisable {
  readonly state: RunState;
  readonly left: ReadonlySet<string>;
}

/** Why this task cannot be replaced or removed. */
function fixed(id: string, { state, left }: Revisable): string[] {
  const task = state.tasks.get(id);
  if (task === undefined) return [`plan.revise: there is no task ${stringifyJson(id)} in the plan`];
  if (left.has(id) || hasFailed(id, { state, left })) return [];
  return [
    `plan.revise: ${id} is ${task.status} and stays as it is; only what has not succeeded can be changed`,
  ];
}

function hasFailed(id: string, { state, left }: Revisable): boolean {
  return state.tasks.get(id)?.status === 'failed' && !left.has(id);
}

/** A replacement belongs to the same step as the task that it replaces, unless it names another step. */
function inheriting({ tasks }: RunState, task: Task): Task {
  const step = task.step ?? tasks.get(task.id)?.task.step;
  return step === undefined ? task : { ...task, step };
}

interface Revising {
  readonly replaced: readonly Task[];
  readonly added: readonly Task[];
  readonly removals: readonly string[];
  readonly places: readonly string[];
}

/** The lists of `plan.revise`. A string says which one cannot be read. */
function readRevision({ replace = [], remove = [], add = [], order = [] }: JsonObject): Revising | string {
  const replaced = readTasks(replace, 'plan.revise: replace');
  const added = readTasks(add, 'plan.revise: add');
  if (typeof replaced === 'string') return replaced;
  if (typeof added === 'string') return added;
  const removals = readIds(remove, 'remove');
  const places = readIds(order, 'order');
  if (typeof removals === 'string') return removals;
  if (typeof places === 'string') return places;
  return { replaced, added, removals, places };
}

function readIds(value: Json, name: string): string[] | string {
  if (Array.isArray(value) && value.every((id) => typeof id === 'string')) return value;
  return `plan.revise: "${name}" is a list of ids`;
}

/** Puts the named tasks in the order of `ids`. Together they keep the positions that they had. */
function inOrder(tasks: readonly Task[], ids: readonly string[]): Task[] {
  const named = ids.flatMap((id) => tasks.filter((task) => task.id === id).slice(0, 1));
  const isNamed = new Set(named);
  let next = 0;
  return tasks.map((task) => (isNamed.has(task) ? (named[next++] ?? task) : task));
}

/** The id of a task that began is never reused: its attempts and its key belong to the earlier call. */
function withSuccessors(tasks: readonly Task[], failed: readonly string[], state: RunState): Task[] {
  const used = new Set([...state.tasks.keys(), ...tasks.map(({ id }) => id)]);
  const fresh = new Map<string, string>();
  for (const id of failed) {
    if (!tasks.some((task) => task.id === id)) continue;
    let number = 2;
    while (used.has(`${id}_${number}`)) number++;
    fresh.set(id, `${id}_${number}`);
    used.add(`${id}_${number}`);
  }
  const rename = (id: string) => fresh.get(id) ?? id;
  return fresh.size === 0 ? [...tasks] : tasks.map((task) => renamed(task, rename(task.id), rename));
}
