import { openai } from '@ai-sdk/openai';
import { openDandori, tool } from 'dandori';
import * as z from 'zod';

const weather = tool({
  description: 'The weather of a city',
  effect: 'read',
  trusted: true,
  input: z.object({ city: z.string() }),
  run: ({ city }) => ({ city, rain: city === 'Bergen' }),
});
const [, , id] = process.argv;
await using dandori = await openDandori({ model: openai('gpt-5-mini'), tools: { weather } });
const run = id === undefined ? dandori.run('Compare the weather of ten cities') : dandori.open(id);
console.log(run.id, await run.output());
