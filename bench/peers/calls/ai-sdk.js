/** The loop of the AI SDK: `generateText` with tools, until a step calls none. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, jsonSchema, tool } from 'ai';

const MOST_STEPS = 100;

export async function run({ url, instructions, goal, tools }) {
  const provider = createOpenAICompatible({ name: 'scripted', baseURL: url, apiKey: 'none' });
  const { text } = await generateText({
    model: provider('scripted'),
    instructions,
    prompt: goal,
    tools: Object.fromEntries(
      tools.map(({ name, description, inputSchema, call }) => [
        name,
        tool({ description, inputSchema: jsonSchema(inputSchema), execute: call }),
      ]),
    ),
    stopWhen: isStepCount(MOST_STEPS),
  });
  return text;
}
