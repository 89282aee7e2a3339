import * as z from 'zod';
import {
  askedSchema,
  conversationRunSchema,
  namedPlanSchema,
  whySchema,
  writtenSchema,
} from '../conversation/index.ts';
import { runQuestionSchema } from '../history/index.ts';
import type { ErrorCode } from '../model/error.ts';
import { envelopeSchema, factSchema } from '../model/event.ts';
import { json } from '../model/json.ts';
import { diagnostic, diagnosticCode, estimate } from '../model/plan.ts';
import { standingApproval } from '../model/question.ts';
import { amounts, approvalPolicy, mode, role } from '../model/settings.ts';
import { task, taskInput } from '../model/task.ts';
import { missingServerSchema, toolSchema } from '../model/tool.ts';
import { conversationSummarySchema, periodLength, runStatus, runSummarySchema } from '../store/index.ts';
import { reportSchema } from '../views/report.ts';

/**
 * The HTTP types that belong to no other room. The routes validate requests with these schemas, and OpenAPI
 * shows them. The client imports only the types, so that it does not load zod.
 */

const number = z.coerce.number<number>().int();
const words = z.string().max(10_000);
const id = z.string().max(128);
const pageAfter = z.string().max(128).optional().describe('`next` of the previous page');

// Responses

/** An error (RFC 9457) with the code and the fix of a `DandoriError`. */
export const problemSchema = z.object({
  type: z.string().describe('urn:dandori:error: and the code'),
  title: z.string(),
  status: z.number().int().min(400).max(599),
  detail: z.string(),
  code: z.custom<ErrorCode>((code) => typeof code === 'string').describe('Each has a page in docs/errors'),
  fix: z.string().optional().describe('What to do about it'),
  diagnostics: z.array(diagnostic).readonly().optional().describe('Of a plan that cannot be used'),
});
export type Problem = z.infer<typeof problemSchema>;

const eventSchema = z.union(factSchema.options.map((fact) => envelopeSchema.extend(fact.shape)));

export type { Overview } from '../store/index.ts';

const drivingState = z
  .enum(['driving', 'queued', 'idle', 'retrying'])
  .describe('`retrying`: the server could not drive the run, and tries again');
/** What the server does with a run. */
export type DrivingState = z.infer<typeof drivingState>;

/**
 * The whole answer so far, for a client that joins while the answer is being written. It replaces earlier
 * deltas.
 */
export interface AnswerSoFar {
  readonly kind: 'answer';
  readonly run: string;
  readonly text: string;
}

export const doneSchema = z.object({ run: z.string() });
export const answeredSchema = z.object({ run: z.string(), question: z.string() });

export const runPageSchema = z.object({
  runs: z.array(runSummarySchema),
  next: z.string().optional().describe('`before` of the next page, if there may be one'),
});
export type RunPage = z.infer<typeof runPageSchema>;

export const runNowSchema = z.object({ report: reportSchema, driving: drivingState });
export type RunNow = z.infer<typeof runNowSchema>;

export const eventPageSchema = z.object({
  events: z.array(eventSchema),
  next: z.number().optional().describe('`after` of the next page'),
});
export type EventPage = z.infer<typeof eventPageSchema>;

export const questionListSchema = z.object({ questions: z.array(runQuestionSchema) });
export type QuestionList = z.infer<typeof questionListSchema>;

export const approvalListSchema = z.object({ approvals: z.array(standingApproval) });
export type ApprovalList = z.infer<typeof approvalListSchema>;

export const planSchema = z.object({ goal: z.string(), tasks: z.array(task) });
export type PlanOfRun = z.infer<typeof planSchema>;

const placedDiagnostic = diagnostic.extend({
  code: z
    .enum([...diagnosticCode.options, 'plan-invalid'])
    .describe('`plan-invalid` if the text cannot be read as a plan at all'),
  line: z.number().int(),
  column: z.number().int(),
});
/** A diagnostic with its position in the text that the client sent. */
export type PlacedDiagnostic = z.infer<typeof placedDiagnostic>;

export const checkedPlanSchema = z.object({
  ok: z.boolean(),
  goal: z.string().optional().describe('The goal that the plan file names'),
  diagnostics: z.array(placedDiagnostic).readonly().optional(),
  warnings: z.array(placedDiagnostic).readonly().optional(),
  estimate: estimate.optional(),
});
export type CheckedPlan = z.infer<typeof checkedPlanSchema>;

export const toolListSchema = z.object({
  tools: z.array(toolSchema),
  missing: z.array(missingServerSchema),
});
export type ToolList = z.infer<typeof toolListSchema>;

export const serverUserSchema = z.object({
  id: z.string().optional().describe('Absent if the server has no access tokens'),
  role,
});
export type ServerUser = z.infer<typeof serverUserSchema>;

