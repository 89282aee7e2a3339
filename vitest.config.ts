import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const TIME = { testTimeout: 120_000, hookTimeout: 120_000 };

/** What touches nothing of the process shares its modules among files: loading them anew takes longer than most tests. */
const QUIET = ['core', 'config', 'engine', 'fixtures', 'house', 'mind'].map(
  (room) => `packages/dandori/test/${room}/**/*.test.ts`,
);

/** The page sees the core by names that vite resolves. */
const PAGE = [{ find: /^#(core|domain)\//, replacement: `${import.meta.dirname}/packages/dandori/src/$1/` }];

export default defineConfig({
  test: {
    globalSetup: 'packages/dandori/test/installation.ts',
    // Many tests wait for processes and disks, so one file more than there are cores may run.
    maxWorkers: availableParallelism() + 1,
    projects: [
      { test: { name: 'quiet', include: QUIET, isolate: false, ...TIME } },
      {
        resolve: { alias: PAGE },
        test: {
          name: 'alone',
          include: ['packages/*/test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: [...QUIET, '**/node_modules/**'],
          expect: { poll: { timeout: 20_000 } },
          ...TIME,
        },
      },
    ],
  },
});
