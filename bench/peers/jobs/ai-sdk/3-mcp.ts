import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { openai } from '@ai-sdk/openai';
import { generateText, isStepCount } from 'ai';

const client = await createMCPClient({
  transport: new StdioTransport({
    command: 'npx',
    args: ['-y', '@modelcontextprotocol/server-filesystem', '.'],
  }),
});
try {
  const { text } = await generateText({
    model: openai('gpt-5-mini'),
    tools: await client.tools(),
    stopWhen: isStepCount(10),
    prompt: 'What does the README say?',
  });
  console.log(text);
} finally {
  await client.close();
}
