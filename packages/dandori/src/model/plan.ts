import * as z from 'zod';
import { effect } from './tool.ts';

const complexity = z.enum(['low', 'medium', 'high']);

/** A stage of a plan with a purpose; its tasks are made when its time comes. */
export const step = z.object({
  id: z.string(),
  description: z.string(),
  /** Steps that must be completed first. */
  after: z.array(z.string()).optional(),
  complexity: complexity.optional(),
  /** What should have come of it, in words; the mind compares when it looks back. */
  expected: z.string().optional(),
});
export type Step = z.infer<typeof step>;

/** What the mind says about a plan besides its tasks: what it takes the goal to be, and how it divides the work. */
export const outline = z.object({
  objective: z.string().optional(),
  /** All of them must be met before an answer counts as success. */
  successCriteria: z.array(z.string()).optional(),
  constraints: z.array(z.string()).optional(),
  /** Why the work is divided in this way. */
  reasoning: z.string().optional(),
  steps: z.array(step).optional(),
});
export type Outline = z.infer<typeof outline>;

const change = z.object({
  kind: z.enum(['add', 'remove', 'replace', 'reorder']),
  /** Absent for a new order of all. */
  task: z.string().optional(),
});
export type Change = z.infer<typeof change>;

/** Why and how an accepted plan was changed. */
export const revision = z.object({ reason: z.string(), changes: z.array(change) });
export type Revision = z.infer<typeof revision>;

/** What a plan will take, before it is run. */
export const estimate = z.object({
  calls: z.number(),
  reads: z.number(),
  writes: z.number(),
  /** Parts that are left open: what they will take nobody knows yet. */
  open: z.array(z.string()).optional(),
  /** Tasks that cannot be undone. */
  irreversible: z.array(z.string()),
  /** The longest path, by expected time. */
  criticalPath: z.array(z.string()),
  /** Milliseconds under the limits of calls at once; absent where some tool has never been timed. */
  expectedMs: z.number().optional(),
  /** Milliseconds if every attempt that may be made took its whole time-out. */
  worstMs: z.number().optional(),
  /** US dollars of the tools' own prices: once each, and if every call is tried as often as it may be. */
  cost: z.number(),
  worstCost: z.number(),
});
export type Estimate = z.infer<typeof estimate>;

/** What a task does to what. */
export const access = z.object({
  /** The task. */
  id: z.string(),
  effect,
  server: z.string(),
  /** The part of the server that it touches; absent for the whole of it. */
  resource: z.string().optional(),
  /** Writes that have the same name here do not disturb each other. */
  independent: z.string().optional(),
});
export type Access = z.infer<typeof access>;

/** Each code has a page in `docs/errors/`. */
export const diagnosticCode = z.enum([
  'empty-plan',
  'duplicate-id',
  'invalid-id',
  'unknown-operation',
  'invalid-args',
  'invalid-ref',
  'dangling-ref',
  'self-reference',
  'cycle',
  'unknown-after',
  'invalid-expect',
  'placeholder',
  'order-rule',
  'too-many-tasks',
  'unknown-field',
  'type-clash',
  'dead-step',
  'needless-after',
  'over-budget',
  'already-done',
]);
export type DiagnosticCode = z.infer<typeof diagnosticCode>;

/** What is wrong with a plan, told to the mind and to the person alike. */
export const diagnostic = z.object({
  code: diagnosticCode,
  message: z.string(),
  task: z.string().optional(),
  /** Its place in the plan, where an earlier task has the same id. */
  index: z.number().int().optional(),
  /** Where in the task, as keys and indexes: `['args', 'city']`. */
  path: z.array(z.union([z.string(), z.number()])).optional(),
  /** Where it is the key at that path that is wrong, and not its value. */
  at: z.literal('key').optional(),
  hint: z.string().optional(),
});
export type Diagnostic = z.infer<typeof diagnostic>;
