/** Parts for tests of your own tools, minds and journals: `import { … } from 'dandori/testing'`. */
export * from './function-toolbox.ts';
export * from './model-server/index.ts';
export * from './scripted-mind.ts';
export * from './step-clock.ts';
export * from './temporary-journal.ts';
