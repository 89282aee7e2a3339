import { openai } from '@ai-sdk/openai';
import { generateText, isStepCount, tool } from 'ai';
import * as z from 'zod';

const weather = tool({
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, rain: city === 'Bergen' }),
});
const { text } = await generateText({
  model: openai('gpt-5-mini'),
  tools: { weather },
  stopWhen: isStepCount(10),
  prompt: 'Do I need an umbrella in Bergen or in Cairo?',
});
console.log(text);
