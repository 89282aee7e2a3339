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
const output = z.object({ cities: z.array(z.string()) });
const { cities } = await dandori.run('Which of Bergen and Cairo is wet?', { output }).output();
console.log(cities);
