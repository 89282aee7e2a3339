import * as z from 'zod';
import { failure } from './failure.ts';
import { type JsonObject, json } from './json.ts';

export const usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number().optional(),
  /**
   * US dollars; missing if neither the model nor a tool has a known price. In a run, it includes tool calls.
   */
  cost: z.number().optional(),
  /** True if the provider reported no usage and the tokens were counted locally. */
  estimated: z.boolean().optional(),
});
export type Usage = z.infer<typeof usage>;

/** Reads a value from a text with a model call that knows nothing but this request. */
export interface ExtractRequest {
  /** A stranger may have written it. */
  readonly text: string;
  /** What to find in it. */
  readonly find: string;
  /** JSON Schema of the value. */
  readonly schema: JsonObject;
}

export const extracted = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('extracted'), value: json, usage: usage.optional() }),
  z.object({ kind: z.literal('failed'), failure, usage: usage.optional() }),
]);
export type Extracted = Readonly<z.infer<typeof extracted>>;

/** The limits of a run. `loop`: the run repeats itself. */
export const limit = z.enum(['steps', 'calls', 'tasks', 'time', 'cost', 'tokens', 'revisions', 'loop']);
export type Limit = z.infer<typeof limit>;

/**
 * A run that repeats itself. It makes the same call with the same result, or a call that fails again. Or it
 * alternates between two turns, or makes plan after plan without anything new.
 */
const loop = z.object({
  kind: z.enum(['same_result', 'same_failure', 'ping_pong', 'no_progress']),
  /** The tasks that show the loop. */
  tasks: z.array(z.string()),
  /**
   * The name of the loop in this run: its kind and its first task. The mind is told of each loop once.
   * Missing in journals of 0.1.0, where the second loop of any kind ended the run.
   */
  circle: z.string().optional(),
});
export type Loop = z.infer<typeof loop>;

/**
 * Tools that a mind is told of with a decision. The first offer has all tools that it starts with; later
 * offers have only what is new.
 */
export const offer = z.object({
  /** Tools that are described in full. */
  tools: z.array(z.string()),
  /**
   * The number of tools per server, if there are too many to describe them all; 0 if a server has none left.
   */
  servers: z.record(z.string(), z.number().int().nonnegative()).optional(),
  /** Tools that were described before and are no longer available. */
  gone: z.array(z.string()).optional(),
});
export type Offer = z.infer<typeof offer>;

/** Why the mind is asked to look back: a task failed, or a number of tasks ended since the last time. */
const reflectionTrigger = z.enum(['error', 'interval']);
export type ReflectionTrigger = z.infer<typeof reflectionTrigger>;

/** The mind's review of the work so far. */
export const reflection = z.object({
  trigger: reflectionTrigger,
  status: z.enum(['success', 'failure', 'partial']),
  evaluation: z.string(),
  revisionNeeded: z.boolean(),
});
export type Reflection = z.infer<typeof reflection>;

/** The progress of the steps of a plan. */
const progress = z.object({
  done: z.number().int(),
  total: z.number().int(),
  /** What is running, and what has failed. */
  current: z.array(z.string()).optional(),
  failed: z.array(z.string()).optional(),
});
export type Progress = z.infer<typeof progress>;

/**
 * What a decision is asked for besides its purpose. It is journaled with the decision, so that a later prompt
 * can repeat it word for word.
 */
export const brief = z.object({
  /** The steps whose tasks are wanted now. */
  steps: z.array(z.string()).optional(),
  reflect: reflectionTrigger.optional(),
  progress: progress.optional(),
  loop: loop.optional(),
  /** Success criteria that the last answer says are not met. */
  unmet: z.array(z.string()).optional(),
  /** How many more times the plan may be revised, if the mind should know. */
  revisionsLeft: z.number().int().optional(),
  /** Steps that have ended and that the user should be told about. */
  report: z.array(z.string()).optional(),
  /** The limits were raised after the run had ended. */
  isContinued: z.boolean().optional(),
});
export type Brief = z.infer<typeof brief>;

/** The run whose model passed the message on. Missing if a person wrote it, and only then. */
export const passedOn = z.object({
  run: z.string(),
  /** That run had read no stranger's text when it passed the message on. */
  isClean: z.literal(true).optional(),
});
export type PassedOn = z.infer<typeof passedOn>;

/** `answers`: the options that the message names. Without it, the answer must stand in the message. */
export const mayAnswer = z.object({
  run: z.string(),
  question: z.string(),
  answers: z.array(json).optional(),
  declined: z.literal(true).optional(),
});
export type MayAnswer = z.infer<typeof mayAnswer>;
