import * as z from 'zod';

/** Tools of every effect, for servers that count how often each name took effect. */
export const HINTS = {
  look: { readOnlyHint: true },
  put: { readOnlyHint: false, idempotentHint: true, destructiveHint: false },
  send: { readOnlyHint: false, idempotentHint: false, destructiveHint: false },
  drop: { readOnlyHint: false, idempotentHint: false, destructiveHint: true },
};

export const input = z.object({
  name: z.string(),
  from: z.string().optional(),
  before: z.number().describe('milliseconds before it takes effect'),
  behind: z.number().describe('milliseconds from then to the answer'),
});
export const output = z.object({ name: z.string() });
