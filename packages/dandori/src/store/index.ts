export type { Blobs, Keys } from './blobs.ts';
export type { Bus } from './bus.ts';
export type { Dispatcher, Drive, DriveSignals, Patience, Working } from './dispatcher/dispatcher.ts';
export { type Overview, overviewSchema } from './dispatcher/workers.ts';
export {
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
  listAll,
  NEVER_LOST,
  type Parked,
  RUNS,
  type RunSummary,
  runStatus,
  runSummarySchema,
  summarise,
  type TornTail,
} from './journal.ts';
export type { Approvals } from './standing-approvals.ts';
export type { Store } from './store.ts';
