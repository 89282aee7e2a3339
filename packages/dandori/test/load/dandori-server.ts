import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { defineService } from '../../src/adapters/tools/service.ts';
import { serve } from '../../src/server/serve.ts';
import { answerParent } from './child.ts';

/** `node dandori-server.ts FOLDER PATIENCE`: the real server, with tools that wait for a file to be there. */
const [folder = '.', patience] = process.argv.slice(2);
const input = z.object({ number: z.number() });

const load = defineService({
  name: 'load',
  methods: {
    gate: {
      description: 'Waits until it is opened.',
      effect: 'read',
      input,
      output: z.object({ number: z.number() }),
      async run({ number }, { signal }) {
        while (!existsSync(join(folder, 'open')) && !signal.aborted)
          await new Promise((resolve) => setTimeout(resolve, 20));
        return { number };
      },
    },
    step: {
      description: 'Does a little.',
      effect: 'read',
      input,
      output: z.object({ number: z.number(), text: z.string() }),
      run: ({ number }) => ({ number, text: 'done '.repeat(20) }),
    },
    page: {
      description: 'Gives a large text.',
      effect: 'read',
      input,
      output: z.object({ text: z.string() }),
      run: ({ number }) => ({ text: `${number} ${'page '.repeat(6_000)}` }),
    },
  },
});

const sockets = { readTimeout: Number(patience) };
const serving = await serve({ cwd: folder, port: 0, services: [load], sockets });
answerParent(serving.url, { stop: () => serving.close() });
