import * as z from 'zod';
import { usage } from '../model/decision.ts';
import { outcome, purpose } from '../model/event.ts';
import { failure } from '../model/failure.ts';
import { json, jsonObject } from '../model/json.ts';
import { option, questionKind } from '../model/question.ts';
import { settings } from '../model/settings.ts';
import { task } from '../model/task.ts';
import { effect } from '../model/tool.ts';

/** The form of a case file. Only optional fields may be added to it. */
export const CASE_VERSION = 1;

const decision = z.object({
  purpose,
  /** What the mind decided, in the form in which it would say it again. */
  actions: z.array(task).optional(),
  reasoning: z.string().optional(),
  /** Instead of actions, if the decision failed. */
  failure: failure.optional(),
  /** The model that was asked from there on. */
  next: z.string().optional(),
  /** Instead of both, if the call was never made because it needed more than was left. */
  needed: z.object({ limit: z.enum(['tokens', 'cost']), amount: z.number() }).optional(),
  usage: usage.optional(),
  ms: z.number(),
});

const request = z.object({ text: z.string(), form: jsonObject.optional(), url: z.string().optional() });

const call = z.object({
  task: z.string(),
  operation: z.string(),
  args: jsonObject,
  /** What it asked a person while it was open, in order, and what it was told; nothing where it did not wait for that. */
  asks: z.array(request.extend({ told: z.enum(['accept', 'decline', 'cancel']).optional() })).optional(),
  /** One of these five says how it ended. */
  result: json.optional(),
  failure: failure.optional(),
  lost: z.enum(['timeout', 'connection_lost', 'cancelled']).optional(),
  ambiguous: z
    .object({
      question: z.string(),
      options: z.array(option),
      form: jsonObject.optional(),
      default: json.optional(),
    })
    .optional(),
  wanted: z
    .object({
      requests: z.array(request.extend({ name: z.string().optional() })),
      state: z.string().optional(),
    })
    .optional(),
  note: z.string().optional(),
  ms: z.number(),
});

const tool = z.object({
  name: z.string(),
  server: z.string(),
  description: z.string(),
  inputSchema: jsonObject,
  outputSchema: jsonObject.optional(),
  effect,
  resource: z.string().optional(),
  independent: z.boolean().optional(),
  cost: z.number().optional(),
  calls: z.array(z.string()).optional(),
  trusted: z.boolean(),
});

/** Done again as soon as so many decisions have been begun. */
const moment = { decision: z.number().int() };

/** What users did, in order. Unless it says otherwise, each is repeated as soon as the run stands still and it fits. */
const command = z.object({
  answer: z
    .object({
      kind: questionKind,
      task: z.string().optional(),
      /** Of the question, where a call may have asked several. */
      text: z.string().optional(),
      value: json,
      declined: z.boolean().optional(),
      comment: z.string().optional(),
      /** It came while the call that asked was open for it, and comes as soon as that asks. */
      held: z.boolean().optional(),
    })
    .optional(),
  /** Instead of an answer: the question expired. */
  expire: z.object({ kind: questionKind, task: z.string().optional() }).optional(),
  note: z
    .object({ text: z.string(), passedOnBy: z.object({ run: z.string() }).optional(), ...moment })
    .optional(),
  pause: z.object({ reason: z.string().optional(), ...moment }).optional(),
  continue: z.object({}).optional(),
  addBudget: z.record(z.string(), z.number()).optional(),
});

/** A run as a test: what the mind decided, what tools and users answered, and the outcome. */
export const recordedCase = z.object({
  version: z.literal(CASE_VERSION),
  goal: z.string(),
  userId: z.string().optional(),
  mind: z.string(),
  settings,
  /** A plan of the user's. */
  plan: z.array(task).optional(),
  tools: z.array(tool),
  decisions: z.array(decision),
  calls: z.array(call),
  commands: z.array(command),
  expect: z.object({
    outcome: z.union([outcome, z.literal('waiting')]),
    answer: z.string().nullable(),
    failure: z.string().optional(),
    /** As written, in order. */
    plan: z.array(task),
    /** Each task and how it ended. */
    tasks: z.record(z.string(), z.string()),
  }),
});
export type RecordedCase = z.infer<typeof recordedCase>;
export type CaseDecision = z.infer<typeof decision>;
export type CaseCall = z.infer<typeof call>;
export type CaseCommand = z.infer<typeof command>;
