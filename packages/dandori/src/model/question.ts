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
  /** The answer that is sent if this option is chosen. */
  value: json,
  /** For an ambiguity: how the choice changes the task's arguments. */
  args: jsonObject.optional(),
  /** For an ambiguity: the tasks that replace this task. The result of the last one counts as its result. */
  tasks: z.array(task).optional(),
});
export type Option = z.infer<typeof option>;

export const question = z.object({
  id: z.string(),
  kind: questionKind,
  text: z.string(),
  /** What the person should know before answering: the call, its arguments, what happened. */
  context: json.optional(),
  /** If present, the answer must be the value of one of these. */
  options: z.array(option).optional(),
  /** JSON Schema of the answer, if options are not enough. */
  form: jsonObject.optional(),
  /** A page where the person does what is asked. The answer only says that it is done. */
  url: z.string().optional(),
  /** The task that waits; missing if the whole run waits. */
  task: z.string().optional(),
  /** The version of the plan that waits. */
  plan: z.number().int().optional(),
  /** SHA-256 of operation and arguments, or of the plan. An approval is valid for exactly this. */
  digest: z.string().optional(),
  /** The answer that is used if the question expires. */
  default: json.optional(),
  /** Milliseconds since 1970. Answers are refused after this time. */
  expiresAt: z.number().optional(),
  /** The users who may answer; missing if every user may. */
  answerers: z.array(z.string()).optional(),
});
export type Question = z.infer<typeof question>;

/** The content of a question about a plan. It comes from the journal, so it may be of another version. */
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
