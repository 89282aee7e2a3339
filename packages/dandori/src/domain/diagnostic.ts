import * as z from 'zod';

/** Each code has a page in `docs/errors/`. */
export const diagnosticCode = z.enum([
  'empty-plan',
  'duplicate-id',
  'invalid-id',
  'unknown-operation',
  'invalid-args',
  'invalid-ref',
  'dangling-ref',
  'self-reference',
  'cycle',
  'unknown-after',
  'invalid-expect',
  'placeholder',
  'order-rule',
  'too-many-tasks',
  'unknown-field',
  'type-clash',
  'dead-step',
  'needless-after',
  'over-budget',
  'already-done',
]);
export type DiagnosticCode = z.infer<typeof diagnosticCode>;

/** What is wrong with a plan, told to the mind and to the person alike. */
export const diagnostic = z.object({
  code: diagnosticCode,
  message: z.string(),
  task: z.string().optional(),
  /** Its place in the plan, where an earlier task has the same id. */
  index: z.number().int().optional(),
  /** Where in the task, as keys and indexes: `['args', 'city']`. */
  path: z.array(z.union([z.string(), z.number()])).optional(),
  /** Where it is the key at that path that is wrong, and not its value. */
  at: z.literal('key').optional(),
  hint: z.string().optional(),
});
export type Diagnostic = z.infer<typeof diagnostic>;
