import * as z from 'zod';

export const usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number().optional(),
  /** US dollars; absent where neither the model nor a tool has a known price. In a run the tools' calls count too. */
  cost: z.number().optional(),
  /** True where the provider said nothing and the tokens were counted here. */
  estimated: z.boolean().optional(),
});
export type Usage = z.infer<typeof usage>;
