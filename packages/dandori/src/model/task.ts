import * as z from 'zod';
import { jsonObject } from './json.ts';
import type { Tool } from './tool.ts';

/** An id stands before a path in a Ref, so it contains no character that a path could begin with. */
export const TASK_ID = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** One tool call of a plan, as the mind or a person wrote it: Refs are still in its arguments. */
export const task = z.object({
  id: z.string(),
  operation: z.string(),
  args: jsonObject,
  /** Tasks that must have succeeded first, if no Ref says so already. */
  after: z.array(z.string()).optional(),
  /** A JMESPath condition on the result, or a JSON Schema that it must fit. Otherwise the task fails. */
  expect: z.union([z.string(), jsonObject]).optional(),
  /** Milliseconds that one attempt may take. */
  timeout: z.number().positive().optional(),
  description: z.string().optional(),
  reasoning: z.string().optional(),
  /** The step of the task, if the plan has steps. */
  step: z.string().optional(),
});
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
  description: 'Leaves this part of the plan open: you are asked for its actions when its time comes.',
  inputSchema: {
    type: 'object',
    properties: {
      purpose: { type: 'string', description: 'what this part is to achieve' },
      expected: { type: 'string', description: 'what should have come of it, for when you look back' },
    },
  },
  // What its tasks will do is not known yet. Steps still do not block each other: their tasks are ordered
  // once they are known.
  effect: 'write',
  independent: true,
  trusted: true,
};

/** What a step is for, in words. */
export function purposeOf({ id, description, args }: Pick<Task, 'id' | 'description' | 'args'>): string {
  return description ?? (typeof args.purpose === 'string' ? args.purpose : id);
}

export function isStep({ operation }: Pick<Task, 'operation'>): boolean {
  return operation === STEP_OPERATION;
}

/** Escapes a text for a plan, so that no part of it is read as a Ref. */
export function writeText(text: string): string {
  return text.replace(/\$+\{?/g, (run) => (run.endsWith('{') ? `${run.slice(0, -1).repeat(2)}{` : run));
}
