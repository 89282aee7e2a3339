import * as z from 'zod';
import { effect } from './effect.ts';

/** What a task does to what. */
export const access = z.object({
  /** The task. */
  id: z.string(),
  effect,
  server: z.string(),
  /** The part of the server that it touches; absent for the whole of it. */
  resource: z.string().optional(),
  /** Writes that have the same name here do not disturb each other. */
  independent: z.string().optional(),
});
export type Access = z.infer<typeof access>;
