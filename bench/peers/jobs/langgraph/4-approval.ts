import { createInterface } from 'node:readline/promises';
import { Command, MemorySaver } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain';
import * as z from 'zod';

const terminal = createInterface(process.stdin, process.stdout);
const remove = tool(({ path }) => `deleted ${path}`, {
  name: 'remove',
  description: 'Deletes a file',
  schema: z.object({ path: z.string() }),
});
const agent = createAgent({
  model: new ChatOpenAI({ model: 'gpt-5-mini' }),
  tools: [remove],
  checkpointer: new MemorySaver(),
  middleware: [
    humanInTheLoopMiddleware({ interruptOn: { remove: { allowedDecisions: ['approve', 'reject'] } } }),
  ],
});
const config = { configurable: { thread_id: '1' } };
let state = await agent.invoke({ messages: [{ role: 'user', content: 'Delete old.log' }] }, config);
while (state.__interrupt__ !== undefined) {
  const [asked] = state.__interrupt__;
  const { actionRequests = [] } = (asked?.value ?? {}) as {
    actionRequests?: { name: string; args: unknown }[];
  };
  const decisions = [];
  for (const { name, args } of actionRequests) {
    const answer = await terminal.question(`Approve ${name} ${JSON.stringify(args)}? (y/n) `);
    decisions.push({ type: answer === 'y' ? 'approve' : 'reject' });
  }
  state = await agent.invoke(new Command({ resume: { decisions } }), config);
}
console.log(state.messages.at(-1)?.text);
terminal.close();
