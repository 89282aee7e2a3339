import { z } from '@hono/zod-openapi';
import { limit, reflection, usage } from '../model/decision.ts';
import { blobHandle, envelopeSchema, factSchema, outcome } from '../model/event.ts';
import { failure } from '../model/failure.ts';
import { json, jsonObject } from '../model/json.ts';
import { diagnostic, diagnosticCode, estimate, outline, revision, step } from '../model/plan.ts';
import { question } from '../model/question.ts';
import { task } from '../model/task.ts';
import { effect } from '../model/tool.ts';

/** What the server answers with, for its description: the types of these are in `core`, `engine` and `client`. */

const texts = z.array(z.string());
const count = z.number().int().min(0);
const at = z.number().describe('Milliseconds since 1970');
const sharedPast = z.object({ run: z.string(), seq: count });

export const eventShape = z.union(factSchema.options.map((fact) => envelopeSchema.extend(fact.shape)));

export const problemShape = z.object({
  type: z.string().describe('urn:dandori:error: and the code'),
  title: z.string(),
  status: z.number().int().min(400).max(599),
  detail: z.string(),
  code: z.string().describe('Each has a page in docs/errors'),
  fix: z.string().optional().describe('What to do about it'),
  diagnostics: z.array(diagnostic).optional(),
});

export const runStatus = z.enum([...outcome.options, 'open', 'waiting', 'paused', 'damaged']);
const standing = z.enum([...outcome.options, 'waiting', 'paused', 'open']);

export const runSummaryShape = z.object({
  run: z.string(),
  goal: z.string(),
  userId: z.string().optional(),
  conversation: z.string().optional(),
  startedAt: at,
  lastAt: at,
  lastSeq: count,
  status: runStatus,
});

const planViewShape = z.object({
  version: count,
  status: z.enum(['draft', 'approved', 'in_progress', 'completed', 'failed']),
  ...outline.omit({ steps: true }).shape,
  steps: z.array(
    step.extend({ status: z.enum(['pending', 'in_progress', 'completed', 'failed']), tasks: texts }),
  ),
  tasks: texts.describe('Those that belong to no step'),
  revisions: z.array(revision),
  reflections: z.array(reflection),
});

const askedShape = question.extend({
  askedAt: at,
  blocks: texts.describe('Tasks that wait for it; none where the next decision does'),
});

export const runQuestionShape = askedShape.extend({ run: z.string(), goal: z.string() });

const taskReportShape = z.object({
  operation: z.string(),
  status: z.string(),
  result: json.optional(),
  blob: blobHandle.optional().describe('In place of the result where it is large'),
  failure: failure.optional(),
  attempts: count,
  calls: z
    .array(
      z.object({
        operation: z.string(),
        args: jsonObject,
        key: z.string(),
        status: z.enum(['running', 'succeeded', 'failed', 'in_doubt']),
      }),
    )
    .optional()
    .describe('What its service called itself, in order'),
  ms: z.number().nullable(),
});

export const reportShape = z.object({
  run: z.string(),
  goal: z.string(),
  outcome: standing,
  answer: z.string().nullable(),
  failure: failure.optional(),
  missing: texts.optional(),
  limit: limit.optional(),
  plan: planViewShape.optional(),
  tasks: z.record(z.string(), taskReportShape),
  usage: usage.extend({ modelCalls: count, steps: count, ms: z.number() }),
  questions: z.array(askedShape).describe('Those that are open'),
  paused: z.object({ reason: z.string().optional(), by: z.string().optional() }).optional(),
  notes: z
    .array(
      z.object({
        text: z.string(),
        by: z.string().optional(),
        passedOnBy: z.object({ run: z.string() }).optional(),
        at,
      }),
    )
    .optional(),
  unstopped: z.array(z.object({ task: z.string(), operation: z.string() })).optional(),
  forkedFrom: sharedPast.optional(),
  rating: z
    .object({
      rating: z.number().int().min(1).max(5),
      comment: z.string().optional(),
      by: z.string().optional(),
    })
    .optional(),
});

export const planShape = z.object({ goal: z.string(), tasks: z.array(task) });

/** `plan-invalid` where the text cannot be read as a plan at all. */
const placedShape = diagnostic.extend({
  code: z.enum([...diagnosticCode.options, 'plan-invalid']),
  line: count,
  column: count,
});