/**
 * What a message became: a run, an answer, or nothing because it is about open questions and answers none of them
 * clearly.
 */
export const sayResultSchema = z.union([
  z.object({ kind: z.literal('begun'), run: z.string() }),
  z.object({
    kind: z.literal('answered'),
    run: z.string(),
    question: z.string(),
    chose: z.string().optional().describe('The label of the option that was chosen'),
    declined: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('unclear'),
    why: whySchema.describe('Why the message answers no question; they stay open'),
    questions: z.array(askedSchema).readonly(),
  }),
]);
export type SayResult = z.infer<typeof sayResultSchema>;

export const startedConversationSchema = z.object({
  conversation: z.string(),
  run: z.string().describe('The run of its first message'),
});
export type StartedConversation = z.infer<typeof startedConversationSchema>;

export const conversationPageSchema = z.object({
  conversations: z.array(conversationSummarySchema).describe('Newest first'),
  next: z.string().optional().describe('`before` of the next page, if there may be one'),
});
export type ConversationPage = z.infer<typeof conversationPageSchema>;

const conversationRunStatus = conversationRunSchema.extend({
  driving: drivingState,
  problem: z
    .string()
    .optional()
    .describe('Why the server cannot drive it, if the run itself is not the cause'),
});
/** A run of a conversation with its current status. */
export type ConversationRunStatus = z.infer<typeof conversationRunStatus>;

export const messagePageSchema = z.object({
  messages: z.array(writtenSchema).describe('In order'),
  earlier: z.string().optional().describe('`before` of the messages before these'),
});
export type MessagePage = z.infer<typeof messagePageSchema>;

export const conversationNowSchema = messagePageSchema.extend({
  conversation: z.string(),
  title: z.string(),
  language: z.enum(['en', 'ja']).optional(),
  userId: z.string().optional(),
  startedAt: z.number().describe('Milliseconds since 1970'),
  lastAt: z.number().describe('Milliseconds since 1970'),
  seq: z.number().int().describe('The last event that is in here; the stream continues after it'),
  model: z.string().describe('For the runs that follow'),
  undelivered: z
    .array(writtenSchema)
    .readonly()
    .describe('Messages of the agent that no client has acknowledged, oldest first, also older ones'),
  runs: z.array(conversationRunStatus).describe('In the order in which they were started'),
  plans: z.array(namedPlanSchema).describe('In the order in which they were proposed'),
});
export type ConversationNow = z.infer<typeof conversationNowSchema>;

export const stoppedRunsSchema = z.object({
  runs: z.array(z.string()).describe('The runs that were told to stop'),
});
export const acknowledgedSchema = z.object({
  messages: z.array(z.string()).describe('Those that no client had acknowledged before'),
});
export const chosenModelSchema = z.object({ model: z.string() });

// Requests

export const runFilters = z.object({
  limit: number.min(1).max(200).default(50),
  before: pageAfter,
  status: runStatus.optional(),
  text: z.string().max(200).optional().describe('A part of the goal'),
  since: number.optional().describe('Started then or later; milliseconds since 1970'),
  until: number.optional().describe('Milliseconds since 1970'),
  user: z.string().max(200).optional().describe('Of this user; for admins'),
});
export type ListOptions = z.input<typeof runFilters>;

export const attachments = z
  .array(z.strictObject({ name: z.string(), type: z.string().optional(), data: z.base64() }))
  .readonly()
  .optional();

export const startRequest = z.strictObject({
  goal: z.string().optional().describe('Required unless the plan file names it'),
  mode: mode.optional(),
  approval: approvalPolicy
    .optional()
    .describe('Which calls need an approval; only an admin may ask for fewer than are configured'),
  output: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('JSON Schema of the output that the answer must have'),
  attachments: attachments.describe(
    'Files that belong to the goal, in base64. Large ones are sent as multipart/form-data',
  ),
  tasks: z.array(taskInput).min(1).readonly().optional().describe('A plan of your own; see plan.schema.json'),
  plan: z.string().optional().describe('Instead of tasks: a plan file, as YAML or JSON'),
});
export type StartRequest = z.input<typeof startRequest>;

export const eventRange = z.object({
  after: number.min(0).default(0),
  limit: number.min(1).max(10_000).default(1_000),
});

export const resultRange = z.object({
  path: words.default('').describe('Keys and indexes, as in a Ref: `rows[0]."odd key"`'),
  offset: number.min(0).default(0),
  limit: number
    .min(1)
    .max(1_000)
    .default(100)
    .describe('Elements, fields, or thousands of characters of a text'),
});
export type ResultPage = z.input<typeof resultRange>;

