/** deepagents: LangGraph's agent with files, a list of things to do and agents below it. */
import { createDeepAgent } from 'deepagents';
import { ask, inLangChain } from './langgraph.js';

export async function run(given) {
  const agent = createDeepAgent({ ...inLangChain(given), systemPrompt: given.instructions });
  return ask(agent, given.goal);
}
