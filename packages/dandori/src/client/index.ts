export { normalise, parseJson, stringifyJson } from '../model/json.ts';
export type {
  AnswerSoFar,
  BegunConversation,
  CheckedPlan,
  ConversationNow,
  ConversationPage,
  DrivingState,
  EventPage,
  Heard,
  MessagePage,
  PlacedDiagnostic,
  PlanOfRun,
  Problem,
  RunNow,
  RunPage,
  ServerUser,
  TalkedRun,
  ToolList,
} from './api.ts';
export {
  type Amounts,
  type AnswerOptions,
  type Client,
  type ClientOptions,
  createClient,
  type Followed,
  type ForkOptions,
  type ListOptions,
  type ResultPage,
  type StartOptions,
} from './client.ts';
export type { FollowOptions } from './connection.ts';
export type { BeginOptions, Conversations, PageOptions, SayOptions, Talked } from './conversations.ts';
