export { createChanges } from './changes.ts';
export {
  type Conversation,
  type ConversationParts,
  type ConversationRun,
  conversationRunSchema,
  type Said,
} from './conversation.ts';
export { LIGHT_TIME, type RunPhase } from './drive-runs.ts';
export { unfinished } from './follow-runs.ts';
export { type Asked, askedSchema, whySchema } from './interpret.ts';
export { conversationBreaches } from './laws.ts';
export { isAwaited } from './ledger.ts';
export { newConversation, openConversation } from './open-conversation.ts';
export {
  applyConversation,
  type ConversationState,
  foldConversation,
  namedPlanSchema,
  plansOf,
  undelivered,
  type Written,
  writtenSchema,
} from './state.ts';
