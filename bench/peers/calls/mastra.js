/** The agent of Mastra. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { jsonSchema, tool } from 'ai';

const MOST_STEPS = 100;

export async function run({ url, instructions, goal, tools }) {
  const provider = createOpenAICompatible({ name: 'scripted', baseURL: url, apiKey: 'none' });
  const agent = new Agent({
    id: 'agent',
    name: 'agent',
    instructions,
    model: provider('scripted'),
    tools: Object.fromEntries(
      tools.map(({ name, description, inputSchema, call }) => [
        name,
        tool({ description, inputSchema: jsonSchema(inputSchema), execute: call }),
      ]),
    ),
  });
  const { text } = await agent.generate(goal, { maxSteps: MOST_STEPS });
  return text;
}
