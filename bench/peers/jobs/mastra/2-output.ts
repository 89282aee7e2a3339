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
const { object } = await agent.generate('Which of Bergen and Cairo is wet?', {
  structuredOutput: { schema: z.object({ cities: z.array(z.string()) }) },
});
console.log(object.cities);
