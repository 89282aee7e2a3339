import * as z from 'zod';

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
