export {
  type Counted,
  type CountOptions,
  countedSchema,
  countKeptRuns,
  countRuns,
  createDurations,
  createQuestionList,
  type RunQuestion,
  runQuestionSchema,
} from './all-runs.ts';
export { type CaseCall, type CaseCommand, type RecordedCase, recordedCase } from './case.ts';
export { compareRuns, type RunDiff, type RunDifference, runDiffSchema } from './diff.ts';
export { type Forked, type ForkOptions, forkedSchema, forkRun } from './fork.ts';
export { wholeDecision } from './fork-point.ts';
export { createHistoryFiles, type HistoryFiles } from './history-files.ts';
export {
  type HistoryLine,
  historyLineSchema,
  historyLines,
  writeHistoryLines,
} from './history-lines.ts';
export {
  type HistoryEntry,
  type PlanHistory,
  type ProposedEntry,
  planHistory,
  planHistorySchema,
} from './plan-history.ts';
export { type Difference, type Replayed, type ReplayOptions, replayedSchema, replayRun } from './replay.ts';
export { type Lifted, lift, liftedSchema } from './save-as-plan.ts';
export { type Recorded, recordedSchema, recordRun } from './save-as-test.ts';