export const compiledShape = z.object({
  ok: z.boolean(),
  goal: z.string().optional(),
  diagnostics: z.array(placedShape).optional(),
  warnings: z.array(placedShape).optional(),
  estimate: estimate.optional(),
});

export const liftedShape = planShape.extend({
  run: z.string(),
  outcome: standing,
  inferred: z.array(
    z.object({
      task: z.string(),
      path: z.array(z.union([z.string(), z.number()])),
      ref: z.string(),
      value: json,
    }),
  ),
  left: z.array(z.object({ task: z.string(), operation: z.string(), reason: z.string() })),
  redacted: texts.describe('Tasks whose arguments held a secret'),
  unread: texts.describe('Tasks whose results could not be read'),
});

export const forkedShape = z.object({
  run: z.string(),
  forkedFrom: sharedPast,
  settled: texts.describe('Calls that were under way, and of which the other run knows how they ended'),
  later: z
    .array(z.object({ task: z.string(), operation: z.string(), effect: z.string() }))
    .describe('What the other run has called since, and that changes something'),
});

export const runDiffShape = z.object({
  left: z.string(),
  right: z.string(),
  commonSeq: count.optional().describe('The last event that they share'),
  isSame: z.boolean(),
  differences: z.array(
    z.object({
      kind: z.enum(['goal', 'settings', 'plan', 'call', 'outcome', 'result', 'answer', 'usage', 'time']),
      what: z.string(),
      left: json.optional(),
      right: json.optional(),
    }),
  ),
});

const proposedShape = z.object({
  kind: z.enum(['proposed', 'revised']),
  seq: count,
  at,
  version: count,
  by: z.enum(['mind', 'user', 'repair']),
  isAccepted: z.boolean().optional(),
  isReplaced: z.literal(true).optional(),
  tasks: z.array(task),
  removes: texts,
  supersedes: texts,
  revision: revision.optional(),
  diagnostics: z.array(diagnostic).optional(),
  reason: z.string().optional(),
});

const reflectedShape = reflection.extend({
  kind: z.literal('reflected'),
  seq: count,
  at,
  decision: count,
  by: z.enum(['mind', 'runtime']),
});

export const planHistoryShape = z.object({
  run: z.string(),
  goal: z.string(),
  plan: planViewShape.optional(),
  tasks: z.array(task),
  entries: z.array(z.union([proposedShape, reflectedShape])),
});

export const toolShape = z.object({
  name: z.string(),
  server: z.string(),
  title: z.string().optional(),
  description: z.string(),
  inputSchema: jsonObject,
  outputSchema: jsonObject.optional(),
  effect,
  calls: texts.optional().describe('The only tools that it may call itself'),
  trusted: z.boolean(),
  resource: z.string().optional(),
  independent: z.boolean().optional(),
  cost: z.number().optional().describe('US dollars a call'),
  probe: z
    .object({
      tool: z.string(),
      args: jsonObject,
      settledWhen: z.string(),
      result: z.string().optional(),
      wait: z.number(),
    })
    .optional(),
});

export const missingServerShape = z.object({ server: z.string(), reason: z.string() });

const total = z.object({ total: z.number(), perRun: z.number() });

const tokens = z.object({ input: z.number(), output: z.number(), cachedInput: z.number() });

const periodShape = z.object({
  at: count,
  outcomes: z.record(standing, count),
  ms: z.number(),
  revisions: count,
  modelCalls: count,
  tokens,
  cost: z.number().nullable(),
  calls: count,
  failed: count,
  inDoubt: count,
  timeouts: count,
  ratings: z.object({ sum: z.number(), count }),
});

export const statisticsShape = z.object({
  runs: count,
  outcomes: z.record(standing, count),
  completionRate: z.number().min(0).max(1).nullable(),
  revisions: total,
  modelCalls: total,
  tokens,
  cost: z.number().nullable(),
  timeouts: count,
  tools: z.record(
    z.string(),
    z.object({ calls: count, failed: count, timeouts: count, inDoubt: count, errorRate: z.number() }),
  ),
  duration: z.object({ meanMs: z.number(), medianMs: z.number() }).nullable(),
  satisfaction: z.object({ mean: z.number(), count }).nullable(),
  damaged: z.array(z.object({ run: z.string(), reason: z.string() })),
  series: z.array(periodShape).optional().openapi({ description: 'Where `every` was sent' }),
});
