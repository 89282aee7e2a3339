import * as z from 'zod';
import { isObject, jsonObject } from './json.ts';
import type { Tool } from './tool.ts';

/** An id stands before a path in a Ref, so it contains no character that a path could begin with. */
export const TASK_ID = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/**
 * A schema that also reads `timeout`, the name of `timeoutMs` in journals before 0.3. Its unit was
 * milliseconds as well. In plan files, in the configuration and in what a model writes, `timeout` is seconds.
 */
export function namingUnit<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => {
    if (!isObject(value) || value.timeout === undefined || value.timeoutMs !== undefined) return value;
    const { timeout, ...rest } = value;
    return { ...rest, timeoutMs: timeout };
  }, schema);
}

/** What may be written for a task, under its current names. */
export const taskFields = z.object({
  id: z.string(),
  operation: z.string(),
  args: jsonObject,
  /** Tasks that must have succeeded first, if no Ref says so already. */
  after: z.array(z.string()).optional(),
  /** A JMESPath condition on the result, or a JSON Schema that it must fit. Otherwise the task fails. */
  expect: z.union([z.string(), jsonObject]).optional(),
  timeoutMs: z.number().positive().optional().describe('Milliseconds that one attempt may take'),
  description: z.string().optional(),
  reasoning: z.string().optional(),
  /** The step of the task, if the plan has steps. */
  step: z.string().optional(),
});

const NO_UNIT = 'has no unit here: write `timeoutMs` in milliseconds; `timeout` in a plan file is in seconds';

/** A task in a request. The old name is refused, because a reader could take its unit for seconds. */
export const taskInput = taskFields.extend({
  timeout: z.never({ error: NO_UNIT }).optional().describe('Not allowed: write timeoutMs'),
});

/** One tool call of a plan, as the mind or a person wrote it: Refs are still in its arguments. */
export const task = namingUnit(taskFields);
export type Task = z.infer<typeof task>;

/** One operation that the mind decided on. A Task is an action whose operation is a tool. */
export type Action = Task;

/** A task's input taken from another task's output: `${t1.rows[0].city}`. */
export interface Ref {
  readonly task: string;
  /** JMESPath into the result; empty for the whole of it. */
  readonly path: string;
}

/**
 * A step is in the graph like a task, and waits and blocks like one. Instead of making a call, the engine
 * asks the mind for the step's tasks when the step starts. The step ends when they have ended. Its result is
 * the result of the last one.
 */
export const STEP_OPERATION = 'task.generate_list';

export const STEP_TOOL: Tool = {
  name: STEP_OPERATION,
  server: 'task',
  description: 'Leaves a part of the plan open: you are asked for its actions when its time comes.',
  inputSchema: {
    type: 'object',
    properties: {
      purpose: { type: 'string', description: 'what this part is to achieve' },
      expected: { type: 'string', description: 'what should come of it' },
    },
  },
  // What its tasks will do is not known yet. Even so, steps do not block each other: their tasks are ordered
  // once they are known.
  effect: 'write',
  independent: true,
  trusted: true,
};

/** What a step is for, in words. */
export function purposeOf({ id, description, args }: Pick<Task, 'id' | 'description' | 'args'>): string {
  return description ?? (typeof args.purpose === 'string' ? args.purpose : id);
}

/** What a task is called in texts for people: the tool, or the purpose of a step. */
export function workOf(task: Pick<Task, 'id' | 'operation' | 'description' | 'args'>): string {
  return isStep(task) ? purposeOf(task) : task.operation;
}

export function isStep({ operation }: Pick<Task, 'operation'>): boolean {
  return operation === STEP_OPERATION;
}

/** Escapes a text for a plan, so that no part of it is read as a Ref. */
export function writeText(text: string): string {
  return text.replace(/\$+\{?/g, (run) => (run.endsWith('{') ? `${run.slice(0, -1).repeat(2)}{` : run));
}

/** Refers to a stored value that is too large for the journal. */
export const blobHandle = z.object({
  sha256: z.string(),
  bytes: z.number(),
  /** The beginning of the value as text, for readers of the journal. */
  head: z.string(),
  /** Keys, types and lengths, so that a prompt can describe the value without loading it. */
  shape: z.string().optional(),
  /** The binary content in the value, such as pictures. */
  media: z
    .array(
      z.object({
        path: z.array(z.union([z.string(), z.number()])),
        type: z.string(),
        bytes: z.number(),
      }),
    )
    .optional(),
});
export type BlobHandle = z.infer<typeof blobHandle>;

/** A file that the user gave with the goal. */
export const attachment = z.object({
  /** Unique in its run. */
  name: z.string(),
  /** Its media type, such as `image/png`. */
  type: z.string(),
  bytes: z.number().int().nonnegative(),
  /** The text, or base64 of other content. */
  blob: blobHandle,
  isText: z.boolean(),
  /** From an earlier message of the conversation: it is named, and shown only when the mind reads it. */
  earlier: z.boolean().optional(),
});
export type Attachment = z.infer<typeof attachment>;
