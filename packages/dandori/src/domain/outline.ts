import * as z from 'zod';

export const complexity = z.enum(['low', 'medium', 'high']);

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
