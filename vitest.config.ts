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
  env: { PGCONNECT_TIMEOUT: '300' },
};

/** What replaces modules for others needs modules of its own. All other files share them: loading them takes longer than most tests. */
const ALONE = ['packages/dandori/test/store/group-commit.test.ts'];

/** The page sees the core by names that vite resolves. */
const PAGE = [{ find: /^#dandori\//, replacement: `${import.meta.dirname}/packages/dandori/src/` }];

/** The files that take longest begin first, so that at the end no core waits for one of them. */
const SLOWEST = [
  'dandori/test/postgres/postgres',
  'web/test/proof/life',
  'dandori/test/cli/people',
  'dandori/test/tools/mcp-broken',
  'web/test/run/run-page',
  'dandori/test/cli/approval',
  'dandori/test/build/packed',
  'web/test/run/views',
  'web/test/home/home',
  'dandori/test/server/conversation-process',
  'dandori/test/server/process',
  'dandori/test/cli/elicitation',
  'web/test/proof/restart',
  'web/test/live/connections',
  'dandori/test/crash/crash',
  'dandori/test/simulator/simulator',
  'dandori/test/tools/schema-hostile',
  'web/test/shell/shell',
  'dandori/test/requirements/adaptive',
  'dandori/test/cli/crash',
  'dandori/test/cli/disk',
  'dandori/test/goals/goals',
  'dandori/test/server/guard',
  'web/test/proof/strangers',
  'dandori/test/conversation/terminal',
  'dandori/test/tools/memory',
  'dandori/test/store/jsonl',
  'dandori/test/server/conversation',
  'web/test/conversations/conversations',
  'dandori/test/cli/login',
  'dandori/test/tools/json-limits',
  'servers/test/sqlite',
  'dandori/test/plan/query',
  'dandori/test/store/suite',
  'web/test/run/large-graph',
  'dandori/test/conversation/restart',
  'dandori/test/fixtures/workflows',
  'dandori/test/server/stranded',
  'dandori/test/cli/limits',
  'dandori/test/cli/past',
  'dandori/test/mind/built-in/safety',
  'dandori/test/server/api',
  'dandori/test/telemetry/telemetry',
  'web/test/run/keyboard',
  'dandori/test/driver/closing-answer',
  'dandori/test/kills/kills',
  'dandori/test/cli/every-command',
  'servers/test/every-server',
  'dandori/test/server/stream',
  'dandori/test/store/processes',
  'dandori/test/conversation/milks',
  'dandori/test/plan/read',
  'web/test/dashboard/dashboard',
  'dandori/test/tools/mcp-stdio',
  'dandori/test/cli/servers',
  'web/test/run/questions',
  'dandori/test/house/docs',
  'dandori/test/driver/scale',
  'dandori/test/mind/language/long-run',
  'dandori/test/tools/mcp-http',
  'dandori/test/server/schemas',
  'dandori/test/fixtures/asking',
  'dandori/test/trust/trust',
  'dandori/test/trust/worst-case',
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
