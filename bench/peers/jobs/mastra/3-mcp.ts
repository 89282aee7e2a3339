import { openai } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { MCPClient } from '@mastra/mcp';

const mcp = new MCPClient({
  servers: { files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] } },
});
const agent = new Agent({
  id: 'agent',
  name: 'agent',
  instructions: 'Answer with the tools.',
  model: openai('gpt-5-mini'),
  tools: await mcp.listTools(),
});
const { text } = await agent.generate('What does the README say?');
console.log(text);
await mcp.disconnect();
