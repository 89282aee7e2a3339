import * as z from 'zod';
import { effect } from './tool.ts';

/** Who wrote a plan. `repair`: the mind's plan after obvious mistakes were fixed. */
export const planAuthor = z.enum(['mind', 'user', 'repair']);

export const complexity = z.enum(['low', 'medium', 'high']);

/** A stage of a plan with a purpose. Its tasks are written when the step starts. */
export const step = z.object({
  id: z.string(),
  description: z.string(),
  /** Steps that must be completed first. */
  after: z.array(z.string()).optional(),
  complexity: complexity.optional(),
  /** The expected outcome in words. The mind compares it when it looks back. */
  expected: z.string().optional(),
});
export type Step = z.infer<typeof step>;

/** What the mind says about a plan besides its tasks: how it reads the goal and divides the work. */
export const outline = z.object({
  /** A short name, by which the user and the model speak of it. */
  name: z.string().optional(),
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
  /** Missing if all tasks were reordered. */
  task: z.string().optional(),
});
export type Change = z.infer<typeof change>;

/** Why and how an accepted plan was changed. */
export const revision = z.object({ reason: z.string(), changes: z.array(change) });
export type Revision = z.infer<typeof revision>;

/**
 * What a plan will take, estimated before it runs. In the approval of one call, a list of more than twelve ids has
 * `… (5)` instead of those that are left out.
 */
export const estimate = z.object({
  calls: z.number(),
  reads: z.number(),
  writes: z.number(),
  /** Parts that are still open, so that their cost is unknown. */
  open: z.array(z.string()).optional(),
  /** Tasks that cannot be undone. */
  irreversible: z.array(z.string()),
  /** The longest path, by expected time. */
  criticalPath: z.array(z.string()),
  /** Milliseconds under the limits of concurrent calls; missing if some tool has never been timed. */
  expectedMs: z.number().optional(),
  /** Milliseconds if every allowed attempt took its whole timeout. */
  worstMs: z.number().optional(),
  /** US dollars of the tools' own prices: with one call each, and with every allowed retry. */
  cost: z.number(),
  worstCost: z.number(),
});
export type Estimate = z.infer<typeof estimate>;

/** The resource that a task uses, and how. */
export const access = z.object({
  id: z.string(),
  effect,
  server: z.string(),
  /** The part of the server that it uses; missing if it uses the whole server. */
  resource: z.string().optional(),
  /** Writes with the same name here do not affect each other. */
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

/** A problem in a plan, as shown to the mind and to the user. */
export const diagnostic = z.object({
  code: diagnosticCode,
  message: z.string(),
  task: z.string().optional(),
  /** The task's position in the plan, if an earlier task has the same id. */
  index: z.number().int().optional(),
  /** The position within the task, as keys and indexes: `['args', 'city']`. */
  path: z.array(z.union([z.string(), z.number()])).optional(),
  /** Set if the key at that path is wrong, and not its value. */
  at: z.literal('key').optional(),
  hint: z.string().optional(),
});
export type Diagnostic = z.infer<typeof diagnostic>;
