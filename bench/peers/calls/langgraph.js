/** The agent of LangChain 1 on LangGraph, which took the place of `createReactAgent`. */
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';

const MOST_STEPS = 250;

/** The tools and the model in the words of LangChain, for those that build on it too. */
export function inLangChain({ url, tools }) {
  return {
    model: new ChatOpenAI({ model: 'scripted', apiKey: 'none', configuration: { baseURL: url } }),
    tools: tools.map(({ name, description, inputSchema, call }) =>
      tool(call, { name, description, schema: inputSchema }),
    ),
  };
}

export async function run(given) {
  const agent = createAgent({ ...inLangChain(given), systemPrompt: given.instructions });
  return ask(agent, given.goal);
}

export async function ask(agent, goal) {
  const { messages } = await agent.invoke(
    { messages: [{ role: 'user', content: goal }] },
    { recursionLimit: MOST_STEPS },
  );
  return messages.at(-1).text;
}
