import * as z from 'zod';

export const usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number().optional(),
  /** US dollars; absent where the model has no known price. */
  cost: z.number().optional(),
});
export type Usage = z.infer<typeof usage>;
