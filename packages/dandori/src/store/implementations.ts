/** The second door of the room: the stores themselves. `index.ts` has only what a user of any store needs. */
export type { Copied, CopiedStore } from './copy/copy.ts';
export { createLocalDispatcher } from './dispatcher/local.ts';
export type { DoctorOptions } from './doctor/doctor.ts';
export { createStoreKey } from './files/keys.ts';
export { createMemoryBlobs, createMemoryJournal } from './in-memory.ts';
export { createFileApprovals, createMemoryApprovals } from './standing-approvals.ts';
export { createFileStore, createMemoryStore, foldersOf, STORE_PARTS, type StoreFolders } from './store.ts';
