import * as z from 'zod';
import { type ConversationEvent, type ConversationFact, message } from '../model/conversation.ts';
import { assertNever } from '../model/error.ts';
import type { Attachment } from '../model/task.ts';
import { clip, type Language, spokenLanguage } from '../model/text.ts';

export const writtenSchema = message.extend({ at: z.number().describe('Milliseconds since 1970') });
export type Written = Readonly<z.infer<typeof writtenSchema>>;

/** The state of a conversation, folded from its journal. */
export interface ConversationState {
  readonly conversation: string;
  readonly title: string;
  /** Of the user's last message that tells it. */
  language: Language | undefined;
  readonly userId: string | undefined;
  readonly startedAt: number;
  seq: number;
  lastAt: number;
  /** In the order in which they were written, by id. */
  readonly messages: Map<string, Written>;
  readonly delivered: Set<string>;
  /** The message that started each run. */
  readonly runs: Map<string, string>;
  /** The names of the plans, by run, in the order in which they were proposed. */
  readonly plans: Map<string, string>;
  /** The runs whose plan was never active. */
  readonly inactive: Set<string>;
  /** The run whose plan is active. */
  activePlan: string | undefined;
  /** The model chosen last. Undefined means the configured model. */
  model: string | undefined;
}

const LONGEST_TITLE = 80;

interface Opening {
  readonly userId?: string | undefined;
  readonly model: string | undefined;
  /** The configured language. */
  readonly language?: Language | undefined;
  /** The language of the user, if the message does not tell it. */
  readonly hint?: Language | undefined;
}

/** The first facts of a conversation that begins with this message. */
export function opening(
  text: string,
  { userId, model, hint = 'en', language = spokenLanguage(text) ?? hint }: Opening,
): ConversationFact[] {
  const title = clip(text.replaceAll(/\s+/g, ' ').trim(), LONGEST_TITLE);
  return [
    { type: 'conversation_started', data: { title, language, userId } },
    ...(model === undefined ? [] : [{ type: 'model_chosen' as const, data: { model } }]),
  ];
}

/** Mutates the state, as the fold of a run does. */
export function applyConversation(
  state: ConversationState | undefined,
  event: ConversationEvent,
): ConversationState {
  if (event.type === 'conversation_started') return begun(event);
  if (state === undefined)
    throw new Error(`A conversation begins with conversation_started, not with ${event.type}.`);
  state.seq = event.seq;
  state.lastAt = event.at;
  switch (event.type) {
    case 'message_written': {
      const { message } = event.data;
      if (state.messages.has(message.id)) return state;
      state.messages.set(message.id, { ...message, at: event.at });
      state.language = message.language ?? state.language;
      return state;
    }
    case 'run_begun':
      state.runs.set(event.data.run, event.data.message);
      return state;
    case 'message_delivered':
      state.delivered.add(event.data.message);
      return state;
    case 'plan_proposed':
      if (state.plans.has(event.data.run)) return state;
      state.plans.set(event.data.run, event.data.name);
      state.inactive.add(event.data.run);
      return state;
    case 'plan_activated':
      if (!state.plans.has(event.data.run)) state.plans.set(event.data.run, event.data.name);
      state.inactive.delete(event.data.run);
      state.activePlan = event.data.run;
      return state;
    case 'model_chosen':
      state.model = event.data.model;
      return state;
    default:
      return assertNever(event);
  }
}

export function foldConversation(events: Iterable<ConversationEvent>): ConversationState | undefined {
  let state: ConversationState | undefined;
  for (const event of events) state = applyConversation(state, event);
  return state;
}

/** The agent's unacknowledged messages, oldest first. */
export function undelivered({ messages, delivered }: ConversationState): Written[] {
  return [...messages.values()].filter(({ id, role }) => role === 'agent' && !delivered.has(id));
}

/** A plan of the conversation, by its name. */
export const namedPlanSchema = z.object({
  run: z.string(),
  name: z.string(),
  isActive: z.boolean().describe('The plan that the user works on'),
});
export type NamedPlan = Readonly<z.infer<typeof namedPlanSchema>>;

export function plansOf(state: ConversationState | undefined): NamedPlan[] {
  return [...(state?.plans ?? [])].map(([run, name]) => ({ run, name, isActive: run === state?.activePlan }));
}

/** The files of all messages, or of those before a message. */
export function attachmentsOf(state: ConversationState | undefined, before?: string): readonly Attachment[] {
  const all = [...(state?.messages.values() ?? [])];
  const end = before === undefined ? all.length : all.findIndex(({ id }) => id === before);
  return all.slice(0, Math.max(0, end)).flatMap(({ attachments = [] }) => attachments);
}

/** A name that no other plan of the conversation has. */
export function freeName(wanted: string, { plans }: ConversationState): string {
  const taken = new Set(plans.values());
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted} (${number})`;
  return name;
}

/** Whether the conversation has recorded the end of the run. */
export function isReported({ messages }: ConversationState, run: string): boolean {
  return messages.has(replyId(run));
}

/** The language of this message, or of an earlier one if this one does not show it. */
export function languageAt({ messages, language }: ConversationState, message: string): Language | undefined {
  const all = [...messages.values()];
  const until = all.slice(0, all.findIndex(({ id }) => id === message) + 1);
  return until.findLast((one) => one.language !== undefined)?.language ?? language;
}

/** For a message of the user. */
export function saidId(id: string): string {
  return `said/${id}`;
}

export function replyId(run: string): string {
  return run;
}

export function reportId(run: string, step: string): string {
  return `${run}/${step}`;
}

export function questionId(run: string, question: string): string {
  return `${run}/?${question}`;
}

/** What a reply left open. */
export function reminderId(run: string): string {
  return `${run}/!`;
}

/** How the answer to a question was understood. */
export function understoodId(run: string, question: string): string {
  return `${run}/=${question}`;
}

function begun({
  conversation,
  seq,
  at,
  data,
}: ConversationEvent & { type: 'conversation_started' }): ConversationState {
  return {
    conversation,
    title: data.title,
    language: data.language,
    userId: data.userId,
    startedAt: at,
    seq,
    lastAt: at,
    messages: new Map(),
    delivered: new Set(),
    runs: new Map(),
    plans: new Map(),
    inactive: new Set(),
    activePlan: undefined,
    model: undefined,
  };
}
