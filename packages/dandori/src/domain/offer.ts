import * as z from 'zod';

/** Tools that a mind is told of with a decision: with the first all that it starts with, later only what is new. */
export const offer = z.object({
  /** Described in full. */
  tools: z.array(z.string()),
  /** Tools of each server, where they are too many for all to be described; 0 for one that has none any more. */
  servers: z.record(z.string(), z.number().int().nonnegative()).optional(),
  /** Described before, and not there any more. */
  gone: z.array(z.string()).optional(),
});
export type Offer = z.infer<typeof offer>;
