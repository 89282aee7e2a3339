import type { Json, JsonObject } from '../domain/json.ts';
import { type Outline, outline as outlineShape, type Step, step as stepShape } from '../domain/outline.ts';
import { type Task, task as taskShape } from '../domain/task.ts';
import { STEP_OPERATION } from './step.ts';

export interface Proposed {
  readonly outline: Outline;
  /** The steps as tasks of the graph, each followed by those that it came with, and then what belongs to none. */
  readonly tasks: Task[];
}

/** Reads the arguments of `plan.propose`. A text says what is wrong with them. */
export function readProposal({ steps = [], tasks = [], ...rest }: JsonObject): Proposed | string {
  const outline = outlineShape.safeParse({
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
  if (read.length + own.length === 0) return 'plan.propose: a plan has "steps" or "tasks"';
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
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `plan.propose: steps[${index}] is not an object`;
  const { tasks = [], ...rest } = value;
  const step = stepShape.safeParse({ id: `s${index + 1}`, ...rest });
  if (!step.success) return `plan.propose: steps[${index}] ${firstIssue(step.error.issues)}`;
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

export function readTasks(value: Json, name: string): Task[] | string {
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
  return `${issues[0]?.path.join('.')} ${issues[0]?.message}`;
}
