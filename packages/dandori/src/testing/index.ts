/** Helpers for testing your own tools, minds and journals: `import { … } from 'dandori/testing'`. */
export type { RecordedCase } from '../history/case.ts';
export { brokenLaws } from '../run/laws.ts';
export { blobCases, keyCases } from '../store/conformance/blobs.ts';
export type { Open, StoreCase } from '../store/conformance/cases.ts';
export { journalCases } from '../store/conformance/journal.ts';
export { createMemoryJournal } from '../store/in-memory.ts';
export * from './function-toolbox.ts';
export * from './model-server/index.ts';
export * from './obedient-mind.ts';
export * from './obedient-model.ts';
export * from './replay-server/index.ts';
export { CaseError, type CaseOptions, runCase } from './run-case.ts';
export * from './scripted-mind.ts';
export * from './step-clock.ts';
export * from './temporary-journal.ts';
export * from './worst-case.ts';
