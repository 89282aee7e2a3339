export { createFileStore, createMemoryStore, type Store } from './adapters/store/store.ts';
export {
  ambiguous,
  defineService,
  defineTool,
  type InnerCallOptions,
  type Service,
  type ServiceContext,
} from './adapters/tools/service.ts';
export type { Config } from './config/config.ts';
export { type LoadOptions, loadConfig } from './config/load.ts';
export { type PlanFile, parsePlan, readPlanFile } from './config/plan-file.ts';
export type { UserConfigProblem } from './config/user-config-api.ts';
export type { UserConfigWarning } from './config/user-settings.ts';
export { apply, fold } from './core/apply.ts';
export type { Compiled } from './core/compile.ts';
export { type ConversationState, foldConversation, type Written } from './core/conversation.ts';
export { brokenConversationLaws } from './core/conversation-laws.ts';
export type { HistoryEntry, PlanHistory } from './core/history.ts';
export { brokenLaws } from './core/laws.ts';
export type { Inferred, Lifted } from './core/lift.ts';
export type { Asked } from './core/meaning.ts';
export { type PlanComments, type WrittenPlan, writePlan } from './core/plan-writer.ts';
export type { AskedQuestion, InnerCallReport, Report, TaskReport } from './core/report.ts';
export type { RunDiff, RunDifference } from './core/run-diff.ts';
export type { RunState, TaskState, TaskStatus } from './core/state.ts';
export type { Statistics, ToolStatistics } from './core/statistics.ts';
export {
  type AnswerOptions,
  type ApproveOptions,
  type ConversationOptions,
  type Dandori,
  type Examined,
  type Finding,
  type FindingKind,
  type OpenOptions,
  openDandori,
  type RejectOptions,
  type RunOptions,
  type TornTail,
} from './dandori.ts';
export type { RecordedCase } from './domain/case.ts';
export type { ConversationEvent, ConversationFact, Message } from './domain/conversation.ts';
export type { Diagnostic } from './domain/diagnostic.ts';
export type { Effect } from './domain/effect.ts';
export { DandoriError, type ErrorCode } from './domain/error.ts';
export type { Event, Fact, Outcome } from './domain/event.ts';
export type { Failure } from './domain/failure.ts';
export type { Json, JsonObject } from './domain/json.ts';
export { normalise, parseJson, stringifyJson } from './domain/json-text.ts';
export type { Option, Question } from './domain/question.ts';
export type { Settings } from './domain/settings.ts';
export type { Action, Task } from './domain/task.ts';
export type { Tool } from './domain/tool.ts';
export type { Standing } from './engine/background.ts';
export type {
  Conversation,
  ConversationRun,
  Said,
  SayOptions,
  SpeakOptions,
} from './engine/conversation.ts';
export type { Counted, CountOptions } from './engine/count.ts';
export type { Forked, ForkOptions } from './engine/fork.ts';
export type { Rating } from './engine/inbox.ts';
export type { Live } from './engine/live.ts';
export type { RunQuestion } from './engine/open-questions.ts';
export type { LeftRun, Pruned, PrunedRun, PruneOptions } from './engine/prune.ts';
export type { Recorded } from './engine/record.ts';
export type { Difference, Replayed, ReplayOptions } from './engine/replay.ts';
export type { Blobs, StoredBlob } from './ports/blobs.ts';
export type { Clock } from './ports/clock.ts';
export type {
  Claim,
  ConversationJournal,
  ConversationSummary,
  Entry,
  Journal,
  RunSummary,
} from './ports/journal.ts';
export type { Keys } from './ports/keys.ts';
export type { Mind, Thinking, Thought } from './ports/mind.ts';
export type { Call, CallOutcome, Toolbox } from './ports/toolbox.ts';
