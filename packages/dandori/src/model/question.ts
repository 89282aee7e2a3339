import * as z from 'zod';
import { json, jsonObject } from './json.ts';
import { diagnostic, estimate } from './plan.ts';
import { task } from './task.ts';
import { effect } from './tool.ts';

export const questionKind = z.enum([
  'ambiguity',
  'approval',
  'elicitation',
  'missing_input',
  'in_doubt',
  'plan_approval',
]);

export const option = z.object({
  label: z.string(),
  /** What is sent as the answer when this option is taken. */
  value: json,
  /** For an ambiguity: what the choice changes in the task's arguments. */
  args: jsonObject.optional(),
  /** For an ambiguity: what is done in place of the task; the result of the last one counts as its result. */
  tasks: z.array(task).optional(),
});
export type Option = z.infer<typeof option>;

export const question = z.object({
  id: z.string(),
  kind: questionKind,
  text: z.string(),
  /** What the person should know to answer: the call, its arguments, what happened. */
  context: json.optional(),
  /** Where given, the answer must be the value of one of these. */
  options: z.array(option).optional(),
  /** JSON Schema of the answer, where it is more than one of a few. */
  form: jsonObject.optional(),
  /** Where a person does what is asked for; the answer says only that it is done. */
  url: z.string().optional(),
  /** The task that waits; absent where the whole run does. */
  task: z.string().optional(),
  /** The version of the plan that waits. */
  plan: z.number().int().optional(),
  /** SHA-256 of operation and arguments, or of the plan: an approval holds for exactly this. */
  digest: z.string().optional(),
  /** What counts as the answer where nobody gave one in time. */
  default: json.optional(),
  /** Milliseconds since 1970. Nobody can answer after it. */
  expiresAt: z.number().optional(),
  /** The users who may answer; absent where anybody may. */
  answerers: z.array(z.string()).optional(),
});
export type Question = z.infer<typeof question>;

/** What stands in a question about a plan. It comes from the journal, so that it may be of another version. */
export const planAbout = z.object({
  objective: z.string().optional(),
  reasoning: z.string().optional(),
  plan: estimate,
  tasks: z.array(task.extend({ effect, waitsFor: z.array(z.string()).optional() })),
  changes: z
    .object({ added: z.array(z.string()), changed: z.array(task), removed: z.array(task) })
    .optional(),
  notes: z.array(z.string()).optional(),
  problems: z.array(diagnostic).optional(),
});
export type PlanAbout = z.infer<typeof planAbout>;
