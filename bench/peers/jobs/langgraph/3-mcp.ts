import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';

const mcp = new MultiServerMCPClient({
  files: { transport: 'stdio', command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] },
});
const agent = createAgent({ model: new ChatOpenAI({ model: 'gpt-5-mini' }), tools: await mcp.getTools() });
const { messages } = await agent.invoke({
  messages: [{ role: 'user', content: 'What does the README say?' }],
});
console.log(messages.at(-1)?.text);
await mcp.close();
