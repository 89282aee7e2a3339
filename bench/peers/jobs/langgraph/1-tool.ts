import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import * as z from 'zod';

const weather = tool(({ city }) => ({ city, rain: city === 'Bergen' }), {
  name: 'weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string() }),
});
const agent = createAgent({ model: new ChatOpenAI({ model: 'gpt-5-mini' }), tools: [weather] });
const { messages } = await agent.invoke({
  messages: [{ role: 'user', content: 'Do I need an umbrella in Bergen or in Cairo?' }],
});
console.log(messages.at(-1)?.text);
