import * as z from 'zod';
import { namingUnit } from './task.ts';

/** The languages of Dandori's own texts. */
export const language = z.enum(['en', 'ja']);

/** The APIs through which language models are called. */
export const PROVIDERS = ['openai', 'anthropic', 'google', 'ollama', 'openai-compatible'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** `openai/gpt-5-mini` as provider and name. Undefined if the text does not start with a provider. */
export function splitModelName(text: string): { provider: Provider; name: string } | undefined {
  const at = text.indexOf('/');
  const provider = PROVIDERS.find((one) => one === text.slice(0, at));
  const name = text.slice(at + 1);
  return provider === undefined || name === '' ? undefined : { provider, name };
}

/** How the mind is asked to work. One engine runs all modes. */
export const mode = z.enum(['auto', 'direct', 'adaptive', 'planned', 'hierarchical']);
export type Mode = z.infer<typeof mode>;

/** Which calls a person must approve before they are made. `step`: also whether to go on after each step. */
export const approvalPolicy = z.enum(['never', 'destructive', 'writes', 'plan', 'step', 'always']);
export type ApprovalPolicy = z.infer<typeof approvalPolicy>;

/** How the mind is asked to think before it plans. */
export const strategy = z.enum(['chain_of_thought', 'plan_and_solve', 'least_to_most']);
export const decompositionLevel = z.enum(['coarse', 'moderate', 'fine']);

/** `before` must have succeeded in a run before `after` may be called. */
const orderRule = z.object({ before: z.string(), after: z.string() });
export type OrderRule = z.infer<typeof orderRule>;

/**
 * `standard`: a call asks if the mind decided it after reading a stranger's text, or if a value computed from
 * such text aims it. `strict`: also if any value from such text aims it. `observe`: asks nothing, and journals
 * what it would have asked.
 */
export const trustPolicy = z.enum(['strict', 'standard', 'observe', 'off']);
export type TrustPolicy = z.infer<typeof trustPolicy>;

/**
 * What is done with values of some tools in calls of others. `from`: the tools whose results they come from;
 * missing for all, and then an `allow` also covers calls that the user did not order. `to`: the tool, or one of
 * its arguments. `*` stands for any part of a name.
 */
export const trustRule = z.object({
  from: z.string().optional(),
  to: z.string(),
  do: z.enum(['allow', 'ask', 'deny']),
});
export type TrustRule = z.infer<typeof trustRule>;
/** A number must have a minimum and a maximum in its schema, a text an enum or the format of a date or time. */
export const endorsed = z.enum(['boolean', 'enum', 'number', 'date']);

const trustSettings = z.object({
  policy: trustPolicy.exclude(['off']),
  /** Per tool, the arguments that aim a call, instead of those that their names suggest. */
  aims: z.record(z.string(), z.array(z.string())).optional(),
  /** `deny` rules are tried first, then `ask`, then `allow`. Of each kind, the first that fits decides. */
  rules: z.array(trustRule).optional(),
  /** What `extract` may return so that it can aim a call: values that leave little room for injected text. */
  endorse: z.array(endorsed).optional(),
});

/** The settings of a run. They are journaled, so that a run continues under the rules it started with. */
export const settings = z.object({
  mode,
  approval: approvalPolicy,
  /** By server or by full tool name, instead of `approval`. A tool's entry wins over its server's. */
  approvals: z.record(z.string(), approvalPolicy).optional(),
  questions: z
    .object({
      /** Milliseconds after which a question expires; missing if questions stay open. */
      expireAfter: z.number().positive().optional().describe('Milliseconds after which a question expires'),
      /** What happens when a question without a default expires. */
      whenExpired: z.enum(['decline', 'cancel']),
      /** Milliseconds for which a call is held open while it asks a person. */
      hold: z.number().nonnegative().optional().describe('Milliseconds for which a call is held open'),
      /** Users who may answer; missing if every user may. */
      answerers: z.array(z.string()).optional(),
    })
    .optional(),
  concurrency: z.number().int().positive(),
  /** How many of the concurrent calls may change something. Missing: as many as `concurrency`. */
  writes: z.number().int().positive().optional(),
  /** The limit of concurrent calls by server, if it is lower. */
  servers: z.record(z.string(), z.number().int().positive()).optional(),
  limits: z.object({
    /** Decisions that may add tasks. */
    steps: z.number().int().positive(),
    /** Calls of the language model, all kinds and all retries. */
    calls: z.number().int().positive(),
    tasks: z.number().int().positive(),
    /** Milliseconds from the start of the run, without the time spent waiting for a person. */
    time: z.number().positive().describe('Milliseconds without the time spent waiting for a user'),
    /** Milliseconds at the end of `time` in which only the closing answer is written. Older runs lack it. */
    closing: z.number().nonnegative().optional().describe('Milliseconds'),
    /** US dollars of model calls and tool calls together. */
    cost: z.number().positive().optional(),
    /** Tokens of all model calls, in and out. */
    tokens: z.number().int().positive().optional(),
  }),
  planning: z
    .object({
      strategy,
      decomposition: decompositionLevel,
      /** When the mind looks back: after an error, and after this many tasks; missing if never. */
      reflection: z.object({ onError: z.boolean(), interval: z.number().int().positive() }).optional(),
      /** How often an accepted plan may be changed. */
      revisions: z.number().int().nonnegative(),
    })
    .optional(),
  task: namingUnit(
    z.object({
      timeoutMs: z.number().positive().describe('Milliseconds that one attempt of a task may take'),
      attempts: z.number().int().positive(),
      /** Milliseconds before the second attempt; doubled for each further one. */
      backoff: z.number().nonnegative().describe('Milliseconds before the second attempt'),
      /**
       * Texts in the error of a tool that say that the same call may work later. Runs that lack this setting
       * retry only errors that are marked as such.
       */
      transient: z.array(z.string()).optional(),
      /**
       * How often in a row the driver may die while a task runs without progress, before the task fails. These
       * tries do not count as attempts. In runs that lack this setting, they do.
       */
      restarts: z.number().int().positive().optional(),
    }),
  ),
  /** How often in a row the mind may fail or send an invalid plan before the run fails. */
  repairs: z.number().int().nonnegative(),
  order: z.array(orderRule),
  /** What a prompt may hold. `DEFAULT_CONTEXT` has the defaults. */
  context: z
    .object({
      /** Tokens of the whole prompt, above which old turns are compacted. */
      tokens: z.number().int().positive().optional(),
      /** Characters of one result, above which its digest is shown. */
      result: z.number().int().positive().optional(),
      /** The number of tools that are described. If there are more, those that fit the goal are chosen. */
      tools: z.number().int().positive().optional(),
    })
    .optional(),
  /** The user's own instructions, instead of those of the process. */
  instructions: z.string().optional(),
  /** Without it a run speaks the language of its goal. */
  language: language.optional(),
  /** How external content is kept from giving orders. Runs of versions before 0.3 lack it and are not checked. */
  trust: trustSettings.optional(),
  /** Whether reads start while the mind is still writing. Older runs lack it and continue without it. */
  streamDispatch: z.boolean().optional(),
  /** Whether the mind is told about sub-goals (`goal.run`). */
  subGoals: z.boolean().optional(),
});
export type Settings = z.infer<typeof settings>;

/** How tools, servers and gateways say that a call may work later. */
export const TRANSIENT: readonly string[] = [
  ...['429', '502', '503', '504', 'try again', 'temporarily', 'timed out', 'timeout', 'too many requests'],
  ...['rate limit', 'overloaded', 'unavailable', 'connection reset', 'connection refused', 'econnreset'],
  ...['econnrefused', 'etimedout', 'socket hang up', '一時的', '再試行', 'しばらく', '混み合って'],
];

/** How much the limits of a run are raised; `time` is in milliseconds. */
export const amounts = {
  steps: z.number().int().positive().optional(),
  calls: z.number().int().positive().optional(),
  tasks: z.number().int().positive().optional(),
  time: z.number().positive().optional().describe('Milliseconds'),
  cost: z.number().positive().optional(),
  tokens: z.number().int().positive().optional(),
  revisions: z.number().int().positive().optional(),
};

type ContextLimits = Readonly<Required<NonNullable<Settings['context']>>>;

export const DEFAULT_CONTEXT: ContextLimits = { tokens: 60_000, result: 8 * 1024, tools: 40 };

/** Runs from before these limits were journaled use the defaults. */
export function contextOf({ context }: Settings): ContextLimits {
  const { tokens, result, tools } = context ?? DEFAULT_CONTEXT;
  return {
    tokens: tokens ?? DEFAULT_CONTEXT.tokens,
    result: result ?? DEFAULT_CONTEXT.result,
    tools: tools ?? DEFAULT_CONTEXT.tools,
  };
}

/** The delay before the next attempt, in milliseconds. It doubles with each attempt, up to a minute. */
export function backoff(first: number, attempts: number): number {
  return Math.min(first * 2 ** Math.min(attempts - 1, 30), 60_000);
}

/**
 * `viewer` reads; `operator` also starts and steers. Both see only their own runs. `admin` may do anything.
 */
export const role = z.enum(['viewer', 'operator', 'admin']);
export type Role = z.infer<typeof role>;
