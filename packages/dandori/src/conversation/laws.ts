import type { ConversationEvent } from '../model/conversation.ts';
import { assertNever } from '../model/error.ts';
import type { Breach } from '../model/finding.ts';
import { applyConversation, type ConversationState } from './state.ts';

/**
 * Predicates of every legal conversation. Each returns the violations; an empty list means that the law
 * holds.
 *
 * K1  seq counts from 1 without a gap, every event names the same conversation, and conversation_started
 *     comes first and only once.
 * K2  A message is written once. A message of the agent belongs to a run that was started before.
 * K3  A run is started once, for a message of the user.
 * K4  Only a message of the agent is delivered, once, after it was written.
 * K5  Only the plan of a run of the conversation is activated.
 */
export function brokenConversationLaws(events: readonly ConversationEvent[]): string[] {
  return conversationBreaches(events).map(({ message }) => message);
}

export function conversationBreaches(events: readonly ConversationEvent[]): Breach[] {
  const broken: Breach[] = [];
  let state: ConversationState | undefined;
  for (const [index, event] of events.entries()) {
    const { seq, type, conversation } = event;
    const isFirst = type === 'conversation_started';
    const messages = [
      ...(seq === index + 1 ? [] : [`K1: event ${index + 1} has seq ${seq}`]),
      ...(conversation === events[0]?.conversation ? [] : [`K1: event ${seq} belongs to ${conversation}`]),
      ...(isFirst === (index === 0) ? [] : [`K1: ${type} at seq ${seq}`]),
      ...(state === undefined ? [] : messageLaws(event, state)),
    ];
    broken.push(...messages.map((message) => ({ seq, message })));
    // Without the first event, the other laws can't be checked.
    if (state === undefined && !isFirst) break;
    state = applyConversation(state, event);
  }
  return broken;
}

function messageLaws(event: ConversationEvent, { messages, runs, delivered }: ConversationState): string[] {
  switch (event.type) {
    case 'message_written': {
      const { id, role, run } = event.data.message;
      return [
        ...(messages.has(id) ? [`K2: ${id} was written twice`] : []),
        ...(role === 'agent' && !runs.has(run ?? '')
          ? [`K2: ${id} speaks of no run of this conversation`]
          : []),
      ];
    }
    case 'run_begun': {
      const { run, message } = event.data;
      return [
        ...(runs.has(run) ? [`K3: ${run} was begun twice`] : []),
        ...(messages.get(message)?.role === 'user'
          ? []
          : [`K3: ${run} was begun for no message of the user's`]),
      ];
    }
    case 'message_delivered': {
      const { message } = event.data;
      return [
        ...(messages.get(message)?.role === 'agent'
          ? []
          : [`K4: ${message} was delivered and is none of the agent`]),
        ...(delivered.has(message) ? [`K4: ${message} was delivered twice`] : []),
      ];
    }
    case 'plan_proposed':
    case 'plan_activated': {
      const { run } = event.data;
      return runs.has(run) ? [] : [`K5: ${event.type} is about ${run}, which is no run of this conversation`];
    }
    case 'conversation_started':
    case 'model_chosen':
      return [];
    default:
      return assertNever(event);
  }
}
