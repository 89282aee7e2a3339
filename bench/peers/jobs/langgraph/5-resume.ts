import { randomUUID } from 'node:crypto';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
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
  checkpointer: SqliteSaver.fromConnString('langgraph.db'),
});
const [, , id] = process.argv;
const thread = id ?? randomUUID();
const start = { messages: [{ role: 'user', content: 'Compare the weather of ten cities' }] };
const config = { configurable: { thread_id: thread } };
const { messages } = await agent.invoke(id === undefined ? start : null, config);
console.log(thread, messages.at(-1)?.text);
