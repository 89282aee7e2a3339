import { openDandori, tool } from 'dandori';
import * as z from 'zod';

const weather = tool({
  description: 'The weather of a city tomorrow',
  effect: 'read',
  trusted: true,
  input: z.object({ city: z.string() }),
  run: ({ city }) => ({ city, rain: city === 'Kyoto' }),
});

const dandori = await openDandori({ model: 'openai/gpt-5-mini', tools: { weather } });
const run = dandori.run('Which of Tokyo, Kyoto and Osaka needs an umbrella tomorrow?', {
  output: z.object({ cities: z.array(z.string()) }),
});
const { cities } = await run.output();
console.log(cities);
await dandori.close();
