import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['dandori-source'] },
  ssr: { resolve: { conditions: ['dandori-source'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'examples/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    env: { NODE_OPTIONS: '--conditions=dandori-source' },
  },
});
