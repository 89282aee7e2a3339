import { defineService, openDandori } from 'dandori';
import * as z from 'zod';

const greeter = defineService({
  name: 'greeter',
  methods: {
    greet: {
      description: 'Greets a person by name. 挨拶する',
      effect: 'read',
      input: z.object({ name: z.string() }),
      output: z.object({ text: z.string() }),
      run: async ({ name }, context) => ({ text: `Hello ${name}, says ${context.userId ?? 'nobody'}.` }),
    },
  },
});

const dandori = await openDandori({ services: [greeter] });
const report = await dandori.run('Greet "Hanako"', {
  userId: 'me',
  tasks: [{ id: 't1', operation: 'greeter.greet', args: { name: 'Hanako' } }],
});
console.log(report.outcome, report.tasks.t1?.result);
await dandori.close();
