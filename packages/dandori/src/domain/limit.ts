import * as z from 'zod';

/** What bounds a run. `loop`: it goes in circles. */
export const limit = z.enum(['steps', 'calls', 'tasks', 'time', 'cost', 'tokens', 'revisions', 'loop']);
export type Limit = z.infer<typeof limit>;
