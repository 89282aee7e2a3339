/** The exports of `dandori/store`: everything needed to write your own store. */
export type { ConversationEvent, ConversationFact } from '../model/conversation.ts';
export { DandoriError, type ErrorCode } from '../model/error.ts';
export {
  type BlobHandle,
  type Envelope,
  EVENT_VERSION,
  type Event,
  eventOf,
  type Fact,
} from '../model/event.ts';
export type { StandingApproval } from '../model/question.ts';
export { type Blobs, handleOf, type Keys, type StoredBlob } from './blobs.ts';
export { blobCases, keyCases } from './conformance/blobs.ts';
export type { Open, StoreCase } from './conformance/cases.ts';
export { type DispatchingStore, dispatcherCases, type OpenDispatching } from './conformance/dispatcher.ts';
export { journalCases } from './conformance/journal.ts';
export type { KeptCounts } from './counts.ts';
export type {
  Dispatcher,
  Drive,
  DriveSignals,
  DrivingState,
  Patience,
  Trouble,
  Working,
  WorkOptions,
} from './dispatcher/dispatcher.ts';
export { createLocalDispatcher } from './dispatcher/local.ts';
export {
  assertFollows,
  type Claim,
  CONVERSATIONS,
  type ConversationJournal,
  type ConversationSummary,
  claimEnded,
  conflict,
  drivenElsewhere,
  type Entry,
  type Form,
  isListed,
  type Journal,
  type ListOptions,
  NEVER_LOST,
  type Parked,
  RUNS,
  type RunStatus,
  type RunSummary,
} from './journal.ts';
export type { Approvals } from './standing-approvals.ts';
export { createFileStore, createMemoryStore, type Store } from './store.ts';
