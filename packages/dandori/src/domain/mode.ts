import * as z from 'zod';

/** What the mind is asked for; one engine carries out all of them. */
export const mode = z.enum(['auto', 'direct', 'adaptive', 'planned']);
export type Mode = z.infer<typeof mode>;

/** Which calls a person must approve before they are made. */
export const approvalPolicy = z.enum(['never', 'destructive', 'writes', 'always']);
export type ApprovalPolicy = z.infer<typeof approvalPolicy>;
