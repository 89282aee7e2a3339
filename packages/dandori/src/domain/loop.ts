import * as z from 'zod';

/**
 * A run that goes in circles: the same call with the same result, the same call failing again, two turns that take
 * turns, or plan after plan without anything new.
 */
export const loop = z.object({
  kind: z.enum(['same_result', 'same_failure', 'ping_pong', 'no_progress']),
  /** The tasks in which it shows. */
  tasks: z.array(z.string()),
});
export type Loop = z.infer<typeof loop>;
