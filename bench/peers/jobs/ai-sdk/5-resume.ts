import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { openai } from '@ai-sdk/openai';
import { generateText, type ModelMessage, tool } from 'ai';
import * as z from 'zod';

const weather = tool({
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, rain: city === 'Bergen' }),
});
// The SDK stores nothing. This keeps the messages after each step; calls within a step may be repeated.
const id = process.argv[2] ?? randomUUID();
const file = `${id}.json`;
const messages: ModelMessage[] = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8'))
  : [{ role: 'user', content: 'Compare the weather of ten cities' }];
for (let step = 0; step < 20; step++) {
  const { text, finishReason, response } = await generateText({
    model: openai('gpt-5-mini'),
    tools: { weather },
    messages,
  });
  messages.push(...response.messages);
  writeFileSync(file, JSON.stringify(messages));
  if (finishReason === 'tool-calls') continue;
  console.log(id, text);
  break;
}
