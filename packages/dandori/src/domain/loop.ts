import * as z from 'zod';

/**
 * A run that goes in circles: the same call with the same result, the same call failing again, two turns that take
 * turns, or plan after plan without anything new.
 */
export const loop = z.object({
  kind: z.enum(['same_result', 'same_failure', 'ping_pong', 'no_progress']),
  /** The tasks in which it shows. */
  tasks: z.array(z.string()),
  /**
   * The circle's name in this run: its kind and its first task. Each circle is told once. It is absent in journals of
   * 0.1.0, where the second circle of any kind ended the run.
   */
  circle: z.string().optional(),
});
export type Loop = z.infer<typeof loop>;
