import * as z from 'zod';

/** Why the mind is asked to look back: a task has failed, or so many have ended since the last time. */
export const reflectionTrigger = z.enum(['error', 'interval']);
export type ReflectionTrigger = z.infer<typeof reflectionTrigger>;

/** A look back at what was done so far. */
export const reflection = z.object({
  trigger: reflectionTrigger,
  status: z.enum(['success', 'failure', 'partial']),
  evaluation: z.string(),
  revisionNeeded: z.boolean(),
});
export type Reflection = z.infer<typeof reflection>;
