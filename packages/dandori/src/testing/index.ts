/** Parts for tests of your own tools, minds and journals: `import { … } from 'dandori/testing'`. */
export { createMemoryJournal } from '../adapters/journal/memory.ts';
export { CaseError } from './case/difference.ts';
export { type CaseOptions, runCase } from './case/run-case.ts';
export * from './function-toolbox.ts';
export { type JournalCase, journalCases, type OpenJournal } from './journal-cases.ts';
export * from './model-server/index.ts';
export * from './replay-server/index.ts';
export * from './scripted-mind.ts';
export * from './simulator/index.ts';
export * from './step-clock.ts';
export * from './temporary-journal.ts';
