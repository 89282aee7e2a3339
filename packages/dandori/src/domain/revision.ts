import * as z from 'zod';

export const change = z.object({
  kind: z.enum(['add', 'remove', 'replace', 'reorder']),
  /** Absent for a new order of all. */
  task: z.string().optional(),
});
export type Change = z.infer<typeof change>;

/** Why and how an accepted plan was changed. */
export const revision = z.object({ reason: z.string(), changes: z.array(change) });
export type Revision = z.infer<typeof revision>;
