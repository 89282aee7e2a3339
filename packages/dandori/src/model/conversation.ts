import * as z from 'zod';
import { outcome } from './event.ts';

/** Of the events of a conversation, which has a journal of its own. */
export const CONVERSATION_VERSION = 1;

/** How far the work is that a message speaks of. */
export const tally = z.object({
  done: z.number().int(),
  failed: z.number().int(),
  total: z.number().int(),
  steps: z.object({ done: z.number().int(), total: z.number().int() }).optional(),
});
export type Tally = z.infer<typeof tally>;

/**
 * `said`: by the user. `reply`: how a run ended, in the words of its answer. `report`: of a step that has ended.
 * `question`: one that a run has asked.
 */
const messageKind = z.enum(['said', 'reply', 'report', 'question']);

/** What stands in a conversation. An agent's has an id that follows from the run, so that it can be there only once. */
export const message = z.object({
  id: z.string(),
  role: z.enum(['user', 'agent']),
  kind: messageKind,
  text: z.string(),
  run: z.string().optional(),
  step: z.string().optional(),
  /** The question that is asked, or that the user has answered with this. */
  question: z.string().optional(),
  /** Of a reply: how the run ended. Of a report: how the step did. */
  outcome: z.union([outcome, z.enum(['completed'])]).optional(),
  tally: tally.optional(),
  /** Why something failed, as far as it is known. */
  causes: z.array(z.string()).optional(),
  /** False where the mind had no words for it and the runtime wrote it. */
  byMind: z.boolean().optional(),
});
export type Message = z.infer<typeof message>;

const fact = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), data: z.object(shape) });

/** Facts of a conversation. Of the work itself the runs know; here it is only referred to. */
export const conversationFactSchema = z.discriminatedUnion('type', [
  fact('conversation_started', {
    /** The beginning of the first message, for lists. */
    title: z.string(),
    language: z.enum(['en', 'ja']).optional(),
    userId: z.string().optional(),
  }),
  fact('message_written', { message }),
  /** The run of a message. It is written before the run is, so that what was said is done even after a crash. */
  fact('run_begun', { run: z.string(), message: z.string() }),
  /** An agent's message has really been shown to the user. */
  fact('message_delivered', { message: z.string() }),
  /** For the runs that follow. */
  fact('model_chosen', { model: z.string() }),
]);
export type ConversationFact = z.infer<typeof conversationFactSchema>;

interface ConversationEnvelope {
  readonly v: typeof CONVERSATION_VERSION;
  readonly conversation: string;
  readonly seq: number;
  readonly at: number;
}
export type ConversationEvent = ConversationEnvelope & ConversationFact;

export const conversationEnvelopeSchema = z.object({
  v: z.literal(CONVERSATION_VERSION),
  conversation: z.string(),
  seq: z.number().int().positive(),
  at: z.number(),
});
