export type { ConversationOptions, Examined, Finding, TornTail } from './app/dandori.ts';
export { loadConfig, openDandori, readPlanFile } from './app/late.ts';
export type { Dandori, DandoriOptions } from './app/library.ts';
export { type FollowOptions, type OnQuestion, type Run, RunError } from './app/run.ts';
export type { ApproveOptions, Page, RejectOptions } from './app/run-client.ts';
export type { OutputOf, RunOptions, YieldedOf } from './app/run-options.ts';
export type { GivenAttachment } from './commands/attachments.ts';
export type { Pruned, PruneOptions } from './commands/prune.ts';
export type { Rating } from './commands/steer.ts';
export type { Config } from './config/config.ts';
export type { LoadOptions } from './config/load.ts';
export type {
  Conversation,
  ConversationRun,
  Said,
  SayOptions,
  SpeakOptions,
} from './conversation/conversation.ts';
export type { RunPhase } from './conversation/drive-runs.ts';
export type { Asked } from './conversation/interpret.ts';
export type { ConversationState, Written } from './conversation/state.ts';
export type { Counted, CountOptions, RunQuestion } from './history/all-runs.ts';
export type { Forked, ForkOptions } from './history/fork.ts';
export type { PlanHistory } from './history/plan-history.ts';
export type { Replayed, ReplayOptions } from './history/replay.ts';
export type { Lifted } from './history/save-as-plan.ts';
export type { Recorded } from './history/save-as-test.ts';
export type { AiModel } from './mind/language/options.ts';
export type { Mind, ShownFile, Thinking, Thought } from './mind/mind.ts';
export type { Clock } from './model/clock.ts';
export type { ConversationEvent, Message } from './model/conversation.ts';
export { DandoriError, type ErrorCode } from './model/error.ts';
export type { Event, Live } from './model/event.ts';
export type { Failure } from './model/failure.ts';
export type { Json, JsonObject } from './model/json.ts';
export { parseJson, stringifyJson } from './model/json.ts';
export type { Diagnostic } from './model/plan.ts';
export type { Option, Question, StandingApproval } from './model/question.ts';
export type { Settings } from './model/settings.ts';
export type { Action, Task } from './model/task.ts';
export type { Effect, MissingServer, Tool } from './model/tool.ts';
export type { Compiled } from './plan/compile.ts';
export type { PlanFile } from './plan/read.ts';
export { type PlanComments, type WrittenPlan, writePlan } from './plan/write.ts';
export type { RunState, TaskState, TaskStatus } from './run/state/state.ts';
export type { ConversationSummary, RunSummary } from './store/journal.ts';
export type { Statistics, ToolStatistics } from './store/statistics.ts';
export { createFileStore, createMemoryStore, type Store } from './store/store.ts';
export {
  type AiTool,
  type GivenTool,
  type GivenTools,
  type ToolDefinition,
  tool,
} from './tools/program-tools.ts';
export {
  ambiguous,
  defineService,
  type InnerCallOptions,
  type Service,
  type ServiceContext,
} from './tools/service.ts';
export type { Call, CallOutcome, Toolbox } from './tools/toolbox.ts';
export type { AskedQuestion, Report, TaskReport } from './views/report.ts';
export type { ResultPart, ResultRange } from './views/result-page.ts';
