import { openai } from '@ai-sdk/openai';
import { openDandori } from 'dandori';

await using dandori = await openDandori({
  model: openai('gpt-5-mini'),
  servers: { files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] } },
});
console.log(await dandori.run('What does the README say?').output());
