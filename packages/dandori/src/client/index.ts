export { normalise, parseJson, stringifyJson } from '../model/json.ts';
export type {
  Amounts,
  AnswerOptions,
  AnswerSoFar,
  BegunConversation,
  CheckedPlan,
  ConversationNow,
  ConversationPage,
  DrivingState,
  EventPage,
  ForkOptions,
  Heard,
  ListOptions,
  MessagePage,
  PlacedDiagnostic,
  PlanOfRun,
  Problem,
  ResultPage,
  RunNow,
  RunPage,
  ServerUser,
  TalkedRun,
  ToolList,
} from '../server/api.ts';
export { type Client, type ClientOptions, createClient, type Followed, type StartOptions } from './client.ts';
export type { FollowOptions } from './connection.ts';
export type { BeginOptions, Conversations, PageOptions, SayOptions, Talked } from './conversations.ts';
