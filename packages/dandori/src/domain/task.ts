import * as z from 'zod';
import { jsonObject } from './json.ts';

/** Ids stand in Refs before a path, so they hold no character that a path could begin with. */
export const TASK_ID = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** One tool call of a plan, as the mind or a person wrote it: Refs are still in its arguments. */
export const task = z.object({
  id: z.string(),
  operation: z.string(),
  args: jsonObject,
  /** Tasks that must have succeeded before, where no Ref says so already. */
  after: z.array(z.string()).optional(),
  /** A JMESPath condition on the result, or a JSON Schema that it must fit; anything else fails the task. */
  expect: z.union([z.string(), jsonObject]).optional(),
  /** Milliseconds that one attempt may take. */
  timeout: z.number().positive().optional(),
  description: z.string().optional(),
  reasoning: z.string().optional(),
  /** The step that it belongs to, where the plan has steps. */
  step: z.string().optional(),
});
export type Task = z.infer<typeof task>;

/** One operation that the mind decided on. A Task is an action whose operation is a tool. */
export type Action = Task;
