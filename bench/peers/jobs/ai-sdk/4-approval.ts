import { createInterface } from 'node:readline/promises';
import { openai } from '@ai-sdk/openai';
import { generateText, isStepCount, type ModelMessage, type ToolApprovalResponse, tool } from 'ai';
import * as z from 'zod';

const terminal = createInterface(process.stdin, process.stdout);
const remove = tool({
  description: 'Deletes a file',
  inputSchema: z.object({ path: z.string() }),
  needsApproval: true,
  execute: async ({ path }) => `deleted ${path}`,
});
const messages: ModelMessage[] = [{ role: 'user', content: 'Delete old.log' }];
for (;;) {
  const result = await generateText({
    model: openai('gpt-5-mini'),
    tools: { remove },
    stopWhen: isStepCount(10),
    messages,
  });
  messages.push(...result.response.messages);
  const answers: ToolApprovalResponse[] = [];
  for (const part of result.content) {
    if (part.type !== 'tool-approval-request') continue;
    const { toolName, input } = part.toolCall;
    const answer = await terminal.question(`Approve ${toolName} ${JSON.stringify(input)}? (y/n) `);
    answers.push({ type: 'tool-approval-response', approvalId: part.approvalId, approved: answer === 'y' });
  }
  if (answers.length === 0) {
    console.log(result.text);
    break;
  }
  messages.push({ role: 'tool', content: answers });
}
terminal.close();
