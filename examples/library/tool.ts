import { openDandori, tool } from 'dandori';
import * as z from 'zod';

const greet = tool({
  description: 'Greet a person by name',
  effect: 'read',
  trusted: true,
  input: z.object({ name: z.string() }),
  run: ({ name }) => ({ text: `Hello ${name}` }),
});

const dandori = await openDandori({ tools: { greet } });
const run = dandori.run('Greet "Hanako"');
console.log(await run.output());
await dandori.close();
