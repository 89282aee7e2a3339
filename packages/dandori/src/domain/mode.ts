import * as z from 'zod';

/** What the mind is asked for; one engine carries out all of them. */
export const mode = z.enum(['auto', 'direct', 'adaptive', 'planned', 'hierarchical']);
export type Mode = z.infer<typeof mode>;

/** Which calls a person must approve before they are made. */
export const approvalPolicy = z.enum(['never', 'destructive', 'writes', 'plan', 'always']);
export type ApprovalPolicy = z.infer<typeof approvalPolicy>;

/** How the mind is asked to think before it plans. */
export const strategy = z.enum(['chain_of_thought', 'plan_and_solve', 'least_to_most']);
export type Strategy = z.infer<typeof strategy>;
export const decompositionLevel = z.enum(['coarse', 'moderate', 'fine']);
