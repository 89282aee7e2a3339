/** OpenAI's Agents SDK over chat completions. */
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';

const MOST_TURNS = 100;

export async function run({ url, instructions, goal, tools }) {
  setTracingDisabled(true);
  const modelProvider = new OpenAIProvider({ baseURL: url, apiKey: 'none', useResponses: false });
  const agent = new Agent({
    name: 'agent',
    model: 'scripted',
    instructions,
    tools: tools.map(({ name, description, inputSchema, call }) =>
      tool({ name, description, parameters: inputSchema, strict: false, execute: call }),
    ),
  });
  const { finalOutput } = await new Runner({ modelProvider }).run(agent, goal, { maxTurns: MOST_TURNS });
  return finalOutput;
}
