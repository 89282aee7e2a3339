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
await using dandori = await openDandori({ model: openai('gpt-5-mini'), tools: { weather } });
console.log(await dandori.run('Do I need an umbrella in Bergen or in Cairo?').output());
