import { Document, isScalar, Scalar, visit, type YAMLMap, type YAMLSeq } from 'yaml';
import { type Json, type JsonObject, stringifyJson } from '../model/json.ts';
import { isStep, purposeOf, type Task } from '../model/task.ts';

export interface WrittenPlan {
  readonly goal: string;
  readonly tasks: readonly Task[];
}

export interface PlanComments {
  /** Comment lines before the plan. */
  readonly head?: readonly string[];
  /** Comment lines before a task. */
  readonly of?: (task: string) => readonly string[];
}

/** Writes a plan file. `parsePlan` reads it back. */
export function writePlan(plan: WrittenPlan, { head = [], of = () => [] }: PlanComments = {}): string {
  const document = exactDocument(planValue(plan));
  const tasks = document.get('tasks') as YAMLSeq<YAMLMap>;
  for (const [index, { id }] of plan.tasks.entries()) {
    const lines = of(id);
    const item = tasks.items[index];
    if (lines.length > 0 && item !== undefined) item.commentBefore = comment(lines);
  }
  if (head.length > 0) document.commentBefore = comment(head);
  return document.toString({ lineWidth: 0, blockQuote: 'literal' });
}

/** A value as YAML that reads back as the same value, after comment lines. */
export function writeYaml(value: Json, head: readonly string[]): string {
  const document = exactDocument(value);
  if (head.length > 0) document.commentBefore = comment(head);
  return document.toString({ lineWidth: 0, blockQuote: 'literal' });
}

function exactDocument(value: Json): Document {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, { Scalar: (_key, node) => keepExact(node) });
  return document;
}

/** The same as JSON on one line. */
export function writePlanAsJson(plan: WrittenPlan): string {
  return stringifyJson(planValue(plan));
}

/** The format of the file, with units on durations. */
function planValue({ goal, tasks }: WrittenPlan): { [key: string]: Json } {
  return { goal, tasks: tasks.map(taskValue) };
}

function taskValue(task: Task): Json {
  const { id, after, expect, timeoutMs, reasoning, step } = task;
  const { does, description, args } = isStep(task) ? stepParts(task) : callParts(task);
  return {
    id,
    ...does,
    ...(description !== undefined && { description }),
    ...(reasoning !== undefined && { reasoning }),
    ...(step !== undefined && { step }),
    ...(args !== undefined && { args }),
    ...(after !== undefined && { after }),
    ...(expect !== undefined && { expect }),
    ...(timeoutMs !== undefined && { timeout: `${timeoutMs}ms` }),
  };
}

interface TaskParts extends Pick<Task, 'description'> {
  readonly does: JsonObject;
  readonly args: JsonObject | undefined;
}

function callParts({ operation, description, args }: Task): TaskParts {
  return { does: { operation }, description, args };
}

/** A step is written in words: its operation is a name of the runtime, which no author of a plan needs. */
function stepParts(task: Task): TaskParts {
  const { purpose: given, expected, ...args } = task.args;
  const purpose = typeof given === 'string' && given !== '' ? given : purposeOf(task);
  const { description } = task;
  return {
    does: { purpose, ...(expected !== undefined && { expected }) },
    description: description === purpose ? undefined : description,
    args: Object.keys(args).length === 0 ? undefined : args,
  };
}

/** Strings that YAML might write in a form that reads back differently. */
function keepExact(node: Scalar): void {
  if (!isScalar(node)) return;
  const { value } = node;
  // Lone surrogates, line separators and similar characters survive only as escapes.
  if (typeof value === 'string' && /[^\P{C}\n]|[\u2028\u2029]|^\s|[^\S\n]$/u.test(value))
    node.type = Scalar.QUOTE_DOUBLE;
}

/** A comment ends with its line, so line breaks in the text are replaced. */
function comment(lines: readonly string[]): string {
  return lines.map((line) => ` ${line.replaceAll(/[\p{C}\u2028\u2029]+/gu, ' ')}`).join('\n');
}
