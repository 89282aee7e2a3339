export type { Blobs, Keys } from './blobs.ts';
export type { Bus } from './bus.ts';
export { type Copied, type CopiedStore, copyStore } from './copy/copy.ts';
export type { Dispatcher, Drive, DriveSignals, Patience, Working } from './dispatcher/dispatcher.ts';
export { createLocalDispatcher } from './dispatcher/local.ts';
export { type Overview, overviewSchema } from './dispatcher/workers.ts';
export { type DoctorOptions, examineStore } from './doctor/doctor.ts';
export { createStoreKey } from './files/keys.ts';
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
export { createMemoryBlobs, createMemoryJournal } from './memory.ts';
export { type Approvals, createFileApprovals, createMemoryApprovals } from './standing-approvals.ts';
export {
  createFileStore,
  createMemoryStore,
  foldersOf,
  STORE_PARTS,
  type Store,
  type StoreFolders,
} from './store.ts';
