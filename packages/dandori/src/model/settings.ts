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

/** `before` must have succeeded in a run before `after` may be called. */
const orderRule = z.object({ before: z.string(), after: z.string() });
export type OrderRule = z.infer<typeof orderRule>;

/** What a run was started with. It is journaled, so that a run goes on under the rules that it began with. */
export const settings = z.object({
  mode,
  approval: approvalPolicy,
  /** By server or by full name of a tool, in place of `approval`; the tool's goes before its server's. */
  approvals: z.record(z.string(), approvalPolicy).optional(),
  questions: z
    .object({
      /** Milliseconds after which nobody can answer any more; absent where questions stay open. */
      expireAfter: z.number().positive().optional(),
      /** What becomes of one that has no default. */
      whenExpired: z.enum(['decline', 'cancel']),
      /** Milliseconds for which a call is held open that asks a person while it runs. */
      hold: z.number().nonnegative().optional(),
      /** Users who may answer; absent where anybody may. */
      answerers: z.array(z.string()).optional(),
    })
    .optional(),
  concurrency: z.number().int().positive(),
  /** Calls at once, by server, where it is fewer. */
  servers: z.record(z.string(), z.number().int().positive()).optional(),
  limits: z.object({
    /** Decisions that may add tasks. */
    steps: z.number().int().positive(),
    /** Calls of the language model, all kinds and all retries. */
    calls: z.number().int().positive(),
    tasks: z.number().int().positive(),
    /** Milliseconds from the start of the run, waiting for a person left out. */
    time: z.number().positive(),
    /** US dollars of model calls and tool calls together. */
    cost: z.number().positive().optional(),
    /** Tokens of all model calls, in and out. */
    tokens: z.number().int().positive().optional(),
  }),
  planning: z
    .object({
      strategy,
      decomposition: decompositionLevel,
      /** When the mind looks back: after an error, and after so many tasks; absent where never. */
      reflection: z.object({ onError: z.boolean(), interval: z.number().int().positive() }).optional(),
      /** How often an accepted plan may be changed. */
      revisions: z.number().int().nonnegative(),
    })
    .optional(),
  task: z.object({
    timeout: z.number().positive(),
    attempts: z.number().int().positive(),
    /** Milliseconds before the second attempt; doubled for each further one. */
    backoff: z.number().nonnegative(),
    /**
     * How often in a row the driver may die while a task runs and gets no further, before the task fails. Such tries
     * are not counted as attempts. In runs from before it was there, they are.
     */
    restarts: z.number().int().positive().optional(),
  }),
  /** How often in a row the mind may fail or send an invalid plan before the run fails. */
  repairs: z.number().int().nonnegative(),
  order: z.array(orderRule),
  /** What a prompt may hold; `model/settings` has the defaults. */
  context: z
    .object({
      tokens: z.number().int().positive().optional(),
      result: z.number().int().positive().optional(),
      tools: z.number().int().positive().optional(),
    })
    .optional(),
  /** Of the user's own, in place of the ones that the process was set up with. */
  instructions: z.string().optional(),
  /** Without it a run speaks the language of its goal. */
  language: z.enum(['en', 'ja']).optional(),
  /** Whether reads are called while the mind still writes. Runs from before it was there go on without it. */
  streamDispatch: z.boolean().optional(),
});
export type Settings = z.infer<typeof settings>;

/** What a prompt may hold. */
interface ContextLimits {
  /** Tokens of the whole prompt, above which old turns are compacted. */
  readonly tokens: number;
  /** Characters of one result, above which its digest is shown. */
  readonly result: number;
  /** Tools that are described; of more, those that fit the goal. */
  readonly tools: number;
}

export const DEFAULT_CONTEXT: ContextLimits = { tokens: 60_000, result: 8 * 1024, tools: 40 };

/** Runs from before these limits were journaled go on with the defaults. */
export function contextOf({ context }: Settings): ContextLimits {
  return { ...DEFAULT_CONTEXT, ...context };
}

/** The delay before the next attempt, in milliseconds. It doubles with each attempt, up to a minute. */
export function backoff(first: number, attempts: number): number {
  return Math.min(first * 2 ** Math.min(attempts - 1, 30), 60_000);
}

/** `viewer` reads; `operator` also starts and steers. Both see their own runs only. `admin` may do everything. */
export const role = z.enum(['viewer', 'operator', 'admin']);
export type Role = z.infer<typeof role>;
