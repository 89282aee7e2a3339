import { defineTool, openDandori } from 'dandori';
import * as z from 'zod';

const greet = defineTool({
  name: 'greet',
  description: 'Greet a person by name',
  effect: 'read',
  input: z.object({ name: z.string() }),
  run: ({ name }) => ({ text: `Hello ${name}` }),
});

const dandori = await openDandori({ services: [greet] });
const report = await dandori.run('Greet "Hanako"');
console.log(report.outcome, report.answer);
await dandori.close();
