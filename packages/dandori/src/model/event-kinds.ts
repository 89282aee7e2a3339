import type { ConversationEvent } from './conversation.ts';
import type { BlobHandle, Envelope, Event, Fact, FactOf, FactType } from './event.ts';

/**
 * Where a fact comes from. `start` opens the journal. `command`: written from outside the driver. `outcome`:
 * what the mind, a tool or a crash did. `decided`: the driver concluded it from the state.
 */
type Origin = 'start' | 'command' | 'outcome' | 'decided';

/** Every fact is listed, so that a new one cannot be dropped by accident where two processes write. */
const ORIGINS: Readonly<Record<FactType, Origin>> = {
  run_started: 'start',
  // Without this fact, the time without a driver and the lost model call would count.
  run_resumed: 'outcome',
  decision_started: 'decided',
  decision_made: 'outcome',
  decision_failed: 'outcome',
  reflection_made: 'outcome',
  plan_proposed: 'outcome',
  plan_revised: 'outcome',
  plan_approved: 'decided',
  plan_rejected: 'decided',
  task_started: 'decided',
  task_succeeded: 'outcome',
  task_failed: 'outcome',
  task_in_doubt: 'outcome',
  // The service waits for this call, even if a command arrived in the meantime.
  inner_call_started: 'outcome',
  inner_call_ended: 'outcome',
  probe_started: 'decided',
  probe_ended: 'outcome',
  preview_started: 'decided',
  preview_ended: 'outcome',
  call_approved: 'decided',
  // Some questions come from a call or from the mind: see `originOf`.
  question_asked: 'decided',
  hold_ended: 'decided',
  question_answered: 'command',
  question_expired: 'decided',
  answer_applied: 'decided',
  note_added: 'command',
  run_paused: 'command',
  run_continued: 'command',
  limit_reached: 'decided',
  budget_added: 'command',
  cancel_requested: 'command',
  run_finished: 'decided',
  run_rated: 'command',
};

/** A page that was loaded before the server was upgraded gets facts that it does not know. */
export function isFactType(type: string): type is FactType {
  return Object.hasOwn(ORIGINS, type);
}

export function originOf({ type, data }: Fact): Origin {
  if (type !== 'question_asked') return ORIGINS[type];
  return data.attempt !== undefined || data.question.task === undefined ? 'outcome' : 'decided';
}

/** Facts from outside the driver. The driver accepts them; any other writer makes it stand down. */
export function isCommand(type: FactType): boolean {
  return ORIGINS[type] === 'command';
}

/** Whether the run has ended with this event or before it. Only a rating comes after the end. */
export function isAtEnd(event: Event): event is Envelope & FactOf<'run_finished' | 'run_rated'> {
  return event.type === 'run_finished' || event.type === 'run_rated';
}

/** What an event refers to in the store: a result, or the attachments of a run or a message. */
export function blobsOf({ type, data }: Event | ConversationEvent): readonly BlobHandle[] {
  if (type === 'run_started') return data.attachments?.map(({ blob }) => blob) ?? [];
  if (type === 'message_written') return data.message.attachments?.map(({ blob }) => blob) ?? [];
  return 'blob' in data && data.blob !== undefined ? [data.blob] : [];
}

/** What to do with some kinds of facts. Kinds that are not listed are ignored. */
export type FactHandlers<T> = { readonly [Type in FactType]?: (event: Envelope & FactOf<Type>) => T };

/** Calls the handler for an event. Undefined if there is none. */
export function handleFact<T>(event: Event, handlers: FactHandlers<T>): T | undefined {
  // The key of a handler is the type that it takes. TypeScript cannot relate the two.
  const handler = handlers[event.type] as ((event: Event) => T) | undefined;
  return handler?.(event);
}
