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

/** What bounds a run. `loop`: it goes in circles. */
export const limit = z.enum(['steps', 'calls', 'tasks', 'time', 'cost', 'tokens', 'revisions', 'loop']);
export type Limit = z.infer<typeof limit>;

/**
 * A run that goes in circles: the same call with the same result, the same call failing again, two turns that take
 * turns, or plan after plan without anything new.
 */
const loop = z.object({
  kind: z.enum(['same_result', 'same_failure', 'ping_pong', 'no_progress']),
  /** The tasks in which it shows. */
  tasks: z.array(z.string()),
  /**
   * The circle's name in this run: its kind and its first task. Each circle is told once. It is absent in journals of
   * 0.1.0, where the second circle of any kind ended the run.
   */
  circle: z.string().optional(),
});
export type Loop = z.infer<typeof loop>;

/** Tools that a mind is told of with a decision: with the first all that it starts with, later only what is new. */
export const offer = z.object({
  /** Described in full. */
  tools: z.array(z.string()),
  /** Tools of each server, where they are too many for all to be described; 0 for one that has none any more. */
  servers: z.record(z.string(), z.number().int().nonnegative()).optional(),
  /** Described before, and not there any more. */
  gone: z.array(z.string()).optional(),
});
export type Offer = z.infer<typeof offer>;

/** Why the mind is asked to look back: a task has failed, or so many have ended since the last time. */
const reflectionTrigger = z.enum(['error', 'interval']);
export type ReflectionTrigger = z.infer<typeof reflectionTrigger>;

/** A look back at what was done so far. */
export const reflection = z.object({
  trigger: reflectionTrigger,
  status: z.enum(['success', 'failure', 'partial']),
  evaluation: z.string(),
  revisionNeeded: z.boolean(),
});
export type Reflection = z.infer<typeof reflection>;

/** How far the steps of a plan are. */
const progress = z.object({
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
