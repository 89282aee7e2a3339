export type { ConversationRunStatus } from './api.ts';
