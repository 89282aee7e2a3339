import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import * as z from 'zod';

const weather = tool(({ city }) => ({ city, rain: city === 'Bergen' }), {
  name: 'weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string() }),
});
const agent = createAgent({
  model: new ChatOpenAI({ model: 'gpt-5-mini' }),
  tools: [weather],
  responseFormat: z.object({ cities: z.array(z.string()) }),
});
const { structuredResponse } = await agent.invoke({
  messages: [{ role: 'user', content: 'Which of Bergen and Cairo is wet?' }],
});
console.log(structuredResponse.cities);
