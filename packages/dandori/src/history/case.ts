import * as z from 'zod';
import { passedOn, usage } from '../model/decision.ts';
import { outcome, purpose } from '../model/event.ts';
import { failure, lostCause } from '../model/failure.ts';
import { json, jsonObject } from '../model/json.ts';
import { ambiguity, questionKind } from '../model/question.ts';
import { settings } from '../model/settings.ts';
import { task } from '../model/task.ts';
import { effect } from '../model/tool.ts';

/** The form of a case file. Only optional fields may be added to it. */
export const CASE_VERSION = 1;

const decision = z.object({
  purpose,
  /** A decision of the mind, in the form in which the mind repeats it. */
  actions: z.array(task).optional(),
  reasoning: z.string().optional(),
  /** Instead of actions, if the decision failed. */
  failure: failure.optional(),
  /** The model that was asked from then on. */
  next: z.string().optional(),
  /** Instead of both, if the call was not made because it needed more than the remaining limit. */
  needed: z
    .object({
      limit: z.enum(['tokens', 'cost']),
      amount: z.number(),
      /** The closing answer could still be paid for. */
      reserved: z.literal(true).optional(),
    })
    .optional(),
  usage: usage.optional(),
  ms: z.number(),
});

const request = z.object({ text: z.string(), form: jsonObject.optional(), url: z.string().optional() });

const call = z.object({
  task: z.string(),
  operation: z.string(),
  args: jsonObject,
  /** The call only said what it would do. */
  preview: z.literal(true).optional(),
  /**
   * The questions that the call asked while it was open, in order, and the answers. An answer is missing if
   * the call did not wait for it.
   */
  asks: z.array(request.extend({ told: z.enum(['accept', 'decline', 'cancel']).optional() })).optional(),
  /** Exactly one of these five fields says how the call ended. */
  result: json.optional(),
  failure: failure.optional(),
  lost: lostCause.optional(),
  ambiguous: ambiguity.optional(),
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
  preview: z.boolean().optional(),
  calls: z.array(z.string()).optional(),
  trusted: z.boolean(),
});

/** Repeated as soon as this many decisions have started. */
const moment = { decision: z.number().int() };

/**
 * What users did, in order. By default each command is repeated as soon as the run is idle and the command
 * applies.
 */
const command = z.object({
  answer: z
    .object({
      kind: questionKind,
      task: z.string().optional(),
      /** The text of the question, because a call may have asked several. */
      text: z.string().optional(),
      value: json,
      declined: z.boolean().optional(),
      comment: z.string().optional(),
      /** The answer arrived while the call was held open. It is repeated as soon as the call asks. */
      held: z.boolean().optional(),
    })
    .optional(),
  /** Instead of an answer: the question expired. */
  expire: z.object({ kind: questionKind, task: z.string().optional() }).optional(),
  note: z.object({ text: z.string(), passedOnBy: passedOn.optional(), ...moment }).optional(),
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
  /** A plan given by the user. */
  plan: z.array(task).optional(),
  tools: z.array(tool),
  decisions: z.array(decision),
  calls: z.array(call),
  commands: z.array(command),
  expect: z.object({
    outcome: z.union([outcome, z.literal('waiting')]),
    answer: z.string().nullable(),
    failure: z.string().optional(),
    /** In written order. */
    plan: z.array(task),
    /** Each task and how it ended. */
    tasks: z.record(z.string(), z.string()),
  }),
});
export type RecordedCase = z.infer<typeof recordedCase>;
export type CaseDecision = z.infer<typeof decision>;
export type CaseCall = z.infer<typeof call>;
export type CaseCommand = z.infer<typeof command>;
