export { normalise, parseJson, stringifyJson } from '../model/json.ts';
export type {
  Amounts,
  AnswerOptions,
  AnswerSoFar,
  CheckedPlan,
  ConversationNow,
  ConversationPage,
  ConversationRunStatus,
  DrivingState,
  EventPage,
  ForkOptions,
  ListOptions,
  MessagePage,
  PlacedDiagnostic,
  PlanOfRun,
  Problem,
  ResultPage,
  RunNow,
  RunPage,
  SayResult,
  ServerUser,
  StartedConversation,
  ToolList,
} from '../server/api.ts';
export type { ClientAttachment } from './attachments.ts';
export {
  type Client,
  type ClientOptions,
  createClient,
  type RunUpdate,
  type StartOptions,
} from './client.ts';
export type { FollowOptions } from './connection.ts';
export type {
  BeginOptions,
  Conversations,
  ConversationUpdate,
  PageOptions,
  SayOptions,
} from './conversations.ts';
