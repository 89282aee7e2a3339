import * as z from 'zod';
import { diagnostic } from '../domain/diagnostic.ts';
import { effect } from '../domain/effect.ts';
import { estimate } from '../domain/estimate.ts';
import { task } from '../domain/task.ts';

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
