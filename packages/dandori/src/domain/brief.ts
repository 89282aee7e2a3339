import * as z from 'zod';
import { loop } from './loop.ts';
import { reflectionTrigger } from './reflection.ts';

/** How far the steps of a plan are. */
export const progress = z.object({
  done: z.number().int(),
  total: z.number().int(),
  /** What is under way, and what has failed. */
  current: z.array(z.string()).optional(),
  failed: z.array(z.string()).optional(),
});
export type Progress = z.infer<typeof progress>;

/**
 * What a decision is asked for besides its purpose. It is journaled with the decision, so that the prompt of a later
 * one can repeat it word for word.
 */
export const brief = z.object({
  /** The steps whose tasks are wanted now. */
  steps: z.array(z.string()).optional(),
  reflect: reflectionTrigger.optional(),
  progress: progress.optional(),
  loop: loop.optional(),
  /** How many more times the plan may be revised, where that is worth saying. */
  revisionsLeft: z.number().int().optional(),
  /** Steps that have ended, of which the user is to be told. */
  report: z.array(z.string()).optional(),
  /** The limits were raised after the run had come to its end. */
  isContinued: z.boolean().optional(),
});
export type Brief = z.infer<typeof brief>;
