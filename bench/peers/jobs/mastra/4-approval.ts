import { createInterface } from 'node:readline/promises';
import { openai } from '@ai-sdk/openai';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import * as z from 'zod';

const terminal = createInterface(process.stdin, process.stdout);
const remove = createTool({
  id: 'remove',
  description: 'Deletes a file',
  inputSchema: z.object({ path: z.string() }),
  requireApproval: true,
  execute: async ({ path }) => `deleted ${path}`,
});
const agent = new Agent({
  id: 'agent',
  name: 'agent',
  instructions: 'Answer with the tools.',
  model: openai('gpt-5-mini'),
  tools: { remove },
});
new Mastra({ agents: { agent }, storage: new LibSQLStore({ id: 'store', url: 'file:mastra.db' }) });
let stream = await agent.stream('Delete old.log');
for (let isOpen = true; isOpen; ) {
  isOpen = false;
  for await (const chunk of stream.fullStream) {
    if (chunk.type !== 'tool-call-approval') continue;
    const { toolCallId, toolName, args } = chunk.payload;
    const answer = await terminal.question(`Approve ${toolName} ${JSON.stringify(args)}? (y/n) `);
    const about = { runId: stream.runId, toolCallId };
    stream = await (answer === 'y' ? agent.approveToolCall(about) : agent.declineToolCall(about));
    isOpen = true;
    break;
  }
}
console.log(await stream.text);
terminal.close();
