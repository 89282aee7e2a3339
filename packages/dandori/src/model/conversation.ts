import * as z from 'zod';
import { fact, outcome } from './event.ts';
import { language } from './settings.ts';
import { attachment } from './task.ts';

/** The version of conversation events. A conversation has its own journal. */
export const CONVERSATION_VERSION = 1;

/** The progress of the work that a message is about. */
export const tally = z.object({
  done: z.number().int(),
  failed: z.number().int(),
  total: z.number().int(),
  steps: z.object({ done: z.number().int(), total: z.number().int() }).optional(),
});
export type Tally = z.infer<typeof tally>;

/** What the agent suggests to do next. The goal is what the user would say to have it done. */
export const nextAction = z.object({ text: z.string(), goal: z.string().optional() });
export type NextAction = z.infer<typeof nextAction>;

/**
 * `said`: a message of the user. `reply`: the answer of a run that ended. `report`: news of a step that
 * ended. `question`: a question that a run asks. `understood`: how the user's words were read as an answer.
 * `reminder`: the questions that a reply left open.
 */
const messageKind = z.enum(['said', 'reply', 'report', 'question', 'understood', 'reminder']);

/** A message in a conversation. An agent's message has an id derived from the run, so it is unique. */
export const message = z.object({
  id: z.string(),
  role: z.enum(['user', 'agent']),
  kind: messageKind,
  text: z.string(),
  /** The files that the user sent with it. */
  attachments: z.array(attachment).optional(),
  /** The language of the user's message, if it can be detected. The agent replies in it. */
  language: language.optional(),
  run: z.string().optional(),
  step: z.string().optional(),
  /** The question that is asked, or that the user answers with this message. */
  question: z.string().optional(),
  /** For a reply, how the run ended. For a report, how the step ended. */
  outcome: z.union([outcome, z.enum(['completed'])]).optional(),
  tally: tally.optional(),
  /** Whether its run had read a stranger's text. Missing in older messages, which may have. */
  hasHeardStrangers: z.boolean().optional(),
  /** Why something failed, if that is known. */
  causes: z.array(z.string()).optional(),
  next: nextAction.optional(),
  /** False if the mind gave no text and the runtime wrote it. */
  byMind: z.boolean().optional(),
});
export type Message = z.infer<typeof message>;

/** Facts of a conversation. It only refers to the work; the runs hold the details. */
export const conversationFactSchema = z.discriminatedUnion('type', [
  fact('conversation_started', {
    /** The beginning of the first message, for lists. */
    title: z.string(),
    language: language.optional(),
    userId: z.string().optional(),
  }),
  fact('message_written', { message }),
  /** The run of a message. It is written before the run exists, so a crash does not lose the message. */
  fact('run_begun', { run: z.string(), message: z.string() }),
  /** An agent's message was actually shown to the user. */
  fact('message_delivered', { message: z.string() }),
  /** A plan waits for approval. It has a name from then on. */
  fact('plan_proposed', { run: z.string(), name: z.string() }),
  /** The plan of this run is the active one. It is written when the plan is approved, or when the user turns to it. */
  fact('plan_activated', { run: z.string(), name: z.string() }),
  /** For the runs that follow. */
  fact('model_chosen', { model: z.string() }),
]);
export type ConversationFact = z.infer<typeof conversationFactSchema>;

export const conversationEnvelopeSchema = z.object({
  v: z.literal(CONVERSATION_VERSION),
  conversation: z.string(),
  seq: z.number().int().positive(),
  at: z.number().describe('Milliseconds since 1970'),
});
export type ConversationEvent = Readonly<z.infer<typeof conversationEnvelopeSchema>> & ConversationFact;
