import { createInterface } from 'node:readline/promises';
import { openai } from '@ai-sdk/openai';
import { openDandori, tool } from 'dandori';
import * as z from 'zod';

const terminal = createInterface(process.stdin, process.stdout);
const remove = tool({
  description: 'Deletes a file',
  effect: 'destructive',
  trusted: true,
  input: z.object({ path: z.string() }),
  run: ({ path }) => `deleted ${path}`,
});
await using dandori = await openDandori({
  model: openai('gpt-5-mini'),
  tools: { remove },
  onQuestion: async ({ text }) =>
    (await terminal.question(`${text} (y/n) `)) === 'y' ? 'approve' : 'reject',
});
console.log(await dandori.run('Delete old.log').output());
terminal.close();
