export type {
  CheckedPlan,
  DrivingState,
  EventPage,
  PlacedDiagnostic,
  PlanOfRun,
  Problem,
  RunNow,
  RunPage,
  ToolList,
} from './api.ts';
export {
  type Amounts,
  type AnswerOptions,
  type Client,
  type ClientOptions,
  createClient,
  type Followed,
  type FollowOptions,
  type ForkOptions,
  type ListOptions,
  type ResultPage,
  type StartOptions,
} from './client.ts';
