export type { Blobs, Keys } from './blobs.ts';
export type { Bus } from './bus.ts';
export type { KeptCounts } from './counts.ts';
export type { Dispatcher, Drive, DriveSignals, Patience, Working } from './dispatcher/dispatcher.ts';
export { type Overview, overviewSchema, type WorkerNow } from './dispatcher/worker-overview.ts';
export {
  allConversations,
  allRuns,
  assertFollows,
  type Claim,
  type ConversationJournal,
  type ConversationSummary,
  claimEnded,
  conflict,
  conversationSummarySchema,
  drivenElsewhere,
  type Entry,
  isListed,
  type Journal,
  type ListOptions,
  listAll,
  NEVER_LOST,
  ownerOf,
  type Parked,
  RUNS,
  type RunSummary,
  runStatus,
  runSummarySchema,
  summarise,
  type TornTail,
} from './journal.ts';
export type { Approvals } from './standing-approvals.ts';
export { type PeriodLength, periodLength, statisticsSchema } from './statistics.ts';
export type { Store } from './store.ts';
