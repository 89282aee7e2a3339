import { openai } from '@ai-sdk/openai';
import { generateText, isStepCount, Output, tool } from 'ai';
import * as z from 'zod';

const weather = tool({
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, rain: city === 'Bergen' }),
});
const { output } = await generateText({
  model: openai('gpt-5-mini'),
  tools: { weather },
  stopWhen: isStepCount(10),
  output: Output.object({ schema: z.object({ cities: z.array(z.string()) }) }),
  prompt: 'Which of Bergen and Cairo is wet?',
});
console.log(output.cities);
