import type { ConversationEvent } from '../domain/conversation.ts';
import { applyConversation, type ConversationState } from './conversation.ts';

/**
 * Predicates of every legal conversation. Each returns what is broken; an empty list means that the law holds.
 *
 * K1  seq counts from 1 without a gap, the conversation is the same in all, and conversation_started comes first and once.
 * K2  A message is written once. One of the agent speaks of a run that was begun before.
 * K3  A run is begun once, for a message of the user's.
 * K4  Only an agent's message is delivered, after it was written, and once.
 */
export function brokenConversationLaws(events: readonly ConversationEvent[]): string[] {
  const broken: string[] = [];
  let state: ConversationState | undefined;
  for (const [index, event] of events.entries()) {
    const isFirst = event.type === 'conversation_started';
    if (event.seq !== index + 1) broken.push(`K1: event ${index + 1} has seq ${event.seq}`);
    if (event.conversation !== events[0]?.conversation)
      broken.push(`K1: event ${event.seq} belongs to ${event.conversation}`);
    if (isFirst !== (index === 0)) broken.push(`K1: ${event.type} at seq ${event.seq}`);
    if (state !== undefined) broken.push(...messageLaws(event, state));
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
    default:
      return [];
  }
}
