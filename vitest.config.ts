import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * How long something may take is no matter of any test: these limits end a test that hangs. What waits within a test gives
 * up first, so that it can say what did not happen.
 */
const LIMITS = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  teardownTimeout: 600_000,
  expect: { poll: { timeout: 300_000 } },
};

/** What replaces modules for others needs modules of its own. All other files share them: loading them takes longer than most tests. */
const ALONE = ['packages/dandori/test/store/group-commit.test.ts'];

/** The page sees the core by names that vite resolves. */
const PAGE = [{ find: /^#dandori\//, replacement: `${import.meta.dirname}/packages/dandori/src/` }];

/** The files that take longest begin first, so that at the end no core waits for one of them. */
const SLOWEST = [
  'web/test/proof/life',
  'dandori/test/postgres/postgres',
  'dandori/test/build/packed',
  'dandori/test/crash/crash',
  'web/test/run/run-page',
  'web/test/proof/restart',
  'web/test/run/views',
  'web/test/proof/strangers',
  'web/test/home/home',
  'web/test/conversations/conversations',
  'web/test/live/connections',
  'dandori/test/cli/crash',
  'dandori/test/cli/people',
  'dandori/test/cli/elicitation',
  'dandori/test/server/process',
  'dandori/test/server/conversation-process',
  'dandori/test/cli/disk',
  'dandori/test/cli/approval',
  'dandori/test/conversation/terminal',
  'dandori/test/conversation/restart',
  'web/test/shell/shell',
  'dandori/test/tools/mcp-broken',
  'dandori/test/goals/goals',
  'dandori/test/driver/scale',
  'dandori/test/tools/schema-hostile',
  'dandori/test/mind/language/long-run',
].map((path) => `/packages/${path}.test.ts`);

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = SLOWEST.findIndex((path) => moduleId.endsWith(path));
      return place < 0 ? SLOWEST.length : place;
    };
    return (await super.sort(files)).sort((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  test: {
    globalSetup: ['packages/dandori/test/installation.ts', 'packages/web/test/chromium.ts'],
    sequence: { sequencer: SlowestFirst },
    // Many tests wait for processes and disks, so two files more than there are cores may run.
    maxWorkers: availableParallelism() + 2,
    projects: [
      {
        resolve: { alias: PAGE },
        test: {
          name: 'shared',
          include: ['packages/*/test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: [...ALONE, '**/node_modules/**'],
          isolate: false,
          unstubEnvs: true,
          unstubGlobals: true,
          ...LIMITS,
        },
      },
      { test: { name: 'alone', include: ALONE, ...LIMITS } },
    ],
  },
});
