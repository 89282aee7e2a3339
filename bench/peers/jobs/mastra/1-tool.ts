import { openai } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import * as z from 'zod';

const weather = createTool({
  id: 'weather',
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, rain: city === 'Bergen' }),
});
const agent = new Agent({
  id: 'agent',
  name: 'agent',
  instructions: 'Answer with the tools.',
  model: openai('gpt-5-mini'),
  tools: { weather },
});
const { text } = await agent.generate('Do I need an umbrella in Bergen or in Cairo?');
console.log(text);