const question = z.string().max(200);
const reply = {
  answer: json.optional(),
  comment: words.optional(),
  declined: z.boolean().optional().describe('The user declines to answer, or rejects'),
};
const NO_ANSWER = { error: 'must be there, unless "declined" is true', path: ['answer'] };
const hasAnswer = ({ answer, declined }: { answer?: unknown; declined?: boolean | undefined }) =>
  answer !== undefined || declined === true;

export const answerRequest = z.strictObject({ question, ...reply }).refine(hasAnswer, NO_ANSWER);
export type AnswerOptions = Pick<z.input<typeof answerRequest>, 'comment' | 'declined'>;

const waiting = question.optional().describe('Required if several questions wait');
export const approveRequest = z.strictObject({
  question: waiting,
  plan: z.string().optional().describe('A plan file (YAML or JSON) instead of the plan to approve'),
});
export const rejectRequest = z.strictObject({ question: waiting, reason: words.optional() });
export const reasonRequest = z.strictObject({ reason: words.optional() });
export const noteRequest = z.strictObject({ text: words });
export const emptyRequest = z.strictObject({});
export const rateRequest = z.strictObject({
  rating: z.number().int().min(1).max(5),
  comment: words.optional(),
});
export type RateRequest = z.input<typeof rateRequest>;

export const budgetRequest = z
  .strictObject(amounts)
  .refine((given) => Object.keys(given).length > 0, { error: 'names no amount' });
/** `time` is in milliseconds. */
export type Amounts = z.input<typeof budgetRequest>;

export const checkRequest = z.strictObject({
  plan: z.string().describe('A plan file, as YAML or JSON'),
  run: id
    .optional()
    .describe(
      'Check it as an edit of this run: of the plan that waits, or of the tasks that have not started',
    ),
  at: z.number().int().positive().optional().describe('As the run stood at this event'),
});
export type CheckRequest = z.input<typeof checkRequest>;

export const forkRequest = z.strictObject({
  at: z.number().int().positive().optional().describe('The last event that both runs share'),
  from: z
    .enum(['start', 'failed'])
    .optional()
    .describe('Instead of `at`: do everything again, or only what failed'),
  answers: z.record(z.string(), json).optional().describe('Other answers, by question'),
  plan: z.string().optional().describe('A plan file instead of all tasks that had not started by then'),
  drive: z.boolean().default(true).describe('False leaves the fork until it is resumed'),
});
export type ForkOptions = z.input<typeof forkRequest>;

export const replayRange = z.object({
  to: number.min(1).optional().describe('The last event to replay'),
});
export type ReplayRange = z.input<typeof replayRange>;

export const statisticsFilters = z.object({
  since: number.min(0).default(0).describe('Started then or later; milliseconds since 1970'),
  every: periodLength
    .optional()
    .describe('Also gives a series, by the start time of the runs; its periods begin with `since`'),
});
export type StatisticsFilters = z.input<typeof statisticsFilters>;

export const conversationFilters = z.object({
  limit: number.min(1).max(200).default(50),
  before: pageAfter,
  user: z.string().max(200).optional().describe('Of this user; for admins'),
});
export type ConversationFilters = z.input<typeof conversationFilters>;

const message = z.string().max(400);
export const conversationRange = z.object({ messages: number.min(0).max(2_000).default(200) });
export type ConversationRange = z.input<typeof conversationRange>;
export const messageRange = z.object({
  before: message.optional(),
  limit: number.min(1).max(2_000).default(200),
});
export type MessageRange = z.input<typeof messageRange>;

export const beginRequest = z.strictObject({
  text: z.string().describe('In your own words'),
  model: z
    .string()
    .max(200)
    .optional()
    .describe('Instead of the configured one, for the runs of this conversation'),
  attachments: attachments.describe('Files for the run of the message'),
});
export type BeginRequest = z.input<typeof beginRequest>;
export const sayRequest = z.strictObject({
  text: z.string().describe('In your own words'),
  seen: message
    .optional()
    .describe('The last message that the user saw. The text does not answer a question that came later'),
  attachments: attachments.describe('Files for the run of the message. With files, it answers no question'),
});
export type SayRequest = z.input<typeof sayRequest>;
export const conversationAnswerRequest = z
  .strictObject({ run: id, question, ...reply })
  .refine(hasAnswer, NO_ANSWER);
export type ConversationAnswer = z.input<typeof conversationAnswerRequest>;
export const tellRequest = z.strictObject({ run: id, text: z.string().describe('In your own words') });
export type TellRequest = z.input<typeof tellRequest>;
export const cancelRequest = z.strictObject({ run: id.optional(), reason: words.optional() });
export type CancelRequest = z.input<typeof cancelRequest>;
export const acknowledgeRequest = z.strictObject({ messages: z.array(message).min(1).max(1_000) });
export const planRequest = z.strictObject({
  plan: z.string().min(1).max(200).describe('Its name, or its run'),
});
export const modelRequest = z.strictObject({ model: z.string().min(1).max(200) });
